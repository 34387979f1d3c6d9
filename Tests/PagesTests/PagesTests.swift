// PagesTests
