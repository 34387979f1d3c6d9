// SallyportAppTests
