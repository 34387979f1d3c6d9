import MerchantAPI
package import ServiceAPI

/// A request about orders and payments that was let in.
typealias MerchantCall = ServiceCall<MerchantPart>

extension MerchantPart: ServiceRouted {
    /// Every route about orders and payments; there are no others.
    package static let serviceRoutes = sessionRoutes + paymentRoutes + eventRoutes

    private static let sessionRoutes = [
        ServiceRoute<MerchantPart>(.createSession, SessionHandlers.create),
        ServiceRoute(.readSession, SessionHandlers.read),
        ServiceRoute(.readBuyer, BuyerHandler.read), ServiceRoute(.listSessions, SessionHandlers.list),
        ServiceRoute(.completeSession, isCausedByBuyers: true, SessionHandlers.complete),
        ServiceRoute(.finalizeSession, isCausedByBuyers: true, SessionHandlers.finalize),
        ServiceRoute(.cancelSession, SessionHandlers.cancel),
    ]

    private static let paymentRoutes = [
        ServiceRoute<MerchantPart>(.createCharge, PaymentHandlers.createCharge),
        ServiceRoute(.listCharges, PaymentHandlers.listCharges),
        ServiceRoute(.readCharge, PaymentHandlers.readCharge),
        ServiceRoute(.captureCharge, PaymentHandlers.capture),
        ServiceRoute(.cancelCharge, PaymentHandlers.cancelCharge),
        ServiceRoute(.refreshCharge, PaymentHandlers.refreshCharge),
        ServiceRoute(.refundCharge, PaymentHandlers.refund),
        ServiceRoute(.listRefunds, PaymentHandlers.listRefunds),
        ServiceRoute(.readRefund, PaymentHandlers.readRefund),
        ServiceRoute(.refreshRefund, PaymentHandlers.refreshRefund),
        ServiceRoute(.closeSession, PaymentHandlers.close),
    ]

    private static let eventRoutes = [ServiceRoute<MerchantPart>(.listEvents, EventHandlers.list)]
}
