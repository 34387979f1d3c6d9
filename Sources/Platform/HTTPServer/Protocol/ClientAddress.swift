import EventIO
import HTTPCore
import Primitives

/// Finds out who a request comes from.
///
/// Behind a proxy the peer of the connection is the proxy, and the client's address is what the proxies have appended
/// to `X-Forwarded-For`. Anybody can send that field, so it is read from the right, and only past addresses that are
/// known to be ours: the first foreign one from the right is the client. What stands further left is the client's own
/// word. The field is octets: a comma separates, whatever character a client has put in front of it.
enum ClientAddress {
    /// The client of a request that came over a connection from a trusted proxy.
    ///
    /// - Parameters:
    ///   - peer: The proxy itself; the answer where the field is missing.
    /// - Returns: The right-most address that is no proxy; where all are, the left-most. `unknown` where a part is read that is no
    ///   address.
    static func find(in request: HTTPRequest, behind peer: PeerAddress, trusted: [NetworkPrefix]) -> PeerAddress {
        var nearest = peer
        for value in request.values(.xForwardedFor).reversed() {
            for part in value.octets.parts(between: UInt8(ascii: ",")).reversed() {
                // What our own proxies write is an address. Anything else is nobody's, and least of all the proxy's.
                guard let address = parse(part) else { return .unknown }
                nearest = PeerAddress(address)
                guard trusted.contains(where: { $0.contains(address.addressBytes) }) else { return nearest }
            }
        }
        return nearest
    }

    /// An address with or without a port, as proxies write it: `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    private static func parse(_ part: String) -> SocketAddress? {
        let octets = part.utf8Span.span
        let word = octets.extracting(octets.trimmedRange())
        // No address is longer, nor one with brackets and a port.
        guard word.count <= longestWord else { return nil }
        let text = word.text
        if let address = SocketAddress(host: text) ?? SocketAddress(text) { return address }
        guard text.octets.starts(with: "["), text.octets.ends(with: "]") else { return nil }
        return SocketAddress(host: word.extracting(1..<(word.count - 1)).text)
    }

    private static let longestWord = 64
}

extension PeerAddress {
    /// The address of a socket's peer without its port.
    init(_ address: SocketAddress) {
        let bytes = address.addressBytes
        let words = stride(from: 0, to: bytes.count, by: 4).map { start in
            bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        switch words.count {
        case 1: self.init(ipv4: words[0])
        case 4:
            self.init(
                ipv6High: UInt64(words[0]) << 32 | UInt64(words[1]),
                low: UInt64(words[2]) << 32 | UInt64(words[3])
            )
        default: self = .unknown
        }
    }
}
