package import SimulatorCore

/// A request on its way, put aside for a while.
package struct AmazonPayPause: Sendable {
    enum Stage: Sendable {
        /// Before the service has seen it.
        case entrance
        /// Inside, with everything checked and nothing done yet.
        case effect(APICall)
    }

    let request: SimulatorRequest
    let fault: Fault?
    let stage: Stage

    /// What becomes of it when its client goes: what the service has begun it finishes.
    var abandonment: Fault.Abandonment {
        let wanted = fault?.abandonment ?? .later
        guard case .effect = stage, wanted == .never else { return wanted }
        return .later
    }
}

/// What happens next with a request to Amazon Pay.
package typealias AmazonPayStep = SimulatorStep<AmazonPayPause>
