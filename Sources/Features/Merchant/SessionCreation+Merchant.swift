import Accounts
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

extension SessionCreation {
    /// Opens a session for a merchant's program, once for its claim.
    ///
    /// Ids, tokens and times are drawn first, so that the answer is known before anything is stored: claim, webview session,
    /// order and answer are one statement, and there is nothing in between that a crash could leave behind.
    ///
    /// - Parameters:
    ///   - request: Checked.
    /// - Returns: 201 with the session and what opens its tab; the same again for a repeat.
    /// - Throws: `too_many_sessions`, `request_in_progress`, `idempotency_key_reused`, `replay_unavailable`, `account_unknown`,
    ///   `account_erased`, and what the store
    ///   says.
    func open(_ request: SessionRequest, for call: MerchantCall) async throws(Failure) -> ServiceAnswer {
        let claim = try call.claim()
        let challenge = try SessionCreation.challenge(request)
        guard let client = ClientKind(word: request.client.octets), let contents = Contents(request.draft) else {
            throw Failure(.currencyNotSupported, field: "currency")
        }
        var terms = contents.terms
        terms.hasDelivery = request.hasDelivery
        let (webviewSession, issued) = try allocate(client, contents.order, challenge)
        let now = call.now
        let launch = try await launch(request, issued, &terms, call, at: now)
        let answer = SessionCreation.answer(request, issued, launch, call, at: now)
        var new = NewSession(
            webviewSession,
            request.draft,
            (claim, call.part.checkout.account, now),
            texts: NewSession.Texts(
                lines: SessionBody.storedLines(request.draft).bytes,
                metadata: request.draft.options.metadata.isEmpty ? nil : SessionBody.metadata(request.draft).bytes,
                adjustments: SessionBody.storedAdjustments(request.draft)?.bytes,
                taxes: SessionBody.storedTaxes(request.draft)?.bytes,
                terms: terms.stored
            ),
            answer: try SessionCreation.sealed(answer, claim, call)
        )
        new.owner = request.account
        let outcome = try await Failure.mapErrors { [new] in try await call.part.creation.open(new, by: call.caller) }
        switch outcome {
        case .stored:
            noteIssued(issued, client)
            return answer
        case .claimed(let state): return try SessionCreation.replay(state, claim, call)
        case .referenceHeld(let other):
            throw Failure(.referenceHeld, session: other, context: other.map { HeldReference(session: $0) })
        case .accountRefused(let refusal): throw Failure(refusal.code, field: "accountId")
        }
    }

    private func allocate(
        _ client: ClientKind,
        _ order: Order,
        _ challenge: CodeChallenge?
    ) throws(Failure) -> (NewWebviewSession, IssuedWebviewSession) {
        switch broker.allocate(client, order, challenge: challenge) {
        case .allocated(let webviewSession, let issued): return (webviewSession, issued)
        case .refused(.tooManyWebviewSessions): throw Failure(.tooManyWebviewSessions)
        case .refused(.verifierRequired):
            throw Failure(.invalidRequest, message: "This service requires a codeChallenge.", field: "codeChallenge")
        }
    }

    private static func challenge(_ request: SessionRequest) throws(Failure) -> CodeChallenge? {
        guard let text = request.challenge else { return nil }
        guard let challenge = CodeChallenge.parse(text, method: "S256") else {
            throw Failure(.invalidRequest, message: "Not an S256 challenge of RFC 7636.", field: "codeChallenge")
        }
        return challenge
    }

    /// What starts the checkout: a ticket for a tab, or what an app hands to the provider's library.
    private func launch(
        _ request: SessionRequest,
        _ issued: IssuedWebviewSession,
        _ terms: inout OrderTerms,
        _ call: MerchantCall,
        at now: WallTime
    ) async throws(Failure) -> JSONValue {
        if let mobile = request.mobile {
            return try await appLaunch(mobile, request.draft, issued, &terms, call, at: now)
        }
        let expires = now + call.part.checkout.deployment.policy.times.launch
        return call.launch(issued.ticket, proof: issued.newProof, expires: expires).json
    }

    private static func answer(
        _ request: SessionRequest,
        _ issued: IssuedWebviewSession,
        _ launch: JSONValue,
        _ call: MerchantCall,
        at now: WallTime
    ) -> ServiceAnswer {
        let times = call.part.checkout.deployment.policy.times
        // A tab that nobody opens ends the session long before its time is over; the buyer of an app gives no sign of life.
        let life = request.mobile == nil ? min(times.launch, times.absolute) : times.absolute
        let body = SessionBody(
            opened: issued.ticket.webviewSession,
            client: request.client,
            environment: call.part.checkout.account.environment,
            request.draft,
            hasDelivery: request.hasDelivery,
            account: request.account,
            times: MerchantOrder.Times(created: now, updated: now, expires: now + life)
        )
        return ServiceAnswer(
            .created,
            body.json.adding("launch", launch),
            webviewSession: issued.ticket.webviewSession
        )
    }

    private static func sealed(
        _ answer: ServiceAnswer,
        _ claim: IdempotencyClaim,
        _ call: MerchantCall
    ) throws(Failure) -> StoredAnswer {
        StoredAnswer(status: answer.status.code, body: try call.sealed(answer.body, for: claim))
    }

    /// The answer of before, which only the key it was made with opens.
    private static func replay(
        _ state: ClaimState,
        _ claim: IdempotencyClaim,
        _ call: MerchantCall
    ) throws(Failure) -> ServiceAnswer {
        guard case .answered(let answer, let webviewSession) = state else { return try call.replay(state) }
        guard let body = call.opened(answer.body, for: claim) else {
            let session = webviewSession.map { " The session is \($0.description)." } ?? ""
            throw Failure(
                .replayUnavailable,
                message: FailureCode.replayUnavailable.message + session,
                session: webviewSession
            )
        }
        return try call.replay(
            .answered(StoredAnswer(status: answer.status, body: body), webviewSession: webviewSession)
        )
    }
}

extension MerchantCall {
    /// What opens the buyer's tab.
    ///
    /// - Parameters:
    ///   - expires: Until when the ticket opens.
    /// - Returns: For the member `launch`.
    func launch(_ ticket: LaunchTicket, proof: AppProof?, expires: WallTime) -> LaunchBody {
        LaunchBody(
            ticket: ticket.text,
            url: "\(part.checkout.deployment.webOrigin)/button?secureWebviewSessionId=\(ticket.text)",
            proof: proof?.text,
            expires: expires
        )
    }
}
