import Primitives
import Synchronization

/// The limits of a process, shared by its loops.
///
/// They count in memory, split into parts with a lock each, so that loops hardly meet. Several processes count apart: behind
/// a balancer the limits hold per process.
package final class FlowLimits: Sendable {
    private struct Counters: Sendable {
        var issues: RateLimiter?
        var unknown: RateLimiter?
        var installs: InstallLedger?
    }

    private final class Part: Sendable {
        let counters: Lock<Counters>

        init(_ counters: Counters) {
            self.counters = Lock(counters)
        }
    }

    private let parts: [Part]
    private let flowsTotal: Int?
    private let seed = UInt64.random(in: 0 ... .max) | 1
    private let liveFlows = Atomic<Int>(0)

    private static let partCount = 16
    private static let addressesPerPart = 4_096
    private static let installsPerPart = 2_048

    /// Limits by a policy, with nothing counted yet.
    ///
    /// - Parameter policy: Whose limits; the times tell how long a flow may live.
    package init(policy: BrokerPolicy) {
        let limits = policy.limits
        let capacity = FlowLimits.addressesPerPart
        let life = policy.times.absolute.microseconds
        let counters = Counters(
            issues: limits.issuesPerMinute.map { RateLimiter(perMinute: $0, capacity: capacity) },
            unknown: limits.unknownPerMinute.map { RateLimiter(perMinute: $0, capacity: capacity) },
            installs: limits.flowsPerInstall.map {
                InstallLedger(limit: $0, capacity: FlowLimits.installsPerPart, life: life)
            }
        )
        parts = (0..<FlowLimits.partCount).map { _ in Part(counters) }
        flowsTotal = limits.flowsTotal
    }

    /// The greatest number of live flows, if there is one.
    package var greatestTotal: Int? { flowsTotal }

    /// Whether there may be so many live flows that it matters how many exactly.
    var isNearTotal: Bool {
        guard let most = flowsTotal else { return false }
        return liveFlows.load(ordering: .relaxed) >= most / 10 * 8
    }

    /// Takes note of how many live flows the store counts.
    ///
    /// - Parameter count: Issues since then are added until the next count.
    package func setLiveFlows(_ count: Int) {
        liveFlows.store(count, ordering: .relaxed)
    }

    /// Counts an issue of an address; the seconds to wait, or `nil` when it may go on.
    func countIssue(_ key: UInt64, at now: WallTime) -> Int? {
        part(key).counters.withLock { counters in
            guard let wait = counters.issues?.wait(key, at: now.microseconds) else {
                counters.issues?.count(key, at: now.microseconds)
                return nil
            }
            return wait
        }
    }

    /// The seconds an address has to wait after too many unknown tokens, or `nil`.
    func unknownWait(_ key: UInt64, at now: WallTime) -> Int? {
        part(key).counters.withLock { $0.unknown?.wait(key, at: now.microseconds) }
    }

    /// Counts an unknown token or a missing proof of an address.
    func countUnknown(_ key: UInt64, at now: WallTime) {
        part(key).counters.withLock { $0.unknown?.count(key, at: now.microseconds) }
    }

    /// The flows to ask the store about before `admit`.
    func suspects(of install: Digest32, at now: WallTime) -> [FlowID] {
        part(install).counters.withLock { $0.installs?.suspects(of: install, at: now.microseconds) ?? [] }
    }

    /// Forgets the flows of an install that are over.
    func keep(_ live: [FlowID], of install: Digest32, at now: WallTime) {
        part(install).counters.withLock { $0.installs?.keep(live, of: install, at: now.microseconds) }
    }

    /// Whether an install, and all together, may have one more flow; if so it is counted.
    func admit(_ flow: FlowID, of install: Digest32?, at now: WallTime) -> Bool {
        if let most = flowsTotal, liveFlows.load(ordering: .relaxed) >= most { return false }
        if let install {
            let isAdmitted = part(install).counters.withLock { counters in
                counters.installs?.admit(flow, of: install, at: now.microseconds) ?? true
            }
            guard isAdmitted else { return false }
        }
        liveFlows.wrappingAdd(1, ordering: .relaxed)
        return true
    }

    private func part(_ install: Digest32) -> Part { part(UInt64(install.fingerprint)) }

    /// One of sixteen by the top bits of a product with a secret odd number: nobody can choose addresses that share a part.
    private func part(_ key: UInt64) -> Part {
        parts[Int(((key ^ (key >> 32)) &* seed) >> 60)]
    }
}
