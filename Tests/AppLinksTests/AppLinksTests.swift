// AppLinksTests
