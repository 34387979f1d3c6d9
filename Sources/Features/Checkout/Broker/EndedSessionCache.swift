import Primitives
import SessionBroker

/// Remembers for a minute which tokens name dead webview sessions, so that hammering on one costs neither a query nor an audit
/// row.
///
/// Dead is final, so the memory cannot be wrong. It is kept by the hash of the token: a wrong secret finds nothing here.
struct EndedSessionCache {
    private struct Key: Hashable {
        let token: Digest32
        let proof: Digest32?
    }

    private struct Entry {
        let state: WebviewSessionState
        let until: Int64
    }

    private var entries: GenerationCache<Key, Entry>
    private let life: Int64

    private static let capacity = 2_048

    init(life: Duration) {
        self.life = life.microseconds
        entries = GenerationCache(capacity: EndedSessionCache.capacity, life: life.microseconds)
    }

    /// The state of a dead webview session, or `nil` when nothing is known.
    mutating func state(of token: Digest32, with proof: Digest32? = nil, at now: MonotonicTime) -> WebviewSessionState?
    {
        let key = Key(token: token, proof: proof)
        let entry = entries.value(for: key, at: now.microseconds)
        guard let entry, now.microseconds < entry.until else { return nil }
        return entry.state
    }

    /// Remembers a dead webview session.
    mutating func insert(
        _ state: WebviewSessionState,
        of token: Digest32,
        with proof: Digest32? = nil,
        at now: MonotonicTime
    ) {
        let entry = Entry(state: state, until: now.microseconds + life)
        entries.set(entry, for: Key(token: token, proof: proof), at: now.microseconds)
    }
}
