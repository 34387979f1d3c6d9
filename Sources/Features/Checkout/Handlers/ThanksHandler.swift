import HTTPCore
import MerchantAPI
import Pages
import Primitives
import SessionBroker
import Web

/// `GET /thanks`: the receipt, for fifteen minutes, to the holder of the return ticket and the other half's proof.
enum ThanksHandler {
    @Sendable static func get(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        let named = try exchange.request.parameter("secureWebviewSessionId")
        // Any page can have a visitor's browser load this as an image: what would count against the visitor is not looked up.
        guard named == nil || !exchange.request.isPrefetch else { return exchange.neutral(.notFound) }
        let held = try exchange.receiptTicket()
        guard let ticket = named.map(ReturnTicket.parse) ?? held else { return exchange.neutral(.notFound) }
        let proof = try exchange.appProof()
        let tab = try exchange.tabToken()
        let outcome = try await Failure.mapErrors {
            try await exchange.broker.receipt(ticket, proof: proof, tab: tab, by: exchange.caller)
        }
        switch outcome {
        case .unknown, .notBought: return exchange.neutral(.notFound, offersReceipt: named != nil)
        case .over: return ended(exchange, .paid, of: ticket, isHeld: named == nil, tab)
        case .dead: return ended(exchange, .over, of: ticket, isHeld: named == nil, tab)
        case .receipt(let view):
            guard named != nil else { return try page(exchange, view) }
            // The sample shop's address holds the ticket: keep it out of the page that the buyer looks at.
            var response = exchange.redirect(to: "/thanks", webviewSession: view.id)
            exchange.deployment.cookies.set(receipt: ticket, on: &response)
            return response
        }
    }

    /// There is nothing to show any more, and a jar that holds the ticket forgets it.
    ///
    /// A ticket in the address says nothing about the one that the jar holds.
    private static func ended(
        _ exchange: Exchange,
        _ progress: OrderProgress,
        of ticket: ReturnTicket,
        isHeld: Bool,
        _ tab: TabToken?
    ) -> HTTPResponse {
        var response = exchange.neutral(.gone, progress, offersReceipt: !isHeld)
        guard isHeld else { return response }
        exchange.deployment.cookies.clearReceipt(on: &response)
        if tab?.webviewSession == ticket.webviewSession { exchange.deployment.cookies.clearTab(on: &response) }
        return response
    }

    private static func page(_ exchange: Exchange, _ view: WebviewSessionView) throws(Failure) -> HTTPResponse {
        let deployment = exchange.deployment
        let body = exchange.pages.thanks.render(view, hasDelivery: try exchange.terms(of: view).hasDelivery)
        return exchange.tagged(exchange.plainPage(block: deployment.headers.page, body), view.id)
    }
}
