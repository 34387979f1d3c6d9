// SallyportApp
