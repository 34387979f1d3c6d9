package import Primitives

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
        do throws(TextRefusal) {
            try self.init(reading: address, orClearLoopback: orClearLoopback)
        } catch {
            return nil
        }
    }

    /// The same, for whoever has to say what is wrong.
    ///
    /// - Parameters:
    ///   - address: As above.
    ///   - orClearLoopback: As above.
    /// - Throws: The first rule that it breaks.
    package init(reading address: String, orClearLoopback: Bool = false) throws(TextRefusal) {
        try CallbackOrigin.checkCharacters(address, upTo: CallbackOrigin.maximumBytes)
        let isClear = address.octets.starts(with: "http://")
        guard isClear || address.octets.starts(with: "https://") else {
            throw TextRefusal("the address does not begin with https://")
        }
        guard let url = HTTPURL(address) else {
            let authority = address.utf8.dropFirst(isClear ? 7 : 8).prefix { $0 != UInt8(ascii: "/") }
            guard !authority.contains(UInt8(ascii: "@")) else {
                throw TextRefusal("the address has a user name before its host")
            }
            throw TextRefusal("the address has no host that can be found, or an impossible port")
        }
        guard url.isSecure || (orClearLoopback && url.host.isLoopback) else {
            throw TextRefusal("the address is http, and has to be https")
        }
        guard url.isPlain else {
            throw TextRefusal("the host has capital letters, an underscore, or a dot at its end")
        }
        guard url.rest.isEmpty || url.rest.octets.starts(with: "/") else {
            throw TextRefusal("the address has a query without a path: put a slash before the question mark")
        }
        host = url.host.text
        self.isClear = isClear
        port = url.port ?? (isClear ? 80 : 443)
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

    private static let maximumBytes = 2_048
    private static let refused = Array("\"#'<>[\\]^`{|}".utf8)

    /// Holds an address to what every reader takes for the same characters.
    ///
    /// - Parameters:
    ///   - limit: How many bytes it may have.
    /// - Throws: The first rule that it breaks.
    static func checkCharacters(_ address: String, upTo limit: Int) throws(TextRefusal) {
        guard !address.isEmpty else { throw TextRefusal("the address is empty") }
        guard address.utf8.count <= limit else {
            throw TextRefusal("the address has more than \(limit) characters")
        }
        guard let odd = address.utf8.first(where: { $0 <= 0x20 || $0 >= 0x7F || refused.contains($0) }) else { return }
        let escape = "%" + String(odd, radix: 16, uppercase: true)
        let what =
            switch odd {
            case UInt8(ascii: "#"): "a fragment, which begins with #"
            case 0x21...0x7E: "the character \(Unicode.Scalar(odd)), which is written as \(escape)"
            case 0x20: "a blank, which is written as %20"
            case 0x80...: "a character beyond ASCII: the host has an ASCII form, and the rest is percent-encoded"
            default: "a control character"
            }
        throw TextRefusal("the address has \(what)")
    }
}
