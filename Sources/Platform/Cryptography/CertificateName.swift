/// A name that a certificate speaks for.
package enum CertificateName: Sendable, Hashable {
    /// A host name: letters, digits, dots and hyphens, possibly with a first label of `*`.
    case host(String)
    /// An address: four decimal numbers, or groups of hexadecimal digits.
    case address(String)

    /// The names of a server on loopback: `localhost`, `links.localhost`, `signin.localhost`, `*.localhost`, 127.0.0.1 and ::1.
    ///
    /// Two are spelled out because OpenSSL takes no wildcard directly under a top-level name.
    package static let loopback: [CertificateName] = [
        .host("localhost"), .host("links.localhost"), .host("signin.localhost"), .host("*.localhost"),
        .address("127.0.0.1"), .address("::1"),
    ]

    /// The form that OpenSSL's extension texts take, or `nil` where the name holds anything that would end it early.
    var extensionText: String? {
        switch self {
        case .host(let name):
            guard !name.isEmpty, name.utf8.count <= 253, name.utf8.allSatisfy(CertificateName.isHostByte) else {
                return nil
            }
            return "DNS:" + name
        case .address(let text):
            guard !text.isEmpty, text.utf8.allSatisfy(CertificateName.isAddressByte) else { return nil }
            return "IP:" + text
        }
    }

    /// The subtree of names to which an authority is held that may issue this one; `nil` as for `extensionText`.
    var constraintText: String? {
        guard let text = extensionText else { return nil }
        switch self {
        case .host(let name):
            return "permitted;DNS:" + (name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)
        case .address(let address):
            let mask =
                address.utf8.contains(UInt8(ascii: ":"))
                ? Array(repeating: "FFFF", count: 8).joined(separator: ":") : "255.255.255.255"
            return "permitted;" + text + "/" + mask
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "*")
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
