import CheckoutCodes
import Commerce
import HTTPCore
import Primitives
import SessionBroker
import Web

/// `POST /calc_postage`: as the sample shop has it, answered from the address of the checkout session.
enum PostageHandler {
    private static let names = ["secureWebviewSessionId", "orderReferenceId", "accessToken"]

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let form = try exchange.form(names)
        guard let token = try exchange.tabToken() else { throw Failure(.unknownSession) }
        let ticket = try exchange.returnTicket(form)
        let reference = try form.required("orderReferenceId")
        let caller = exchange.caller
        let verdict = try await exchange.services.mapErrors { (broker) async throws(StoreError) in
            try await broker.quote(token, ticket: ticket, orderReference: reference, by: caller)
        }
        switch verdict {
        case .quoted(let postage, let total):
            let body = "{\"postage\":\"\(postage.grouped)\",\"totalPrice\":\"\(total.grouped)\"}"
            return exchange.json(Array(body.utf8), flow: token.flow)
        case .notPriced: throw Failure(.notPriced, session: token.flow)
        case .flowMismatch: throw Failure(.flowMismatch, session: token.flow)
        case .orderMismatch: throw Failure(.orderMismatch, session: token.flow)
        case .refused(.unknown): throw Failure(.unknownSession)
        case .refused(.expired): throw Failure(.expiredSession, session: token.flow)
        case .refused(.readOnly): throw Failure(.purchaseInProgress, session: token.flow)
        case .refused(.superseded), .refused(.closed), .refused(.bought):
            throw Failure(.sessionRevoked, session: token.flow)
        }
    }
}
