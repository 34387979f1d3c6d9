// CryptographyTests
