// AmazonPay
