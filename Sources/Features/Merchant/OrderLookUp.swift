import AmazonPay
import MerchantAPI
import ServiceAPI
import SessionBroker
import Web

/// What somebody has of an order besides the session's id and the merchant's reference.
enum OrderLookUp: Sendable, Hashable {
    /// The number that the buyer sees.
    case number(OrderNumber)
    /// The provider's id of a charge permission, a charge or a refund.
    case object(String)
    /// The provider's id of the checkout session with which the order was placed.
    case checkoutSession(String)

    /// What a parameter of the list of sessions asks for.
    ///
    /// - Throws: `invalid_request` for a text that cannot be such an id.
    init(_ name: RouteDescription.LookUpParameter, _ text: String) throws(Failure) {
        let found: OrderLookUp? =
            switch name {
            case .number: OrderNumber(typed: text).map { .number($0) }
            case .checkoutSessionId: CheckoutSessionID(text).map { .checkoutSession($0.text) }
            case .chargePermissionId: ChargePermissionID(text).map { .object($0.text) }
            case .chargeId: ChargeID(text).map { .object($0.text) }
            case .refundId: RefundID(text).map { .object($0.text) }
            }
        guard let found else {
            throw Failure(.invalidRequest, message: "\(name.form).", field: name.rawValue)
        }
        self = found
    }
}
