import Primitives
import SimulatorCore

/// What an idempotency key belongs to.
struct IdempotencyIdentity: Hashable, Sendable, Codable {
    let merchantID: String
    /// `nil` where a key counts for all operations together.
    let operation: APIOperation?
    let key: String
}

/// The first answer to each idempotency key, kept for every later request with it.
struct IdempotencyTable: Sendable, Codable {
    /// Keys that are remembered; the oldest goes first, while the service keeps them for ever.
    static let capacity = 50_000

    enum Match: Sendable {
        case fresh
        /// The first request with the key is still under way until about then.
        case busy(until: WallTime)
        /// The key came with another request before.
        case conflict
        case replay(SimulatorAnswer, requestID: String)
    }

    private enum State: Codable {
        case running(until: WallTime)
        case done(SimulatorAnswer, requestID: String)
    }

    private struct Entry: Codable {
        let fingerprint: Digest32
        var state: State
    }

    private var entries: [IdempotencyIdentity: Entry] = [:]
    private var order: [IdempotencyIdentity] = []
    private var oldest = 0

    func match(_ identity: IdempotencyIdentity, _ fingerprint: Digest32) -> Match {
        guard let entry = entries[identity] else { return .fresh }
        guard entry.fingerprint == fingerprint else { return .conflict }
        switch entry.state {
        case .running(let until): return .busy(until: until)
        case .done(let answer, let requestID): return .replay(answer, requestID: requestID)
        }
    }

    /// Opens an entry for a request that begins and will be through at a time.
    mutating func begin(_ identity: IdempotencyIdentity, _ fingerprint: Digest32, until: WallTime) {
        if order.count < IdempotencyTable.capacity {
            order.append(identity)
        } else {
            entries[order[oldest]] = nil
            order[oldest] = identity
            oldest = (oldest + 1) % IdempotencyTable.capacity
        }
        entries[identity] = Entry(fingerprint: fingerprint, state: .running(until: until))
    }

    /// The table as it is when every request under way is forgotten.
    var withoutRunning: IdempotencyTable {
        var table = self
        table.entries = entries.filter { entry in
            if case .running = entry.value.state { false } else { true }
        }
        return table
    }

    mutating func finish(_ identity: IdempotencyIdentity, _ answer: SimulatorAnswer, requestID: String) {
        entries[identity]?.state = .done(answer, requestID: requestID)
    }
}
