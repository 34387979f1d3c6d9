import CheckoutCodes
import Commerce
import HTTPCore
import MerchantOrders
import Primitives
import ServiceAPI
import SessionBroker
import Web

/// `POST /secureWebviewSession`: prices a cart and issues a launch ticket for it.
enum IssueHandler {
    private static let names = ["client", "hd8", "hd10", "code_challenge", "code_challenge_method"]

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let form = try exchange.request.form(names)
        guard let client = ClientKind(word: try form.required("client").octets), !client.isOpenedByServer else {
            throw Failure(.invalidRequest, "client is none of the three")
        }
        let draft = try draft(form, exchange.deployment.shop)
        let cart = SessionCreation.Cart(
            client: client,
            proof: try exchange.appProof(),
            challenge: try challenge(form)
        )
        let caller = exchange.caller
        if let issueGuard = exchange.services.issueGuard {
            try await issueGuard.admit(AppRequest(exchange.request, .post), of: nil)
        }
        return answer(exchange, try await exchange.services.creation.open(draft, from: cart, by: caller))
    }

    private static func answer(_ exchange: Exchange, _ issued: IssuedWebviewSession) -> HTTPResponse {
        let body = [UInt8](capacity: 100) { room in
            room.append(copying: opening.span)
            issued.ticket.append(to: &room)
            room.append(copying: closing.span)
        }
        var response = exchange.json(body, webviewSession: issued.ticket.webviewSession)
        if let proof = issued.newProof { exchange.deployment.cookies.set(app: proof, on: &response) }
        return response
    }

    private static let opening = Array("{\"secureWebviewSessionId\":\"".utf8)
    private static let closing = Array("\"}".utf8)

    /// Quantities only: a client never names a price.
    private static func draft(_ form: FormFields, _ shop: OwnShop) throws(Failure) -> OrderDraft {
        let order = try shop.catalogue.order { (entry) throws(Failure) in
            guard let quantity = OrderLine.parseQuantity(try form.required(entry.field)) else {
                throw Failure(.quantityInvalid, "\(entry.field) is no number from 0 to 99")
            }
            return quantity
        }
        do {
            return try OrderDraft(order.get(), of: shop)
        } catch {
            throw Failure(.quantityInvalid, "\(error)")
        }
    }

    /// The S256 challenge of RFC 7636; `plain` is refused.
    private static func challenge(_ form: FormFields) throws(Failure) -> CodeChallenge? {
        guard let text = form["code_challenge"] else {
            guard case .none = form["code_challenge_method"] else {
                throw Failure(.invalidRequest, "a method without a challenge")
            }
            return nil
        }
        guard let challenge = CodeChallenge.parse(text, method: form["code_challenge_method"]) else {
            throw Failure(.invalidRequest, "code_challenge is no S256 challenge")
        }
        return challenge
    }
}

extension GuardedRoute {
    /// `POST /secureWebviewSession`.
    static let issue = GuardedRoute("secureWebviewSession")
}
