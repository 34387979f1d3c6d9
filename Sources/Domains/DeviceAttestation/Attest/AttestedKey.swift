package import Cryptography
package import Primitives

/// The public half of a key that a device keeps to itself, on the curve P-256.
package struct AttestedKey: Hashable, Sendable {
    /// The uncompressed point, X9.62: 65 bytes that begin with 4.
    package let point: [UInt8]

    /// Length of a point.
    package static let pointBytes = 65

    /// A key that was stored; its point is looked at when it is used.
    package init?(point: [UInt8]) {
        guard point.count == AttestedKey.pointBytes, point[0] == 4 else { return nil }
        self.point = point
    }

    /// The key of a certificate; `nil` for one of another kind.
    package init?(_ certificate: X509Certificate) {
        guard let key = try? PublicKey(certificate: certificate),
            case .ecdsa(let x, let y, .p256)? = try? key.numbers()
        else { return nil }
        point = [4] + x + y
    }

    /// What devices and servers call the key: SHA-256 of its point.
    package var id: Digest32 { SHA256.digest(of: point) }

    var x: [UInt8] { Array(point[1..<33]) }
    var y: [UInt8] { Array(point[33..<65]) }

    /// Whether a signature in DER over SHA-256 of a message is the key's.
    package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let signature = ECDSASignature(der: signature, on: .p256),
            case .ecdsa(let key)? = try? PublicKey.ecdsa(x: x, y: y, on: .p256)
        else { return false }
        return key.verify(signature.octets, of: message)
    }
}
