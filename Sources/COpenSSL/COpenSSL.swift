// COpenSSL
