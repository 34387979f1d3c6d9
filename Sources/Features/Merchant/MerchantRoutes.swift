import MerchantAPI
import Web

/// One line of the table of `/v1`: what is known of a route, and who answers it.
struct MerchantRoute: Sendable {
    /// Who answers a request that was let in.
    typealias Handler = @Sendable (MerchantCall) async throws(Failure) -> MerchantAnswer

    let description: RouteDescription
    /// `nil` for the description of the interface, which is an answer from memory.
    let handler: Handler?
    /// Whether buyers cause its requests by coming back: then how often is counted for the session and not for the key.
    let isCausedByBuyers: Bool

    init(_ description: RouteDescription, _ handler: Handler?, isCausedByBuyers: Bool = false) {
        self.description = description
        self.handler = handler
        self.isCausedByBuyers = isCausedByBuyers
    }
}

/// Every route below `/v1`, in the order in which it is looked through.
///
/// The document that describes the interface is made from this table, so there is nothing in the one that the other lacks.
package enum MerchantRouteTable {
    static let all: [MerchantRoute] = sessions + payments + events + documents

    private static let sessions = [
        MerchantRoute(.createSession, SessionHandlers.create), MerchantRoute(.readSession, SessionHandlers.read),
        MerchantRoute(.readBuyer, BuyerHandler.read), MerchantRoute(.listSessions, SessionHandlers.list),
        MerchantRoute(.completeSession, SessionHandlers.complete, isCausedByBuyers: true),
        MerchantRoute(.finalizeSession, SessionHandlers.finalize, isCausedByBuyers: true),
        MerchantRoute(.cancelSession, SessionHandlers.cancel),
    ]

    private static let documents = [MerchantRoute(.openAPI, nil)]
}
