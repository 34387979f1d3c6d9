package import Primitives

/// Where a request comes from, as far as it may be remembered.
package struct Caller: Sendable {
    /// For the audit trail: the truncated network, a space, and the first eight digits of the user agent's hash.
    package let peer: String
    /// What limits count by: the IPv4 address or the first 64 bits of the IPv6 one.
    package let bucketKey: UInt64
    /// The id of the request, made by this program; unique, at most 64 characters.
    package let request: String

    /// A caller over HTTP.
    ///
    /// - Parameters:
    ///   - network: Truncated, `/24` of IPv4 or `/48` of IPv6.
    ///   - bucketKey: What limits count by.
    ///   - agent: SHA-256 of the user agent as sent, or of nothing; only the first digits are kept.
    ///   - request: The id of the request, made by this program; it also tells a repeated statement from a new one.
    package init(network: String, bucketKey: UInt64, agent: Digest32, request: String) {
        peer = String(ascii: network.utf8.count + 9) { room in
            room.append(copying: network.utf8Span.span)
            room.append(UInt8(ascii: " "))
            agent.appendFingerprint(to: &room)
        }
        self.bucketKey = bucketKey
        self.request = request
    }

    /// A caller inside the program: a sweep, a recovery, an operator.
    ///
    /// - Parameters:
    ///   - word: One word, for the audit trail.
    ///   - request: Unique, made by this program.
    package init(internal word: String, request: String) {
        peer = word
        bucketKey = 0
        self.request = request
    }
}
