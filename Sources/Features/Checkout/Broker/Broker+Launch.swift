package import Commerce
package import Primitives
package import SessionBroker

/// What `POST /secureWebviewSession` asks for.
package struct IssueRequest: Sendable {
    /// Fixed for the life of the webview session.
    package let client: ClientKind
    /// Priced by the server.
    package let order: Order
    /// Token P, from the app jar's cookie, if there is one.
    package var proof: AppProof?
    /// The challenge, if native code holds a verifier.
    package var challenge: CodeChallenge?

    /// A request.
    ///
    /// - Parameters:
    ///   - client: Fixed for the life of the webview session.
    ///   - proof: Token P, if the jar has one.
    ///   - challenge: The challenge, if native code holds a verifier.
    package init(client: ClientKind, order: Order, proof: AppProof? = nil, challenge: CodeChallenge? = nil) {
        self.client = client
        self.order = order
        self.proof = proof
        self.challenge = challenge
    }
}

extension Broker {
    /// A fresh app proof for a jar that has none, for the cart page.
    ///
    /// - Returns: Token P, bound to nothing yet.
    package func mintProof() -> AppProof {
        AppProof.mint(random: random)
    }

    /// Makes a webview session and its launch ticket.
    ///
    /// A jar without token P gets one, and the webview session is bound to it; in profile compat such a webview session is
    /// bound to none.
    ///
    /// - Returns: The ticket, or why there is none.
    /// - Throws: `limited` after too many issues of the address; `unavailable`, `outcomeUnknown`, `fault` of the store.
    package func issue(_ request: IssueRequest, by caller: Caller) async throws(StoreError) -> IssueOutcome {
        let uptime = clock.monotonicNow()
        if let wait = limits.countIssue(caller.keys, at: uptime) {
            throw StoreError(.limited(retryAfter: wait), "issues from \(caller.peer)")
        }
        if lacksVerifier(request.client, request.challenge) { return .refused(.verifierRequired) }
        let webviewSession = WebviewSessionID(version7At: clock.now(), random: random)
        let newProof = request.proof == nil ? mintProof() : nil
        let bound = request.proof ?? (policy.appProof == .required ? newProof : nil)
        let appHash = bound.map { hash($0) }
        // A jar without a proof is an install without webview sessions: there is nothing to ask the store.
        let isAdmitted =
            if request.proof == nil {
                limits.admit(webviewSession, of: appHash, at: uptime)
            } else {
                try await admit(webviewSession, install: appHash, at: uptime)
            }
        guard isAdmitted else {
            counters.count(.issue, "too_many_sessions")
            return .refused(.tooManyWebviewSessions)
        }
        let ticket = LaunchTicket.mint(for: webviewSession, random: random)
        let new = newWebviewSession(ticket, request.client, request.order, appHash, request.challenge)
        try await store.issue(new, by: caller)
        return .issued(issued(new, ticket, newProof))
    }

    /// Opens the tab with a launch ticket.
    ///
    /// The caller has refused HEAD and prefetch before this.
    ///
    /// - Parameters:
    ///   - tab: Token B of the jar, if it has one; of whatever webview session.
    ///   - proof: Token P of the jar, if it has one; counts for client `browser` only.
    ///   - putsOff: Whether a second use right after the first is `doubled`: the client is to ask again, without this.
    /// - Returns: What became of it, with a fresh tab token where a tab was opened.
    /// - Throws: `limited` after too many unknown tickets; `unavailable`, `outcomeUnknown`, `fault` of the store.
    package func open(
        _ ticket: LaunchTicket,
        tab: TabToken?,
        proof: AppProof?,
        putsOff: Bool = false,
        by caller: Caller
    ) async throws(StoreError) -> OpenOutcome<OpenedTab> {
        let launchHash = hash(ticket)
        if let state = endedSessions.state(of: launchHash, at: clock.monotonicNow()) { return .dead(state) }
        let fresh = TabToken.mint(for: ticket.webviewSession, random: random)
        let tabHash = tab.map { hash($0) }
        let shown = ShownTokens(ticket.webviewSession, launchHash, other: tabHash)
        try admit(shown, by: caller)
        let request = OpenRequest(
            webviewSession: ticket.webviewSession,
            launchHash: launchHash,
            freshTabHash: hash(fresh),
            tabHash: tabHash,
            appHash: proof.map { hash($0) },
            putsOff: putsOff
        )
        let done = try await store.open(request, by: caller)
        try note(done, .open, shown, by: caller)
        if done.isFound { limits.remember(ShownTokens(ticket.webviewSession, launchHash, other: request.freshTabHash)) }
        if case .dead(let state) = done.outcome {
            endedSessions.insert(state, of: launchHash, at: clock.monotonicNow())
        }
        if case .opened = done.outcome { steps.note("session.opened", ticket.webviewSession) }
        return done.outcome.map { OpenedTab(token: fresh, session: $0) }
    }

    // MARK: Shared by issue and allocation

    /// Whether the policy wants a challenge of this client and there is none; counts it.
    func lacksVerifier(_ client: ClientKind, _ challenge: CodeChallenge?) -> Bool {
        guard policy.verifier == .required, client.isApp, challenge == nil else { return false }
        counters.count(.issue, "verifier_required")
        return true
    }

    /// A webview session to be stored.
    func newWebviewSession(
        _ ticket: LaunchTicket,
        _ client: ClientKind,
        _ order: Order,
        _ appHash: Digest32?,
        _ challenge: CodeChallenge?
    ) -> NewWebviewSession {
        NewWebviewSession(
            id: ticket.webviewSession,
            client: client,
            launchHash: hash(ticket),
            appHash: appHash,
            challenge: challenge?.digest,
            order: StoredOrder(
                json: order.json,
                subtotal: order.subtotal.amount,
                taxIncluded: order.beforePostage
            )
        )
    }

    /// Counts a webview session, and remembers its tokens.
    func issued(_ new: NewWebviewSession, _ ticket: LaunchTicket, _ newProof: AppProof?) -> IssuedWebviewSession {
        limits.remember(ShownTokens(new.id, new.launchHash, proof: new.appHash))
        counters.count(.issue, "issued")
        return IssuedWebviewSession(ticket: ticket, newProof: newProof)
    }

    /// Whether an install may have one more webview session; asks the store only when it seems to be at its limit.
    private func admit(
        _ webviewSession: WebviewSessionID,
        install: Digest32?,
        at uptime: MonotonicTime
    ) async throws(StoreError) -> Bool {
        guard let install else { return limits.admit(webviewSession, of: install, at: uptime) }
        let suspects = limits.suspects(of: install, at: uptime)
        if !suspects.isEmpty {
            limits.keep(try await store.live(among: suspects), of: install, at: uptime)
        }
        return limits.admit(webviewSession, of: install, at: uptime)
    }
}
