import Primitives

/// The origin of an https address: the part of it that says whose it is.
///
/// Addresses of merchants are taken in one plain spelling only: what two readers could split differently has no origin here.
package struct CallbackOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address of version 4, lower case.
    package let host: String
    /// 443 where none is written, 80 in clear.
    package let port: Int
    /// Whether it is a server of this very machine that speaks plain HTTP.
    package let isClear: Bool

    /// The origin of an address, or `nil` where it is none of ours to call.
    ///
    /// - Parameters:
    ///   - address: `https`, a host in lower case without user info, a port if need be, then nothing or a path with a
    ///     query if need be; no fragment; printable ASCII without quotes, brackets, braces, bars and backslashes; at most 2,048 bytes.
    ///   - orClearLoopback: Whether `http` to `localhost` or `127.0.0.1` will do as well.
    package init?(of address: String, orClearLoopback: Bool = false) {
        guard address.utf8.count <= 2_048, address.utf8.allSatisfy(CallbackOrigin.isPlain) else { return nil }
        isClear = orClearLoopback && address.hasPrefix("http://")
        guard isClear || address.hasPrefix("https://") else { return nil }
        let authority = address.dropFirst(isClear ? 7 : 8).prefix { $0 != "/" }
        let host = authority.prefix { $0 != ":" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }), host.utf8.allSatisfy(CallbackOrigin.isHostByte) else { return nil }
        guard !isClear || CallbackOrigin.ownHosts.contains(String(host)) else { return nil }
        self.host = String(host)
        if host.endIndex == authority.endIndex {
            port = isClear ? 80 : 443
        } else {
            let digits = Array(authority[host.endIndex...].utf8.dropFirst())
            guard let port = DecimalDigits.parse(digits.span, limit: 65_535), port > 0 else { return nil }
            self.port = port
        }
    }

    /// The origin that an operator wrote, or `nil` where there is more than an origin.
    ///
    /// - Parameters:
    ///   - setting: `https://HOST` or `https://HOST:PORT`, without a slash at the end.
    ///   - orClearLoopback: Whether `http` to `localhost` or `127.0.0.1` will do as well.
    package init?(setting: String, orClearLoopback: Bool = false) {
        self.init(of: setting, orClearLoopback: orClearLoopback)
        guard !setting.dropFirst(8).contains("/") else { return nil }
    }

    /// As an operator writes it, without the scheme's own port.
    package var description: String {
        let name = (isClear ? "http://" : "https://") + host
        return port == (isClear ? 80 : 443) ? name : "\(name):\(port)"
    }

    /// The only names of this machine that are known without asking anybody.
    private static let ownHosts: Set<String> = ["localhost", "127.0.0.1"]

    private static let refused = Array("\"#'<>[\\]^`{|}".utf8)

    static func isPlain(_ byte: UInt8) -> Bool {
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
