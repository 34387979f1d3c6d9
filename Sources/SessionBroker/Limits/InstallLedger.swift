import Primitives

/// Remembers the last flows of each install, to limit how many of them are live.
///
/// It does not know which of them are: when an install is at its limit the store is asked about exactly those flows, and what is
/// over leaves the ledger. So the usual issue costs a look into memory, and only the eleventh a query.
struct InstallLedger: Sendable {
    private var flows: GenerationCache<Digest32, [FlowID]>
    private let limit: Int

    /// An empty ledger.
    ///
    /// - Parameters:
    ///   - limit: How many flows of one install may be live.
    ///   - capacity: How many installs are held in a generation.
    ///   - life: How long a flow may live, in microseconds.
    init(limit: Int, capacity: Int, life: Int64) {
        self.limit = max(1, limit)
        flows = GenerationCache(capacity: capacity, life: life)
    }

    /// The flows to ask the store about before this install gets another one; empty when it may have it now.
    mutating func suspects(of install: Digest32, at now: Int64) -> [FlowID] {
        guard let known = flows.value(for: install, at: now), known.count >= limit else { return [] }
        return known
    }

    /// Drops the flows of an install that are over, by what the store said.
    mutating func keep(_ live: [FlowID], of install: Digest32, at now: Int64) {
        let known = flows.value(for: install, at: now) ?? []
        flows.set(known.filter { live.contains($0) }, for: install, at: now)
    }

    /// Whether there is room for one more; if so the flow is written down.
    mutating func admit(_ flow: FlowID, of install: Digest32, at now: Int64) -> Bool {
        var known = flows.value(for: install, at: now) ?? []
        guard known.count < limit else { return false }
        known.append(flow)
        flows.set(known, for: install, at: now)
        return true
    }
}
