import Primitives

/// The objects of the simulated service and their rules: a value without clock, chance or network of its own.
///
/// ```
/// session:    Open ─(processing: hold)─ Open ─(complete)─► Completed      Open ─(buyer, decline, 24 h)─► Canceled
/// charge:     AuthorizationInitiated ─► Authorized ─► CaptureInitiated ─► Captured
///                    └─► Declined, Canceled ◄─┘  └─────(≤ 7 days)─────────►┘
/// permission: Chargeable ◄─► NonChargeable (ChargeInProgress) ─► Closed
/// refund:     RefundInitiated ─► Refunded
/// ```
///
/// Whoever calls a function first calls `advance(to:)` with the present of the simulation, which is also the time at which
/// the function takes effect.
struct MoneyEngine: Sendable {
    var mint: IdentifierMint
    private(set) var now: WallTime
    private(set) var agenda = Agenda()
    private var order: ArrivalOrder
    var sessions: [String: CheckoutSession] = [:]
    var permissions: [String: ChargePermission] = [:]
    var charges: [String: Charge] = [:]
    var refunds: [String: Refund] = [:]
    /// How many times complete took effect, by checkout session; one at most where all is well.
    private(set) var effectiveCompletes: [String: Int] = [:]

    init(mint: IdentifierMint, now: WallTime, capacity: Int) {
        self.mint = mint
        self.now = now
        order = ArrivalOrder(capacity: max(1, capacity))
    }

    /// Whether nothing would contradict a clock that goes back.
    var isUntouched: Bool { sessions.isEmpty && agenda.isEmpty }

    /// Moves to the present, letting everything happen on the way that was due, each at its own time.
    mutating func advance(to time: WallTime) {
        while let due = agenda.takeDue(at: time) {
            now = due.time
            happen(due.event)
        }
        now = time
    }

    mutating func plan(_ event: Agenda.Event, after delay: Duration) {
        agenda.add(event, at: now + delay)
    }

    /// Takes a new session in; the oldest one is forgotten where there are too many.
    mutating func insert(_ session: CheckoutSession) {
        if let oldest = order.add(session.id) { evict(oldest) }
        sessions[session.id] = session
        plan(.sessionExpires(session.id), after: EngineRules.sessionLife)
        plan(.sessionIsForgotten(session.id), after: EngineRules.sessionRetention)
    }

    /// Forgets a session with everything that came of it.
    private mutating func evict(_ id: String) {
        for chargeID in sessions[id]?.permissionID.flatMap({ permissions[$0]?.chargeIDs }) ?? [] {
            charges[chargeID] = nil
        }
        if let permissionID = sessions[id]?.permissionID { permissions[permissionID] = nil }
        effectiveCompletes[id] = nil
        sessions[id] = nil
    }

    mutating func noteEffectiveComplete(of sessionID: String) {
        effectiveCompletes[sessionID, default: 0] += 1
    }

    /// The ids of the latest sessions, newest first.
    func latestSessions(_ count: Int) -> [String] {
        order.latest(count).filter { sessions[$0] != nil }
    }

    private mutating func happen(_ event: Agenda.Event) {
        switch event {
        case .sessionExpires(let id):
            guard sessions[id]?.isOpen == true else { return }
            sessions[id]?.enter(.canceled(.expired), at: now)
        case .sessionIsForgotten(let id):
            sessions[id] = nil
        case .authorizationIsDecided(let id, let declines):
            guard charges[id]?.state == .authorizationInitiated else { return }
            move(charge: id, to: declines ? .declined(.hardDeclined) : .authorized)
        case .authorizationExpires(let id):
            guard charges[id]?.state == .authorized else { return }
            move(charge: id, to: .canceled(.expiredUnused))
        case .captureSettles(let id):
            guard charges[id]?.state == .captureInitiated else { return }
            move(charge: id, to: .captured)
        case .permissionExpires(let id):
            guard let permission = permissions[id], !permission.isClosed else { return }
            permissions[id]?.enter(.closed(.expired), at: now)
        case .refundSettles(let id):
            refunds[id]?.enter(.refunded, at: now)
        }
    }
}

/// Who may see an object.
struct Caller: Sendable {
    let merchant: Merchant
    let environment: ReleaseEnvironment

    func owns(_ merchantID: String, _ environment: ReleaseEnvironment) -> Bool {
        merchant.id == merchantID && self.environment == environment
    }
}

/// Ids in the order they came, with a limit.
struct ArrivalOrder: Sendable {
    private var ids: [String] = []
    private var next = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Notes an id.
    ///
    /// - Returns: The oldest one where it has to make room.
    mutating func add(_ id: String) -> String? {
        guard ids.count >= capacity else {
            ids.append(id)
            return nil
        }
        let oldest = ids[next]
        ids[next] = id
        next = (next + 1) % capacity
        return oldest
    }

    /// The latest ids, newest first.
    func latest(_ count: Int) -> [String] {
        (ids[..<next].reversed() + ids[next...].reversed()).prefix(count).map { $0 }
    }
}
