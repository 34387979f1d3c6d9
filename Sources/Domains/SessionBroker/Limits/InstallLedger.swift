import Primitives

/// Remembers the last webview sessions of each install, to limit how many of them are live.
///
/// It does not know which of them are: when an install is at its limit the store is asked about exactly those webview sessions,
/// and what is over leaves the ledger. So the usual issue costs a look into memory, and only the eleventh a query.
struct InstallLedger: Sendable {
    private var webviewSessions: GenerationCache<Digest32, [WebviewSessionID]>
    private let limit: Int

    /// An empty ledger.
    ///
    /// - Parameters:
    ///   - limit: How many webview sessions of one install may be live.
    ///   - capacity: How many installs are held in a generation.
    ///   - life: How long a webview session may live, in microseconds.
    init(limit: Int, capacity: Int, life: Int64) {
        self.limit = max(1, limit)
        webviewSessions = GenerationCache(capacity: capacity, life: life)
    }

    /// The webview sessions to ask the store about before this install gets another one; empty when it may have it now.
    mutating func suspects(of install: Digest32, at now: Int64) -> [WebviewSessionID] {
        guard let known = webviewSessions.value(for: install, at: now), known.count >= limit else { return [] }
        return known
    }

    /// Drops the webview sessions of an install that are over, by what the store said.
    mutating func keep(_ live: [WebviewSessionID], of install: Digest32, at now: Int64) {
        let known = webviewSessions.value(for: install, at: now) ?? []
        webviewSessions.set(known.filter { live.contains($0) }, for: install, at: now)
    }

    /// Whether there is room for one more; if so the webview session is written down.
    mutating func admit(_ webviewSession: WebviewSessionID, of install: Digest32, at now: Int64) -> Bool {
        var known = webviewSessions.value(for: install, at: now) ?? []
        guard known.count < limit else { return false }
        known.append(webviewSession)
        webviewSessions.set(known, for: install, at: now)
        return true
    }
}
