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
    ///     query if need be; no fragment; printable ASCII without quotes, brackets, braces, bars and backslashes; at most 2,048
    ///     bytes.
    ///   - orClearLoopback: Whether `http` to this machine will do as well.
    package init?(of address: String, orClearLoopback: Bool = false) {
        guard address.utf8.count <= 2_048, address.utf8.allSatisfy(CallbackOrigin.isPlain), let url = HTTPURL(address),
            url.isPlain, url.rest.isEmpty || url.rest.octets.starts(with: "/")
        else { return nil }
        guard url.isSecure || (orClearLoopback && url.host.isLoopback) else { return nil }
        host = url.host.text
        isClear = !url.isSecure
        port = url.port ?? (url.isSecure ? 443 : 80)
    }

    /// The origin that an operator wrote, or `nil` where there is more than an origin.
    ///
    /// - Parameters:
    ///   - setting: `https://HOST` or `https://HOST:PORT`, without a slash at the end.
    ///   - orClearLoopback: Whether `http` to this machine will do as well.
    package init?(setting: String, orClearLoopback: Bool = false) {
        self.init(of: setting, orClearLoopback: orClearLoopback)
        guard !setting.utf8.dropFirst(8).contains(UInt8(ascii: "/")) else { return nil }
    }

    /// As an operator writes it, without the scheme's own port.
    package var description: String {
        let name = (isClear ? "http://" : "https://") + host
        return port == (isClear ? 80 : 443) ? name : "\(name):\(port)"
    }

    private static let refused = Array("\"#'<>[\\]^`{|}".utf8)

    static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !refused.contains(byte)
    }
}
