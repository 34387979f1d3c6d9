/// An object has entered a state: what a notification is made of.
///
/// The new state is not in it, because it is not in the notification either: its receiver reads the object.
struct StateChange: Sendable, Hashable, Codable {
    enum Kind: String, Sendable, CaseIterable, Codable {
        case charge = "CHARGE"
        case chargePermission = "CHARGE_PERMISSION"
        case refund = "REFUND"
        /// Comes by the control interface only.
        case chargeback = "CHARGEBACK"
    }

    let kind: Kind
    let objectID: String
    let permissionID: String
    let merchantID: String
}

/// The changes since somebody asked last, each object once.
struct ChangeLog: Sendable, Codable {
    private var changes: [StateChange] = []
    private var known: Set<StateChange> = []

    mutating func add(_ change: StateChange) {
        if known.insert(change).inserted { changes.append(change) }
    }

    /// The changes in their order; the log is empty afterwards.
    mutating func takeAll() -> [StateChange] {
        guard !changes.isEmpty else { return [] }
        defer { self = ChangeLog() }
        return changes
    }
}
