import AmazonPay
import CheckoutCodes
import Commerce
import HTTPCore
import MerchantAPI
import Operations
import Pages
import Primitives
import SessionBroker
import Web

/// `/confirm_order`: takes the buyer back from the provider, shows what is to be paid, and takes the buyer's word for it.
enum ConfirmHandler {
    @Sendable static func get(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        guard let text = try exchange.request.parameter("amazonCheckoutSessionId") else {
            return try await page(exchange)
        }
        guard let checkoutSession = CheckoutSessionID(text) else {
            throw Failure(.invalidRequest, "amazonCheckoutSessionId has another form")
        }
        switch try await exchange.tab() {
        case .closed(let answer, _): return answer
        case .open(let token, let view): return try await review(exchange, token, view, checkoutSession)
        }
    }

    // MARK: Review

    private static func review(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView,
        _ checkoutSession: CheckoutSessionID
    ) async throws(Failure) -> HTTPResponse {
        switch view.state {
        case .opened, .reviewed: break
        // What these states answer is known without the provider.
        case .placed where view.orderReference?.octets == checkoutSession.text.octets: break
        case .placed: throw Failure(.orderMismatch, "the order is placed with another session", of: view)
        case .declined where view.orderReference?.octets != checkoutSession.text.octets: break
        case .declined, .purchasing:
            return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
        default: return exchange.neutral()
        }
        let provider = exchange.services.provider
        guard
            let chosen = try await provider.review(
                checkoutSession,
                view.id,
                try exchange.terms(of: view),
                by: exchange.caller
            )
        else {
            guard view.state == .placed else { throw Failure(.notPriced, "the checkout session has ended", of: view) }
            return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
        }
        guard exchange.broker.owns(chosen.markedSession, token) else {
            provider.noteForeign(checkoutSession, to: view.id)
            throw Failure(.orderMismatch, "a foreign checkout session", of: view)
        }
        // Nothing was chosen anew: the order stays placed, and the link of its result page good.
        if view.state == .placed, let postage = view.postage,
            exchange.broker.isShown(view, to: token, as: chosen.reviewed(.postage(postage)))
        {
            return exchange.redirect(to: "/confirm_order", webviewSession: view.id)
        }
        switch try await price(exchange, token, view, chosen) {
        case .reviewed: return exchange.redirect(to: "/confirm_order", webviewSession: view.id)
        case .orderMismatch: throw Failure(.orderMismatch, "a foreign checkout session", of: view)
        case .declined: return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
        case .readOnly: return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
        case .refused(let refusal): return exchange.neutral(after: refusal)
        }
    }

    /// Makes the sum for what the buyer has chosen, and keeps both.
    private static func price(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView,
        _ chosen: ChosenSession
    ) async throws(Failure) -> ReviewOutcome {
        let reviewed = chosen.reviewed(try await exchange.postage(of: view, token, to: chosen))
        return try await Failure.mapErrors { try await exchange.broker.review(token, reviewed, by: exchange.caller) }
    }

    // MARK: Page

    private static func page(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        switch try await exchange.tab(withDetails: true) {
        case .closed(let answer, _): return answer
        case .open(let token, let view):
            return try page(exchange, token, view)
        }
    }

    private static func page(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView
    ) throws(Failure) -> HTTPResponse {
        switch view.state {
        case .reviewed, .placed: break
        case .opened: return exchange.redirect(to: "/button", webviewSession: view.id)
        case .purchasing, .declined:
            return exchange.redirect(to: "/checkout_result", webviewSession: view.id)
        default: return exchange.neutral()
        }
        guard let checkoutSession = view.orderReference, let details = view.details else {
            return exchange.redirect(to: "/button", webviewSession: view.id)
        }
        let terms = try exchange.terms(of: view)
        let content = ConfirmView(
            webviewSession: view,
            details: details,
            checkoutSessionID: checkoutSession,
            returnTicket: view.returnTicket ?? exchange.broker.returnTicket(of: token),
            agreement: try agreement(exchange, token, view),
            note: terms.note,
            hasDelivery: terms.hasDelivery
        )
        let response = exchange.providerPage { exchange.pages.confirm.render(content, nonce: $0) }
        return exchange.tagged(response, view.id)
    }

    /// How the buyer agrees: not at all where nothing is sent to the address, which has no total then.
    private static func agreement(
        _ exchange: Exchange,
        _ token: TabToken,
        _ view: WebviewSessionView
    ) throws(Failure) -> ConfirmView.Agreement {
        if let reason = view.details?.undeliverable { return .undeliverable(reason) }
        return mustMeet(exchange, view) ? .returnLink(try exchange.wayBack(view, token)) : .form
    }

    /// Profile strict lets an app's buyer agree only after both halves have met in the app.
    private static func mustMeet(_ exchange: Exchange, _ view: WebviewSessionView) -> Bool {
        exchange.deployment.policy.requiresMeeting && view.client.isApp && !view.record.isMet
            && view.orderReference != nil
            && (view.state == .reviewed || view.state == .placed)
    }

    // MARK: Agree

    @Sendable static func post(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try await exchange.services.shield.runToCompletion { () async throws(Failure) in try await agree(exchange) }
    }

    private static func agree(_ exchange: Exchange) async throws(Failure) -> HTTPResponse {
        try exchange.requireSameOrigin()
        let form = try exchange.request.form(["secureWebviewSessionId", "totalPrice"])
        guard let token = try exchange.tabToken() else { return exchange.neutral() }
        let ticket = try exchange.returnTicket(form)
        let total = try form.amount("totalPrice")
        let shown = try shown(exchange)
        let outcome = try await Failure.mapErrors {
            try await exchange.broker.place(token, ticket: ticket, total: total, shown: shown, by: exchange.caller)
        }
        switch outcome {
        case .placed(let placement): return try await send(exchange, token, placement)
        case .notReviewed: throw Failure(.notPriced, session: token.webviewSession)
        // A page that answers a form is gone for the back button; these states have one of their own.
        case .declined, .readOnly:
            return exchange.redirect(to: "/checkout_result", webviewSession: token.webviewSession)
        case .webviewSessionMismatch: throw Failure(.webviewSessionMismatch, session: token.webviewSession)
        case .priceChanged: throw Failure(.priceChanged, session: token.webviewSession)
        case .notMet: return exchange.redirect(to: "/confirm_order", webviewSession: token.webviewSession)
        case .refused(let refusal): return exchange.neutral(after: refusal)
        }
    }

    /// What the page showed, by its mark in the address.
    private static func shown(_ exchange: Exchange) throws(Failure) -> Digest32? {
        guard let text = try exchange.request.parameter("shown") else { return nil }
        guard let bytes = Base64URL.decode(text), let mark = Digest32(bytes.span) else {
            throw Failure(.invalidRequest, "shown has another form")
        }
        return mark
    }

    /// Sends the amounts to the provider, and the buyer there.
    ///
    /// The order is placed before the amounts are sent, so that they cannot change meanwhile; where they cannot be
    /// sent, or the answer has another address than the sum was made for, the order is taken back. An order that was
    /// placed before stays placed where they cannot be sent: the provider may have them, and the buyer the link back.
    private static func send(
        _ exchange: Exchange,
        _ token: TabToken,
        _ placement: Placement
    ) async throws(Failure) -> HTTPResponse {
        let updated: UpdatedCheckout
        do {
            // Only now is it known that the tab is the webview session's.
            let (provider, caller) = (exchange.services.provider, exchange.caller)
            try provider.count(.update, of: placement.webviewSession, by: caller)
            updated = try await provider.update(placement, try exchange.terms(of: placement.view), by: caller)
        } catch {
            if !placement.isRepeat { try await takeBack(exchange, placement) }
            throw placement.isRepeat ? error.about(placement.view) : error
        }
        switch updated {
        case .ready(let target): return exchange.redirect(to: target, webviewSession: placement.webviewSession)
        case .finished: return exchange.redirect(to: "/checkout_result", webviewSession: placement.webviewSession)
        case .finishedOtherwise:
            try await decline(exchange, placement)
            return exchange.redirect(to: "/checkout_result", webviewSession: placement.webviewSession)
        case .unclear(let failure): throw failure.about(placement.view)
        case .readdressed(let chosen):
            try await takeBack(exchange, placement)
            guard case .open(_, let view) = try await exchange.tab() else { return exchange.neutral() }
            // Whatever comes of it, the buyer is sent to the page again, which says how things stand.
            _ = try await price(exchange, token, view, chosen)
            throw Failure(.priceChanged, "another address is chosen", session: placement.webviewSession)
        }
    }

    /// Lets the buyer start another checkout, since the provider holds this one for a sum that is not the order's.
    private static func decline(_ exchange: Exchange, _ placement: Placement) async throws(Failure) {
        _ = try await Failure.mapErrors {
            try await exchange.broker.decline(placement.view, reason: "AmountMismatch", by: exchange.caller)
        }
    }

    private static func takeBack(_ exchange: Exchange, _ placement: Placement) async throws(Failure) {
        _ = try await Failure.mapErrors { try await exchange.broker.unplace(placement, by: exchange.caller) }
    }
}
