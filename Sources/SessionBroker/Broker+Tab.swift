package import Commerce
package import Primitives

extension Broker {
    /// What a tab may see; slides its idle deadline, and revokes the webview session when the token is superseded.
    ///
    /// - Parameters:
    ///   - tab: Token B.
    ///   - withDetails: Whether buyer and address are needed.
    ///   - caller: Where it comes from.
    /// - Returns: The page, or why there is none.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func view(
        _ tab: TabToken,
        withDetails: Bool = false,
        by caller: Caller
    ) async throws(StoreError) -> TabVerdict {
        let reading: TabReading
        switch try await read(tab, withDetails: withDetails, by: caller) {
        case .found(let found): reading = found
        case .refused(let refusal): return .refused(refusal)
        }
        let view = withDetails ? try detailedView(of: reading.record, tab) : WebviewSessionView(reading.record)
        return reading.decision == .readOnly ? .readOnly(view) : .live(view)
    }

    /// Whether a checkout session was started from this tab's own button: the webview session id was signed into it.
    ///
    /// What another webview session's buyer has chosen is nobody's business here, so ask before anything is done with a
    /// session.
    ///
    /// - Parameters:
    ///   - merchantReference: `merchantReferenceId` of the session's metadata.
    ///   - tab: Token B.
    /// - Returns: False, and counted, for a foreign one.
    package func owns(_ merchantReference: String?, _ tab: TabToken) -> Bool {
        if merchantReference == tab.webviewSession.description { return true }
        counters.count(.review, "foreign_session")
        return false
    }

    /// Pins the checkout session that the buyer came back with; may be repeated.
    ///
    /// - Parameters:
    ///   - tab: Token B.
    ///   - session: What the provider says of the session.
    ///   - caller: Where it comes from.
    /// - Returns: The confirm page's content, or why there is none.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func review(
        _ tab: TabToken,
        _ session: ReviewedSession,
        by caller: Caller
    ) async throws(StoreError) -> ReviewVerdict {
        guard owns(session.merchantReference, tab) else { return .orderMismatch }
        let ticket = returnTicket(of: tab)
        let request = ReviewRequest(
            webviewSession: tab.webviewSession,
            tabHash: hash(tab),
            returnHash: hash(ticket),
            orderReference: session.orderReference,
            postage: session.postage.amount,
            sealed: try seal.seal(session.details, under: ticket, random: random),
            shown: ticket.mark(of: session, using: mac)
        )
        let shown = ShownTokens(tab.webviewSession, request.tabHash)
        try admit(shown, by: caller)
        guard let done = try await store.review(request, by: caller) else {
            return .refused(try unknown(.review, shown, caller))
        }
        limits.remember(ShownTokens(tab.webviewSession, request.tabHash, other: request.returnHash))
        counters.count(.review, done.decision.rawValue)
        switch done.decision {
        case .reviewed: return .reviewed(WebviewSessionView(done.record, details: session.details))
        case .orderMismatch: return .orderMismatch
        case .declined: return .declined
        case .readOnly: return .refused(.readOnly)
        case .closed: return .refused(over(done.record))
        case .superseded: return .refused(.superseded)
        case .expired: return .refused(.expired)
        }
    }

    /// Postage and total, from the address of the pinned session; changes nothing but the idle deadline.
    ///
    /// - Parameters:
    ///   - tab: Token B, from the cookie.
    ///   - ticket: Token C, from the body.
    ///   - orderReference: From the body.
    ///   - caller: Where it comes from.
    /// - Returns: The sums, or why there are none.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func quote(
        _ tab: TabToken,
        ticket: ReturnTicket,
        orderReference: String,
        by caller: Caller
    ) async throws(StoreError) -> QuoteVerdict {
        guard isSame(returnTicket(of: tab), ticket) else {
            counters.count(.quote, "flow_mismatch")
            return .webviewSessionMismatch
        }
        let record: WebviewSessionRecord
        switch try await read(tab, withDetails: false, by: caller) {
        case .found(let reading): record = reading.record
        case .refused(let refusal): return .refused(refusal)
        }
        guard let pinned = record.orderReference, let postage = record.postage, let total = record.total else {
            counters.count(.quote, "not_priced")
            return .notPriced
        }
        counters.count(.quote, pinned == orderReference ? "quoted" : "order_mismatch")
        return pinned == orderReference ? .quoted(postage: postage, total: total) : .orderMismatch
    }

    /// Takes the buyer's consent to the total; the same answer again while the order is placed.
    ///
    /// - Parameters:
    ///   - tab: Token B, from the cookie.
    ///   - ticket: Token C, from the body.
    ///   - total: What the page showed, if it says.
    ///   - shown: The mark of all that it showed, if it says.
    ///   - caller: Where it comes from.
    /// - Returns: What to send to the provider, or why nothing is to be sent.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func place(
        _ tab: TabToken,
        ticket: ReturnTicket,
        total: Yen?,
        shown: Digest32? = nil,
        by caller: Caller
    ) async throws(StoreError) -> PlaceVerdict {
        guard tab.webviewSession == ticket.webviewSession else {
            counters.count(.place, PlaceDecision.webviewSessionMismatch.rawValue)
            return .webviewSessionMismatch
        }
        let request = PlaceRequest(
            webviewSession: tab.webviewSession,
            tabHash: hash(tab),
            returnHash: hash(ticket),
            total: total?.amount,
            shown: shown
        )
        let tokens = ShownTokens(tab.webviewSession, request.tabHash)
        try admit(tokens, by: caller)
        guard let done = try await store.place(request, by: caller) else {
            return .refused(try unknown(.place, tokens, caller))
        }
        limits.remember(tokens)
        counters.count(.place, done.decision.rawValue)
        switch done.decision {
        case .placed: return .placed(try placement(done.record, ticket))
        case .notReviewed: return .notReviewed
        case .declined: return .declined
        case .webviewSessionMismatch: return .webviewSessionMismatch
        case .priceChanged: return .priceChanged(done.record.total ?? .zero)
        case .notMet: return .notMet
        case .readOnly: return .refused(.readOnly)
        case .closed: return .refused(over(done.record))
        case .superseded: return .refused(.superseded)
        case .expired: return .refused(.expired)
        }
    }

    /// Takes a placement back because the provider did not take it; nothing happens when the order was placed again since.
    ///
    /// - Parameters:
    ///   - placement: What `place` returned.
    ///   - caller: Where the request came from.
    /// - Returns: Whether the webview session is reviewed again.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    @discardableResult package func unplace(
        _ placement: Placement,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let isDone = try await store.unplace(placement.webviewSession, placement: placement.number, by: caller)
        counters.count(.unplace, isDone ? "reviewed" : "stale")
        return isDone
    }

    /// Notes that the provider gave up on the placed session, so that the buyer may start another one.
    ///
    /// - Parameters:
    ///   - view: The webview session, placed, as the tab sees it.
    ///   - reason: One word of the provider, `[A-Za-z]`, at most 64 characters; others are left out.
    ///   - caller: Where the request came from.
    /// - Returns: Whether the webview session is declined now.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    @discardableResult package func decline(
        _ view: WebviewSessionView,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        guard let reference = view.orderReference else { return false }
        let isDone = try await store.decline(
            view.id,
            orderReference: reference,
            reason: Broker.word(reason),
            by: caller
        )
        counters.count(.decline, isDone ? "declined" : "stale")
        return isDone
    }

    /// Ends a webview session that the buyer cancels.
    ///
    /// - Parameters:
    ///   - tab: Token B, from the cookie.
    ///   - ticket: Token C, from the body.
    ///   - caller: Where it comes from.
    /// - Returns: Whether it is cancelled, or why not.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func cancel(
        _ tab: TabToken,
        ticket: ReturnTicket,
        by caller: Caller
    ) async throws(StoreError) -> CancelVerdict {
        guard isSame(returnTicket(of: tab), ticket) else {
            counters.count(.cancel, "flow_mismatch")
            return .webviewSessionMismatch
        }
        let tabHash = hash(tab)
        let shown = ShownTokens(tab.webviewSession, tabHash)
        try admit(shown, by: caller)
        guard let done = try await store.cancel(tab.webviewSession, tab: tabHash, by: caller) else {
            return .refused(try unknown(.cancel, shown, caller))
        }
        counters.count(.cancel, done.decision.rawValue)
        switch done.decision {
        case .cancelled: return .cancelled
        case .readOnly: return .refused(.readOnly)
        case .closed: return .refused(over(done.record))
        case .superseded: return .refused(.superseded)
        case .expired: return .refused(.expired)
        }
    }

    /// Whether a ticket that a tab remembers is the one that its webview session was opened with.
    ///
    /// - Parameters:
    ///   - ticket: Token A, from the cookie.
    ///   - view: The webview session, as the tab sees it.
    /// - Returns: False also for the webview session's id with another secret.
    package func opened(_ view: WebviewSessionView, with ticket: LaunchTicket) -> Bool {
        hash(ticket) == view.launchHash
    }

    // MARK: Shared by the tab's functions

    private enum Look {
        case found(TabReading)
        case refused(TabRefusal)
    }

    /// Reads by the tab token, and writes only when that is due.
    private func read(_ tab: TabToken, withDetails: Bool, by caller: Caller) async throws(StoreError) -> Look {
        let tabHash = hash(tab)
        if let state = endedSessions.state(of: tabHash, at: clock.monotonicNow()) {
            return .refused(.closed(state))
        }
        let shown = ShownTokens(tab.webviewSession, tabHash)
        try admit(shown, by: caller)
        guard let reading = try await store.readTab(tab.webviewSession, tab: tabHash, withPrivate: withDetails) else {
            return .refused(try unknown(.tab, shown, caller))
        }
        limits.remember(shown)
        var decision = reading.decision
        var state = reading.record.state
        if reading.isTouchDue || decision == .superseded || decision == .expired {
            guard let touched = try await store.touchTab(tab.webviewSession, tab: tabHash, by: caller) else {
                return .refused(try unknown(.tab, shown, caller))
            }
            (decision, state) = (touched.decision, touched.state)
        }
        counters.count(.tab, decision.rawValue)
        switch decision {
        case .live, .readOnly: return .found(TabReading(decision, reading.record, isTouchDue: false))
        case .superseded: return .refused(.superseded)
        case .expired: return .refused(.expired)
        case .closed:
            if state.isDead { endedSessions.insert(state, of: tabHash, at: clock.monotonicNow()) }
            return .refused(over(reading.record, in: state))
        }
    }

    /// The end of a webview session for its tab; that of a browser's purchase leaves the tab token one use.
    private func over(_ record: WebviewSessionRecord, in state: WebviewSessionState? = nil) -> TabRefusal {
        let state = state ?? record.state
        return state == .authorized && record.client == .browser ? .bought : .closed(state)
    }

    /// The page with what the seal holds, and with the ticket that opened it: deriving that once is enough.
    private func detailedView(of record: WebviewSessionRecord, _ tab: TabToken) throws(StoreError) -> WebviewSessionView
    {
        let ticket = returnTicket(of: tab)
        return WebviewSessionView(record, details: try details(of: record, under: ticket), returnTicket: ticket)
    }

    private func unknown(
        _ operation: VerdictCounters.Operation,
        _ shown: ShownTokens,
        _ caller: Caller
    ) throws(StoreError) -> TabRefusal {
        counters.count(operation, "unknown")
        try miss(shown, by: caller)
        return .unknown
    }

    private func placement(_ record: WebviewSessionRecord, _ ticket: ReturnTicket) throws(StoreError) -> Placement {
        guard let total = record.total, let reference = record.orderReference, let progress = record.progress else {
            throw StoreError(.fault, "flow \(record.id) is placed without a total or a session")
        }
        return Placement(
            webviewSession: record.id,
            client: record.client,
            order: record.order,
            total: total,
            address: try details(of: record, under: ticket)?.address,
            terms: record.terms,
            orderReference: reference,
            number: progress.placements
        )
    }

    /// A reason as one word that may be stored.
    static func word(_ reason: String) -> String {
        String(reason.filter { $0.isASCII && $0.isLetter }.prefix(64))
    }
}
