package import Primitives

/// The secrets of a request that name one session, as far as limits recognise them: no use to a reader, and no two alike.
package struct ShownTokens: Sendable {
    package let webviewSession: WebviewSessionID
    /// Of the hash of the token that is looked up.
    let token: UInt64
    /// Of the app proof in this session, or of another token of it; like `token` where there is neither.
    let other: UInt64

    /// The tokens of a request, by their hashes.
    ///
    /// - Parameters:
    ///   - proof: Token P: it is shown with several sessions, and vouches for one where both were seen together.
    ///   - other: Another token of the session; counts where there is no proof.
    package init(_ webviewSession: WebviewSessionID, _ token: Digest32, proof: Digest32? = nil, other: Digest32? = nil)
    {
        self.webviewSession = webviewSession
        self.token = token.prefix
        self.other = proof.map { $0.prefix ^ webviewSession.low } ?? other?.prefix ?? token.prefix
    }
}

/// Tokens that this process has issued or found lately; direct-mapped, so each step is one memory access and the size is fixed.
///
/// It says nothing about a token but that a look at the store is worth while, so a token that died since does no harm, and
/// neither does one that lost its slot to a newer one.
struct LiveTokenCache: Sendable {
    private var slots: [UInt64]

    /// An empty cache.
    ///
    /// - Parameter capacity: How many tokens at most; a power of two.
    init(capacity: Int) {
        slots = [UInt64](repeating: 0, count: capacity)
    }

    func contains(_ shown: ShownTokens) -> Bool {
        slots[slot(shown.token)] == shown.token || slots[slot(shown.other)] == shown.other
    }

    mutating func insert(_ shown: ShownTokens) {
        slots[slot(shown.token)] = shown.token
        slots[slot(shown.other)] = shown.other
    }

    /// Forgets what was shown in vain: a live proof does not vouch for guesses beside it.
    mutating func remove(_ shown: ShownTokens) {
        if slots[slot(shown.token)] == shown.token { slots[slot(shown.token)] = 0 }
        if slots[slot(shown.other)] == shown.other { slots[slot(shown.other)] = 0 }
    }

    private func slot(_ mark: UInt64) -> Int { Int(mark & UInt64(slots.count - 1)) }
}
