/// Where a request comes from, as far as it may be remembered.
///
/// A request over HTTP makes one of these, so its texts are written only where they are stored: neither takes an allocation.
package struct Caller: Sendable {
    private enum Origin: Sendable {
        case client(network: InlineArray<24, UInt8>, networkCount: UInt8, agent: UInt32, serialNumber: UInt64)
        case named(peer: String, request: String)
    }

    /// What limits count by.
    package let keys: ClientKeys
    /// Whether an API key vouches for it: then what it shows in vain is not counted against the address.
    package var showsKey = false
    private let origin: Origin

    /// A caller over HTTP.
    ///
    /// - Parameters:
    ///   - agent: SHA-256 of the user agent as sent, or of nothing; only the first digits are kept.
    ///   - serialNumber: Of the request, unique; by its sixteen hexadecimal digits a repeated statement is also distinguished
    ///     from a new one.
    ///   - network: Writes the network, truncated, `/24` of IPv4 or `/48` of IPv6; at most 24 characters.
    package init(
        keys: ClientKeys,
        agent: Digest32,
        serialNumber: UInt64,
        network: (inout OutputSpan<UInt8>) -> Void
    ) {
        var count = 0
        let characters = InlineArray<24, UInt8>(initializingWith: { room in
            network(&room)
            count = room.count
            while !room.isFull { room.append(0) }
        })
        self.keys = keys
        origin = .client(
            network: characters,
            networkCount: UInt8(truncatingIfNeeded: count),
            agent: agent.fingerprint,
            serialNumber: serialNumber
        )
    }

    /// A caller inside the program: a sweep, a recovery, an operator.
    ///
    /// - Parameters:
    ///   - request: Unique, made by this program, at most 64 characters of ASCII.
    package init(internal word: String, request: String) {
        keys = ClientKeys(address: 0, network: 0)
        origin = .named(peer: word, request: request)
    }

    /// For the audit trail: the truncated network, a space, and the first eight digits of the user agent's hash.
    package var peer: String { String(ascii: peerCount) { room in appendPeer(to: &room) } }

    /// The id of the request, made by this program; unique, at most 64 characters.
    package var request: String { String(ascii: requestCount) { room in appendRequest(to: &room) } }

    /// The number of characters of `peer`.
    package var peerCount: Int {
        switch origin {
        case .client(_, let count, _, _): Int(count) + 9
        case .named(let peer, _): peer.utf8.count
        }
    }

    /// The number of characters of `request`.
    package var requestCount: Int {
        switch origin {
        case .client: 16
        case .named(_, let request): request.utf8.count
        }
    }

    /// Appends the characters of `peer`.
    ///
    /// - Parameter output: Grows by `peerCount` characters; has room for them.
    package func appendPeer(to output: inout OutputSpan<UInt8>) {
        switch origin {
        case .client(let network, let count, let agent, _):
            output.append(copying: network.span.extracting(first: Int(count)))
            output.append(UInt8(ascii: " "))
            Hex.append(UInt64(agent), digits: 8, to: &output)
        case .named(let peer, _):
            output.append(copying: peer.utf8Span.span)
        }
    }

    /// Appends the characters of `request`.
    ///
    /// - Parameter output: Grows by `requestCount` characters; has room for them.
    package func appendRequest(to output: inout OutputSpan<UInt8>) {
        switch origin {
        case .client(_, _, _, let serialNumber): Hex.append(serialNumber, digits: 16, to: &output)
        case .named(_, let request): output.append(copying: request.utf8Span.span)
        }
    }
}
