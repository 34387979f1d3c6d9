import SimulatorCore
import StrictJSON

// States that a tester wishes upon objects: what Amazon, a bank or a buyer would do at some time.
//
// Only what could happen is allowed: an object goes forward along its arrows, and nothing leaves a final state.

extension AmazonPayModel {
    /// `POST {kind}/{id}/state`.
    mutating func forceState(
        of kind: String,
        _ id: String,
        _ body: ControlBody
    ) throws(ControlError) -> JSONValue {
        try body.check([
            .init("state", .text(40), isRequired: true), .init("reasonCode", .text(60)),
            .init("reasonCodes", .list(of: .text(60), limit: 8)), .init("amount", Schemas.price),
        ])
        let wish = RequestedState(body.value)
        switch kind {
        case "sessions": try forceSession(id, wish)
        case "charges": try forceCharge(id, wish)
        case "permissions": try forcePermission(id, wish)
        case "refunds": try forceRefund(id, wish)
        default: throw ControlError(404, "There are no \(kind): there are sessions, charges, permissions, refunds.")
        }
        return try objectJSON(id)
    }

    private mutating func forceSession(_ id: String, _ wish: RequestedState) throws(ControlError) {
        guard let session = engine.sessions[id] else { throw .noObject(id) }
        guard wish.state == "Canceled" else { throw wish.refused(["Canceled"]) }
        let reason = try wish.reason(of: SimulatedSession.CancelReason.allCases)
        guard session.isOpen else { throw .final(session.stateName) }
        engine.cancelSession(id, reason)
    }

    private mutating func forceCharge(_ id: String, _ wish: RequestedState) throws(ControlError) {
        guard let charge = engine.charges[id] else { throw .noObject(id) }
        let state: SimulatedCharge.State =
            switch wish.state {
            case "Authorized": .authorized
            case "CaptureInitiated": .captureInitiated
            case "Captured": .captured
            case "Canceled": .canceled(try wish.reason(of: SimulatedCharge.Reason.allCases.filter { !$0.isDecline }))
            case "Declined": .declined(try wish.reason(of: SimulatedCharge.Reason.allCases.filter(\.isDecline)))
            default: throw wish.refused(["Authorized", "CaptureInitiated", "Captured", "Canceled", "Declined"])
            }
        guard charge.state.rank < state.rank else { throw .final(charge.state.name) }
        if state == .captureInitiated || state == .captured, charge.captureAmount == nil {
            let amount = wish.amount ?? charge.amount
            guard amount.currency == charge.amount.currency, amount.units <= charge.amount.units else {
                throw ControlError("amount is more than was authorized, or of another currency.")
            }
            engine.charges[id]?.captureAmount = amount
        }
        engine.move(charge: id, to: state)
    }

    private mutating func forcePermission(_ id: String, _ wish: RequestedState) throws(ControlError) {
        guard let permission = engine.permissions[id] else { throw .noObject(id) }
        guard !permission.isClosed else { throw .final(permission.state.name) }
        switch wish.state {
        case "Chargeable": engine.permissions[id]?.obstacles = []
        case "NonChargeable":
            engine.permissions[id]?.obstacles = Set(try wish.reasons(of: SimulatedPermission.Obstacle.allCases))
        case "Closed":
            engine.close(permission: id, try wish.reason(of: SimulatedPermission.CloseReason.allCases))
        default: throw wish.refused(["Chargeable", "NonChargeable", "Closed"])
        }
        engine.refresh(permission: id)
    }

    private mutating func forceRefund(_ id: String, _ wish: RequestedState) throws(ControlError) {
        guard let refund = engine.refunds[id] else { throw .noObject(id) }
        let state: SimulatedRefund.State =
            switch wish.state {
            case "Refunded": .refunded
            case "Declined": .declined(try wish.reason(of: SimulatedRefund.Reason.allCases))
            default: throw wish.refused(["Refunded", "Declined"])
            }
        guard refund.state == .initiated else { throw .final(refund.state.name) }
        engine.settle(refund: id, as: state)
    }
}

/// The state that a tester asks for.
private struct RequestedState {
    let state: String
    let codes: [String]
    let amount: Price?

    init(_ body: JSONValue) {
        state = body["state"]?.text ?? ""
        codes = (body["reasonCode"]?.text).map { [$0] } ?? body["reasonCodes"]?.elements.compactMap(\.text) ?? []
        amount = Price(body["amount"])
    }

    /// The one reason, of those that the state can have.
    func reason<Reason: RawRepresentable<String>>(of choices: [Reason]) throws(ControlError) -> Reason {
        let reasons = try reasons(of: choices)
        guard reasons.count == 1 else { throw ControlError("\(state) has one reason.") }
        return reasons[0]
    }

    /// One reason or more, of those that the state can have.
    func reasons<Reason: RawRepresentable<String>>(of choices: [Reason]) throws(ControlError) -> [Reason] {
        let reasons = codes.compactMap { code in choices.first { $0.rawValue == code } }
        guard !reasons.isEmpty, reasons.count == codes.count else {
            throw ControlError("\(state) needs a reasonCode of \(choices.map(\.rawValue)).")
        }
        return reasons
    }

    func refused(_ states: [String]) -> ControlError {
        ControlError("The state \(state) cannot be forced; these can: \(states).")
    }
}

extension SimulatedCharge.State {
    /// How far the charge has come; it never goes back.
    fileprivate var rank: Int {
        switch self {
        case .authorizationInitiated: 0
        case .authorized: 1
        case .captureInitiated: 2
        case .captured, .canceled, .declined: 3
        }
    }
}

extension ControlError {
    fileprivate static func noObject(_ id: String) -> ControlError {
        ControlError(404, "There is no object \(id) of this kind.")
    }

    fileprivate static func final(_ state: String) -> ControlError {
        ControlError(409, "The object is \(state) and does not go back.")
    }
}
