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
        let form = try exchange.request.form(names)
        guard let token = try exchange.tabToken() else { throw Failure(.unknownSession) }
        let ticket = try exchange.returnTicket(form)
        let reference = try form.required("orderReferenceId")
        let outcome = try await Failure.mapErrors {
            try await exchange.broker.quote(token, ticket: ticket, orderReference: reference, by: exchange.caller)
        }
        switch outcome {
        case .quoted(let postage, let total):
            let body = "{\"postage\":\"\(postage.grouped)\",\"totalPrice\":\"\(total.grouped)\"}"
            return exchange.json(Array(body.utf8), webviewSession: token.webviewSession)
        case .notPriced: throw Failure(.notPriced, session: token.webviewSession)
        case .webviewSessionMismatch: throw Failure(.webviewSessionMismatch, session: token.webviewSession)
        case .orderMismatch: throw Failure(.orderMismatch, session: token.webviewSession)
        case .refused(.unknown): throw Failure(.unknownSession)
        case .refused(.expired): throw Failure(.expiredSession, session: token.webviewSession)
        case .refused(.superseded), .refused(.closed): throw Failure(.sessionRevoked, session: token.webviewSession)
        }
    }
}
