import AmazonPay
import Checkout
import CheckoutCodes
import Commerce
import HTTPCore
import MerchantAPI
import MerchantOrders
import ServiceAPI
import StrictJSON
import Web

/// The route below `/v1` that names the buyer of a paid session, also long after the answer that did so has got lost.
///
/// Nothing of it is stored: the provider keeps buyer and address for 30 days, and is asked each time.
enum BuyerHandler {
    /// Answers `GET /v1/sessions/{id}/buyer`.
    @Sendable static func read(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let order = try await SessionHandlers.order(call, try call.id())
        let checkout = call.part.checkout.provider
        if order.permission == nil, let problem = refusal(order) { throw problem }
        try checkout.count(.buyer, of: order.webviewSession, by: call.caller)
        let permission: ChargePermission?
        do throws(AmazonPayError) {
            permission = try await checkout.permission(of: order)
        } catch {
            throw problem(error, order)
        }
        guard let permission else { throw Failure(.purchaseInProgress, session: order.webviewSession) }
        guard permission.buyer != nil || permission.shippingAddress != nil else {
            throw Failure(.buyerUnavailable, session: order.webviewSession)
        }
        let body = JSONValue(
            buyer: permission.buyer ?? Buyer(),
            address: permission.shippingAddress ?? Address()
        )
        return ServiceAnswer(.ok, body, webviewSession: order.webviewSession)
    }

    /// Why nobody is asked: the session is not paid, and no purchase is under way that may turn out to be.
    private static func refusal(_ order: MerchantOrder) -> Failure? {
        switch order.state {
        case .created, .atProvider, .inReview: Failure(.notReady, session: order.webviewSession)
        // The buyer may choose another card until the session ends.
        case .declined where order.times.expires != nil: Failure(.notReady, session: order.webviewSession)
        case .declined, .canceled, .expired, .closed: Failure(.sessionOver, session: order.webviewSession)
        // The outcome may be unknown to us and known to the provider.
        case .paying, .paymentPending, .paid, .captured, .partRefunded, .refunded: nil
        }
    }

    private static func problem(_ error: AmazonPayError, _ order: MerchantOrder) -> Failure {
        guard !error.isAboutNothing else {
            return Failure(.buyerUnavailable, error.debugDescription, session: order.webviewSession)
        }
        return Failure(
            .providerFailed,
            error.debugDescription,
            message: "The payment provider did not return the buyer. Repeat the request.",
            session: order.webviewSession,
            context: error.status == nil ? nil : ProviderProblem(error)
        )
    }
}

extension CheckoutService {
    /// The charge permission of an order, with what the provider still has of its buyer.
    ///
    /// - Parameter order: One that is paid, or may be.
    /// - Returns: `nil` where the provider has none: the checkout session is not completed.
    /// - Throws: As `CheckoutClient`; `refused` with 404 also where the order names neither permission nor session.
    func permission(of order: MerchantOrder) async throws(AmazonPayError) -> ChargePermission? {
        var id = order.permission
        if id == nil {
            guard let session = order.checkoutSession.flatMap({ CheckoutSessionID($0) }) else {
                throw CheckoutService.noSuchObject
            }
            id = try await client.session(session, within: CheckoutService.patience).chargePermissionID
        }
        guard let id else { return nil }
        guard let id = ChargePermissionID(id) else { throw CheckoutService.noSuchObject }
        return try await client.permission(id, within: CheckoutService.patience)
    }
}
