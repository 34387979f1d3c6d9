import AmazonPay

extension Charge {
    /// Whether a buyer's money is held by it or was taken, be it given back or not.
    package var isPaid: Bool {
        switch state {
        case .authorized, .captureInitiated, .captured: true
        case .authorizationInitiated, .canceled, .declined, .unknown: false
        }
    }

    /// Whether a buyer's money is with it, may come to be, or nobody knows.
    package var mayHoldMoney: Bool {
        switch state {
        case .authorizationInitiated, .authorized, .captureInitiated, .unknown: true
        case .captured: captured == nil || captured?.money != refunded?.money
        case .canceled, .declined: false
        }
    }
}
