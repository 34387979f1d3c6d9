import MerchantAPI
import Primitives
import ServiceAPI
import StrictJSON
import Web

/// The description of routes about orders and payments.
func description(_ routes: [RouteDescription], events: [String] = [], version: String = "1") -> JSONValue {
    let rules = ServiceRules.ofMerchants(claims: UUIDBytes(high: 0, low: 1), events: events)
    return OpenAPIDocument([DescribedRoutes(routes, rules)]).json(server: "https://pay.example.com", version: version)
}

extension RouteDescription {
    /// Routes that together refuse with every code.
    static let refusing: [RouteDescription] = [
        .createSession, .readBuyer, .listSessions, .completeSession, .cancelSession, .createCharge, .refundCharge,
        .closeSession,
    ]
}
