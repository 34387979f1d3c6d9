package import Cryptography
package import Primitives

/// What a request was, as far as a repeat of it has to be the same: a digest of method, path and the value of the content.
package struct RequestFingerprint: Sendable, Hashable {
    /// Kept with a claim.
    package let digest: Digest32

    /// The fingerprint of a request.
    ///
    /// - Parameters:
    ///   - method: Upper case.
    ///   - appendValue: Writes the content so that it is the same for every spelling of its value; false, and nothing written,
    ///     where it has none.
    package init(
        _ method: String,
        _ path: String,
        _ body: [UInt8],
        using hasher: SHA256,
        appendValue: (inout [UInt8]) -> Bool
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(method.utf8.count + path.utf8.count + body.count + 32)
        bytes.append(contentsOf: method.utf8)
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: path.utf8)
        bytes.append(UInt8(ascii: "\n"))
        if !appendValue(&bytes) { bytes.append(contentsOf: body) }
        digest = hasher.digest(of: bytes.span)
    }

    /// A fingerprint that was made before.
    package init(_ digest: Digest32) {
        self.digest = digest
    }
}
