import AmazonPay
import Checkout
import CheckoutCodes
import Commerce
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import SessionBroker
import StrictJSON
import Web

/// The routes below `/v1` that are about sessions.
enum SessionHandlers {
    /// Answers `POST /v1/sessions`.
    @Sendable static func create(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let policy = call.part.policy
        let request = try SessionRequest(try call.body(), policy)
        return try await call.part.checkout.creation.open(request, for: call)
    }

    /// Answers `GET /v1/sessions/{id}`.
    @Sendable static func read(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let order = try await order(call, try call.id())
        return ServiceAnswer(.ok, SessionBody(order).json, webviewSession: order.webviewSession)
    }

    // MARK: List

    /// Answers `GET /v1/sessions`.
    @Sendable static func list(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let texts = try call.query(RouteDescription.listParameters, nonEmpty: RouteDescription.nameParameters)
        let query = try query(texts)
        let lookUps = try lookUps(texts)
        try await checkPlace(query.cursor, call)
        let page = try await Failure.mapErrors {
            var asked = query
            for lookUp in lookUps {
                let found = try await call.part.orders.sessions(lookUp)
                asked.among = asked.among?.filter(found.contains) ?? found
            }
            return try await call.part.orders.page(asked)
        }
        let next = page.next ?? page.orders.last.map { OrderCursor(after: $0.webviewSession) } ?? query.cursor
        let body = ListForm.content(
            page.orders.map { SessionBody($0).json.bytes },
            next: next?.text,
            hasMore: page.next != nil
        )
        return ServiceAnswer(.ok, bytes: body, webviewSession: nil)
    }

    /// Refuses a place that is not behind an order.
    private static func checkPlace(_ place: OrderCursor?, _ call: MerchantCall) async throws(Failure) {
        guard let place else { return }
        let isKnown = try await Failure.mapErrors { try await call.part.orders.isKnown(place.webviewSession) }
        guard isKnown else { throw ListForm.unknown() }
    }

    private static func query(_ texts: [OctetText: String]) throws(Failure) -> OrderQuery {
        var query = OrderQuery(after: try ListForm.after(texts) { OrderCursor($0) }, limit: try ListForm.limit(texts))
        if let text = texts["state"] {
            guard let state = OrderState(word: text.octets) else {
                throw Failure(.invalidRequest, message: "There is no such state.", field: "state")
            }
            query.states = [state]
        }
        if let text = texts["reference"] {
            // As it was kept: an order is found by what was sent.
            query.reference = try Failure.cleaned(text, "reference", 1...100)
        }
        query.updatedAfter = try time(texts, "updatedAfter")
        query.createdAfter = try time(texts, "createdAfter")
        query.createdBefore = try time(texts, "createdBefore")
        return query
    }

    private static func lookUps(_ texts: [OctetText: String]) throws(Failure) -> [OrderLookUp] {
        var lookUps: [OrderLookUp] = []
        for name in RouteDescription.LookUpParameter.allCases {
            guard let text = texts[name.rawValue.octets] else { continue }
            lookUps.append(try OrderLookUp(name, text))
        }
        return lookUps
    }

    private static func time(_ texts: [OctetText: String], _ name: String) throws(Failure) -> WallTime? {
        guard let text = texts[name.octets] else { return nil }
        // The short form, of the provider, is none of ours.
        guard text.utf8.contains(UInt8(ascii: "-")), let time = CalendarDate.time(of: text) else {
            throw Failure(
                .invalidRequest,
                message: "A time in UTC, such as 2026-11-20T12:00:00Z.",
                field: name
            )
        }
        return time
    }

    // MARK: Cancel

    /// Answers `POST /v1/sessions/{id}/cancel`.
    @Sendable static func cancel(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let body = try call.optionalBody()
        try Failure.reading { () throws(JSONRefusal) in try body.end() }
        let webviewSession = try call.id()
        return try await call.idempotently(webviewSession) { () async throws(Failure) in
            let isCancelled = try await Failure.mapErrors {
                try await call.part.creation.cancel(webviewSession, by: call.caller)
            }
            let order = try await order(call, webviewSession)
            if !isCancelled, let problem = refusal(order) { throw problem }
            return ServiceAnswer(.ok, SessionBody(order).json, webviewSession: webviewSession)
        }
    }

    /// Why a session cannot be cancelled, or `nil` where it is already.
    private static func refusal(_ order: MerchantOrder) -> Failure? {
        switch order.state {
        case .canceled: nil
        // Alive again by now: a purchase that was under way has been given back. It may be cancelled, or paid; as where the
        // bank has not decided. Nothing of that is the answer to this request for good.
        case .paying, .paymentPending, .created, .atProvider, .inReview, .declined:
            Failure(.purchaseInProgress, session: order.webviewSession, retryAfter: 2)
        case .expired, .closed: Failure(.sessionOver, session: order.webviewSession)
        case .paid, .captured, .partRefunded, .refunded: Failure(.alreadyPaid, session: order.webviewSession)
        }
    }

    // MARK: Complete

    /// Answers `POST /v1/sessions/{id}/complete`.
    ///
    /// It is the purchase of the pages with the proof in the body: the merchant's server is the half that opened the session.
    /// Nothing is claimed, since the webview session itself remembers what became of it, and every repeat asks it.
    @Sendable static func complete(_ call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let webviewSession = try call.id()
        return try await purchase(call, webviewSession, try purchaseRequest(call, webviewSession), nil)
    }

    /// Purchases, and answers with the outcome.
    ///
    /// - Parameters:
    ///   - request: Both halves.
    ///   - facts: Where an app started the checkout by itself.
    /// - Returns: 200 with the session, or 202 while it is under way.
    /// - Throws: What the purchase throws.
    static func purchase(
        _ call: MerchantCall,
        _ webviewSession: WebviewSessionID,
        _ request: PurchaseRequest,
        _ facts: MobileFacts?
    ) async throws(Failure) -> ServiceAnswer {
        let outcome: PurchaseOutcome
        do throws(Failure) {
            outcome = try await call.part.checkout.purchases.purchase(request, facts, by: call.caller)
        } catch {
            if error.code == .paymentDeclined { throw await declined(error, call, webviewSession) }
            guard error.code == .purchaseInProgress else { throw error }
            // Somebody is at it, or the provider has not decided: the same request asks again.
            var answer = ServiceAnswer(
                .accepted,
                SessionBody(try await order(call, webviewSession)).json,
                webviewSession: webviewSession
            )
            answer.retryAfter = error.retryAfter
            return answer
        }
        var body = SessionBody(try await order(call, webviewSession))
        switch outcome {
        case .done:
            body.buyer = try await buyer(call, request)
            return ServiceAnswer(.ok, body.json, webviewSession: webviewSession)
        case .openAgain(let ticket):
            let expires = call.now + call.part.checkout.deployment.policy.times.launch
            let launch = call.launch(ticket, proof: nil, expires: expires)
            return ServiceAnswer(.accepted, body.json.adding("launch", launch.json), webviewSession: webviewSession)
        }
    }

    /// A refusal that says why and when the payment was declined.
    private static func declined(
        _ failure: Failure,
        _ call: MerchantCall,
        _ webviewSession: WebviewSessionID
    ) async -> Failure {
        // What cannot be read now stands in the session.
        let order = try? await call.part.orders.read(webviewSession)
        guard let decline = order?.lastDecline else { return failure }
        return Failure(failure.code, failure.detail, session: failure.session, context: decline)
    }

    /// Reads both halves of a purchase from the content.
    private static func purchaseRequest(
        _ call: MerchantCall,
        _ webviewSession: WebviewSessionID
    ) throws(Failure) -> PurchaseRequest {
        var reader = try call.body()
        let (ticket, reference, proof, verifier) = try Failure.reading { () throws(JSONRefusal) in
            (
                try reader.text("returnTicket"), try reader.text("orderReferenceId"), try reader.text("appProof"),
                try reader.optionalText("codeVerifier")
            )
        }
        let rest = reader
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        guard let ticket = ReturnTicket.parse(ticket), ticket.webviewSession == webviewSession else {
            throw Failure(
                .orderMismatch,
                message: "The ticket belongs to another session.",
                field: "returnTicket",
                session: webviewSession
            )
        }
        guard CheckoutSessionID(reference) != nil else {
            throw Failure(.orderMismatch, field: "orderReferenceId", session: webviewSession)
        }
        guard let proof = AppProof.parse(proof) else {
            throw Failure(.proofMismatch, field: "appProof", session: webviewSession)
        }
        var request = PurchaseRequest(ticket: ticket, orderReference: reference)
        request.proof = proof
        if let verifier {
            guard let verifier = CodeVerifier.parse(verifier) else {
                throw Failure(
                    .invalidRequest,
                    message: "Not a verifier of RFC 7636.",
                    field: "codeVerifier",
                    session: webviewSession
                )
            }
            request.verifier = verifier
        }
        return request
    }

    /// Who buys and where to, as long as the receipt is shown; nobody but the holder of the ticket can open it.
    private static func buyer(_ call: MerchantCall, _ request: PurchaseRequest) async throws(Failure) -> JSONValue? {
        let outcome: ReceiptOutcome
        do throws(StoreError) {
            outcome = try await call.part.checkout.broker.receipt(
                request.ticket,
                proof: request.proof,
                tab: nil,
                by: call.caller
            )
        } catch {
            // It is paid: the buyer's details can be asked for again, by a repeat.
            return nil
        }
        guard case .receipt(let view) = outcome, let details = view.details else { return nil }
        return JSONValue(buyer: details.buyer, address: details.address)
    }

    // MARK: Parts

    /// The order of a session; throws `not_found`.
    static func order(_ call: MerchantCall, _ webviewSession: WebviewSessionID) async throws(Failure) -> MerchantOrder {
        let found = try await Failure.mapErrors { try await call.part.orders.read(webviewSession) }
        guard let found else { throw Failure(.notFound) }
        return found
    }
}
