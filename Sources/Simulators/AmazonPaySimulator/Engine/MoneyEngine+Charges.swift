import Primitives
import SimulatorCore

/// The simulation codes of create charge.
enum ChargeSimulation: String, Sendable {
    case softDeclined = "SoftDeclined"
    case hardDeclined = "HardDeclined"
    case amazonRejected = "AmazonRejected"
    case transactionTimedOut = "TransactionTimedOut"
    case captureInitiated = "CaptureInitiated"
    case authorizationInitiated = "AuthorizationInitiated"

    /// The state and the answer of a charge that is refused at once.
    var refusal: (state: SimulatedCharge.Reason, answer: APIReason)? {
        switch self {
        case .softDeclined: (.softDeclined, .softDeclined)
        case .hardDeclined: (.hardDeclined, .hardDeclined)
        case .amazonRejected: (.amazonRejected, .amazonRejected)
        case .transactionTimedOut: (.transactionTimedOut, .transactionTimedOut)
        case .captureInitiated, .authorizationInitiated: nil
        }
    }
}

extension MoneyEngine {
    func charge(_ id: String, for caller: Caller) throws(APIError) -> SimulatedCharge {
        guard let charge = charges[id], caller.owns(charge.merchantID, charge.environment) else {
            throw .notFound("charges/\(id)")
        }
        return charge
    }

    /// Charges a permission once more.
    mutating func createCharge(
        _ order: ChargeOrder,
        under permissionID: String,
        for caller: Caller,
        _ simulation: ChargeSimulation?
    ) throws(APIError) -> SimulatedCharge {
        let permission = try permission(permissionID, for: caller)
        try checkChargeable(permission, order, caller.merchant)
        if let refusal = simulation?.refusal {
            _ = insertCharge(order, under: permission, .declined(refusal.state))
            refresh(permission: permissionID)
            throw APIError(refusal.answer, "The charge was declined.")
        }
        let isPending = simulation == .authorizationInitiated && order.canHandlePendingAuthorization
        let id = open(order, under: permission, isPending ? .pending(declines: false) : .authorised)
        if simulation == .captureInitiated, order.capturesNow { delayCapture(of: id) }
        refresh(permission: permissionID)
        return try charge(id, for: caller)
    }

    /// Takes the authorised money, or a part of it; the rest is released.
    mutating func capture(
        _ id: String,
        for caller: Caller,
        amount: Price,
        softDescriptor: String?
    ) throws(APIError) -> SimulatedCharge {
        let charge = try charge(id, for: caller)
        guard charge.state == .authorized else { throw wrongState(charge) }
        try checkCurrency(amount, caller.merchant)
        guard amount.units <= charge.amount.units else {
            throw APIError(.transactionAmountExceeded, "captureAmount exceeds the authorized amount.")
        }
        charges[id]?.captureAmount = amount
        if let softDescriptor { charges[id]?.order.softDescriptor = softDescriptor }
        let isPrompt = now <= charge.createdAt + EngineRules.promptCapture
        move(charge: id, to: isPrompt ? .captured : .captureInitiated)
        if !isPrompt { plan(.captureSettles(chargeID: id), after: EngineRules.lateCapture) }
        return try self.charge(id, for: caller)
    }

    mutating func cancelCharge(_ id: String, for caller: Caller) throws(APIError) -> SimulatedCharge {
        let charge = try charge(id, for: caller)
        guard charge.state == .authorized || charge.state == .authorizationInitiated else { throw wrongState(charge) }
        move(charge: id, to: .canceled(.merchantCanceled))
        return try self.charge(id, for: caller)
    }

    /// Creates a charge in the state that the bank's answer and the order give it.
    mutating func open(
        _ order: ChargeOrder,
        under permission: SimulatedPermission,
        _ answer: SimulatedSession.Hold.Answer
    ) -> String {
        switch answer {
        case .authorised:
            let id = insertCharge(order, under: permission, order.capturesNow ? .captured : .authorized)
            if order.capturesNow { charges[id]?.captureAmount = order.amount }
            plan(.authorizationExpires(chargeID: id), after: EngineRules.authorizationLife)
            return id
        case .pending(let declines):
            let id = insertCharge(order, under: permission, .authorizationInitiated)
            plan(.authorizationIsDecided(chargeID: id, declines: declines), after: bankDelay)
            plan(.authorizationExpires(chargeID: id), after: EngineRules.authorizationLife)
            return id
        }
    }

    /// Puts a charge into another state, and its permission with it.
    mutating func move(charge id: String, to state: SimulatedCharge.State) {
        guard let charge = charges[id] else { return }
        enter(charge: id, state)
        refresh(permission: charge.permissionID)
    }

    private mutating func delayCapture(of id: String) {
        enter(charge: id, .captureInitiated)
        plan(.captureSettles(chargeID: id), after: EngineRules.lateCapture)
    }

    private mutating func insertCharge(
        _ order: ChargeOrder,
        under permission: SimulatedPermission,
        _ state: SimulatedCharge.State
    ) -> String {
        var id = permission.id + "-C" + mint.digits(6)
        while charges[id] != nil { id = permission.id + "-C" + mint.digits(6) }
        charges[id] = SimulatedCharge(id: id, under: permission, order: order, state: state, at: now)
        permissions[permission.id]?.chargeIDs.append(id)
        noteChange(ofCharge: id)
        return id
    }

    private func checkChargeable(
        _ permission: SimulatedPermission,
        _ order: ChargeOrder,
        _ merchant: Merchant
    ) throws(APIError) {
        try checkCurrency(order.amount, merchant)
        try checkCeiling(order.amount)
        if order.capturesNow, order.canHandlePendingAuthorization {
            throw APIError(
                .invalidParameterCombination,
                "captureNow and canHandlePendingAuthorization exclude each other."
            )
        }
        guard permission.state == .chargeable else {
            throw APIError(.invalidChargePermissionStatus, "The Charge Permission is not in state Chargeable.")
        }
        guard permission.chargeIDs.count < EngineRules.chargesPerPermission else {
            throw APIError(.transactionCountExceeded, "The Charge Permission has its maximum number of charges.")
        }
        if let balance = balance(of: permission), !permission.allowsOvercharge, order.amount.units > balance.units {
            throw APIError(.transactionAmountExceeded, "The amount exceeds the balance of the Charge Permission.")
        }
    }

    func wrongState(_ charge: SimulatedCharge) -> APIError {
        APIError(.invalidChargeStatus, "The Charge is in state \(charge.state.name).")
    }
}
