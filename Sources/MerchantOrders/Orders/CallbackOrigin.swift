import Primitives

/// The origin of an https address: the part of it that says whose it is.
///
/// Addresses of merchants are taken in one plain spelling only: what two readers could split differently has no origin here.
package struct CallbackOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address of version 4, lower case.
    package let host: String
    /// 443 where none is written.
    package let port: Int

    /// The origin of an address, or `nil` where it is none of ours to call.
    ///
    /// - Parameter address: `https`, a host in lower case without user info, a port if need be, then nothing or a path with a
    ///   query if need be; no fragment; printable ASCII without quotes, brackets, braces, bars and backslashes; at most 2,048 bytes.
    package init?(of address: String) {
        guard address.utf8.count <= 2_048, address.utf8.allSatisfy(CallbackOrigin.isPlain),
            address.hasPrefix("https://")
        else { return nil }
        let authority = address.dropFirst(8).prefix { $0 != "/" }
        let host = authority.prefix { $0 != ":" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }), host.utf8.allSatisfy(CallbackOrigin.isHostByte) else { return nil }
        self.host = String(host)
        if host.endIndex == authority.endIndex {
            port = 443
        } else {
            let digits = Array(authority[host.endIndex...].utf8.dropFirst())
            guard let port = DecimalDigits.parse(digits.span, limit: 65_535), port > 0 else { return nil }
            self.port = port
        }
    }

    /// The origin that an operator wrote, or `nil` where there is more than an origin.
    ///
    /// - Parameter setting: `https://HOST` or `https://HOST:PORT`, without a slash at the end.
    package init?(setting: String) {
        self.init(of: setting)
        guard !setting.dropFirst(8).contains("/") else { return nil }
    }

    /// As an operator writes it, without the port 443.
    package var description: String { port == 443 ? "https://\(host)" : "https://\(host):\(port)" }

    private static let refused = Array("\"#'<>[\\]^`{|}".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !refused.contains(byte)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
