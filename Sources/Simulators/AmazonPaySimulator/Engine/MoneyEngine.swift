import Primitives
import SimulatorCore

/// The objects of the simulated service and their rules: a value without clock, chance or network of its own.
///
/// ````
/// session:    Open ─(processing: hold)─ Open ─(complete, finalize)─► Completed      Open ─(buyer, decline, 24 h)─► Canceled
/// charge:     AuthorizationInitiated ─► Authorized ─► CaptureInitiated ─► Captured
///                    └─► Declined, Canceled ◄─┘  └─────(≤ 7 days)─────────►┘
/// permission: Chargeable ◄─► NonChargeable (a charge in progress, a payment method) ─► Closed
/// refund:     RefundInitiated ─► Refunded, Declined
/// ````
///
/// A caller of any function first calls `advance(to:)` with the present of the simulation, which is also the time at which
/// the function takes effect.
struct MoneyEngine: Sendable, Codable {
    var mint: IdentifierMint
    private(set) var now: WallTime
    private(set) var agenda = Agenda()
    /// What has changed since somebody looked.
    var changes = ChangeLog()
    private var order: FIFOEviction
    var sessions: [String: SimulatedSession] = [:]
    var permissions: [String: SimulatedPermission] = [:]
    var charges: [String: SimulatedCharge] = [:]
    var refunds: [String: SimulatedRefund] = [:]
    /// By token.
    var signIns: [String: SignIn] = [:]
    var signInOrder: FIFOEviction
    /// How many times complete or finalize took effect, by checkout session; one at most where all is well.
    private(set) var effectiveCompletes: [String: Int] = [:]
    /// How long a pending authorisation takes.
    var bankDelay = EngineRules.bankDelay
    private let capacity: Int
    /// Sessions that were evicted since the agenda was looked through.
    private var evicted = 0
    /// What came of a session; known longer than the session itself.
    private var permissionIDs: [String: String] = [:]

    init(mint: IdentifierMint, now: WallTime, capacity: Int) {
        self.mint = mint
        self.now = now
        self.capacity = max(1, capacity)
        order = FIFOEviction(capacity: self.capacity)
        signInOrder = FIFOEviction(capacity: self.capacity)
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
    mutating func insert(_ session: SimulatedSession) {
        if let oldest = order.add(session.id) { evict(oldest) }
        sessions[session.id] = session
        plan(.sessionExpires(session.id), after: EngineRules.sessionLife)
        plan(.sessionIsForgotten(session.id), after: EngineRules.sessionRetention)
    }

    /// Forgets a session with everything that came of it.
    private mutating func evict(_ id: String) {
        if let permissionID = permissionIDs.removeValue(forKey: id) {
            for chargeID in permissions[permissionID]?.chargeIDs ?? [] {
                for refundID in charges[chargeID]?.refundIDs ?? [] { refunds[refundID] = nil }
                charges[chargeID] = nil
            }
            permissions[permissionID] = nil
        }
        effectiveCompletes[id] = nil
        sessions[id] = nil
        evicted += 1
        if evicted >= capacity { forgetEvents() }
    }

    /// Drops what is planned for objects that are gone; once for as many evictions as there is room, so each costs next to
    /// nothing.
    private mutating func forgetEvents() {
        evicted = 0
        var agenda = agenda
        agenda.keep { event in
            switch event {
            case .sessionExpires(let id), .sessionIsForgotten(let id): sessions[id] != nil || permissionIDs[id] != nil
            case .authorizationIsDecided(let id, _), .authorizationExpires(let id), .captureSettles(let id):
                charges[id] != nil
            case .permissionExpires(let id): permissions[id] != nil
            case .refundSettles(let id): refunds[id] != nil
            case .signInIsForgotten(let id): signIns[id] != nil
            }
        }
        self.agenda = agenda
    }

    mutating func noteEffectiveComplete(of sessionID: String, permissionID: String) {
        effectiveCompletes[sessionID, default: 0] += 1
        permissionIDs[sessionID] = permissionID
    }

    // MARK: The only ways into another state

    mutating func enter(charge id: String, _ state: SimulatedCharge.State) {
        charges[id]?.enter(state, at: now)
        noteChange(ofCharge: id)
    }

    mutating func enter(permission id: String, _ state: SimulatedPermission.State) {
        guard permissions[id]?.state != state else { return }
        permissions[id]?.enter(state, at: now)
        noteChange(ofPermission: id)
    }

    mutating func enter(refund id: String, _ state: SimulatedRefund.State) {
        refunds[id]?.enter(state, at: now)
        noteChange(ofRefund: id)
    }

    mutating func noteChange(ofPermission id: String) {
        guard let merchantID = permissions[id]?.merchantID else { return }
        changes.add(StateChange(kind: .chargePermission, objectID: id, permissionID: id, merchantID: merchantID))
    }

    mutating func noteChange(ofCharge id: String) {
        guard let charge = charges[id] else { return }
        changes.add(
            StateChange(kind: .charge, objectID: id, permissionID: charge.permissionID, merchantID: charge.merchantID)
        )
    }

    mutating func noteChange(ofRefund id: String) {
        guard let refund = refunds[id] else { return }
        changes.add(
            StateChange(kind: .refund, objectID: id, permissionID: refund.permissionID, merchantID: refund.merchantID)
        )
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
            guard permissions[id]?.isClosed == false else { return }
            // Charges that are authorised live on to their own end.
            enter(permission: id, .closed(.expired))
        case .refundSettles(let id):
            settle(refund: id, as: .refunded)
        case .signInIsForgotten(let token):
            signIns[token] = nil
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
