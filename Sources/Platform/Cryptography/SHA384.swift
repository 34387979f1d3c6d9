import COpenSSL

/// SHA-384, FIPS 180-4.
package enum SHA384 {
    /// Length of a digest.
    package static let byteCount = 48

    /// The digest of bytes, 48 of them.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        guard unsafe EVP_Digest(bytes, bytes.count, &output, nil, EVP_sha384(), nil) == 1 else {
            preconditionFailure("OpenSSL offers SHA-384")
        }
        return output
    }
}
