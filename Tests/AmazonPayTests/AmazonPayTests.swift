// AmazonPayTests
