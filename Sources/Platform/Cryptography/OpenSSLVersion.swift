import COpenSSL

/// The versions of OpenSSL.
package enum OpenSSLVersion {
    /// The one that is loaded, for example `3.0.17`.
    package static var running: String {
        guard let text = unsafe OpenSSL_version(OPENSSL_VERSION_STRING) else { return "" }
        return unsafe String(cString: text)
    }

    /// The one that the program was built for.
    package static let built = OPENSSL_VERSION_STR
}
