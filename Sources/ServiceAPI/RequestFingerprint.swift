package import Cryptography
package import Primitives

/// What a request was, as far as a repeat of it has to be the same.
package struct RequestFingerprint: Sendable, Hashable {
    /// Of method, path and the value of the content: kept with a claim.
    package let value: Digest32
    /// Of method, path and the octets of the content: what claims of before values were compared are kept with.
    package let octets: Digest32

    /// The fingerprint of a request.
    ///
    /// - Parameters:
    ///   - method: Upper case.
    ///   - path: As it came.
    ///   - body: As it came.
    ///   - hasher: A context of the loop.
    ///   - appendValue: Writes the content so that it is the same for every spelling of its value; false where it has none.
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
        let start = bytes.count
        bytes.append(contentsOf: body)
        octets = hasher.digest(of: bytes.span)
        bytes.removeSubrange(start...)
        value = appendValue(&bytes) ? hasher.digest(of: bytes.span) : octets
    }

    /// One of which both digests are the same.
    ///
    /// - Parameter digest: Of a request without content, for one.
    package init(_ digest: Digest32) {
        value = digest
        octets = digest
    }
}
