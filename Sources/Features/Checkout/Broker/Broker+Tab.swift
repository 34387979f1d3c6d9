package import Commerce
package import Primitives
package import SessionBroker
import Telemetry

extension Broker {
    /// What a tab may see; slides its idle deadline, and revokes the webview session when the token is superseded.
    ///
    /// - Parameters:
    ///   - withDetails: Whether buyer and address are needed.
    /// - Returns: The page, or why there is none.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func view(
        _ tab: TabToken,
        withDetails: Bool = false,
        by caller: Caller
    ) async throws(StoreError) -> TabOutcome {
        let found = try await read(tab, withDetails: withDetails, by: caller)
        guard withDetails else { return found }
        switch consume found {
        case .live(let view): return .live(try detailed(view, tab))
        case .readOnly(let view): return .readOnly(try detailed(view, tab))
        case .refused(let refusal): return .refused(refusal)
        }
    }

    /// Whether a checkout session was started from this tab's own button: the webview session id was signed into it.
    ///
    /// What another webview session's buyer has chosen is nobody's business here, so ask before anything is done with a
    /// session.
    ///
    /// - Returns: False, and counted, for a foreign one.
    package func owns(_ markedSession: WebviewSessionID?, _ tab: TabToken) -> Bool {
        if markedSession == tab.webviewSession { return true }
        counters.count(.review, "foreign_session")
        return false
    }

    /// Pins the checkout session that the buyer came back with; may be repeated.
    ///
    /// - Parameters:
    ///   - session: What the provider says of the session.
    /// - Returns: The confirm page's content, or why there is none.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func review(
        _ tab: TabToken,
        _ session: ReviewedSession,
        by caller: Caller
    ) async throws(StoreError) -> ReviewOutcome {
        guard owns(session.markedSession, tab) else { return .orderMismatch }
        let ticket = returnTicket(of: tab)
        let request = ReviewRequest(
            webviewSession: tab.webviewSession,
            tabHash: hash(tab),
            returnHash: hash(ticket),
            orderReference: session.orderReference,
            postage: session.postage?.amount,
            sealed: try seal.seal(session.details, under: ticket, random: random),
            shown: ticket.mark(of: session, using: mac)
        )
        let shown = ShownTokens(tab.webviewSession, request.tabHash)
        try admit(shown, by: caller)
        let done = try await store.review(request, by: caller)
        try note(done, .review, shown, by: caller)
        if done.isFound { limits.remember(ShownTokens(tab.webviewSession, request.tabHash, other: request.returnHash)) }
        guard case .reviewed(var view) = done.outcome else { return done.outcome }
        view.details = session.details
        if let postage = session.postage {
            steps.note("session.reviewed", tab.webviewSession, [LogField("postage", Int(postage.amount))])
        } else {
            steps.note("session.undeliverable", tab.webviewSession)
        }
        return .reviewed(view)
    }

    /// Whether the confirm page shows a checkout session as it is now.
    ///
    /// - Parameters:
    ///   - view: The webview session, as the tab sees it.
    ///   - session: What the provider says, with the stored shipping cost.
    /// - Returns: False also where nothing is known of the page.
    package func isShown(_ view: WebviewSessionView, to tab: TabToken, as session: ReviewedSession) -> Bool {
        view.record.shown == returnTicket(of: tab).mark(of: session, using: mac)
    }

    /// Postage and total, from the address of the pinned session; changes nothing but the idle deadline.
    ///
    /// - Returns: The sums, or why there are none.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func quote(
        _ tab: TabToken,
        ticket: ReturnTicket,
        orderReference: String,
        by caller: Caller
    ) async throws(StoreError) -> QuoteOutcome {
        guard isSame(returnTicket(of: tab), ticket) else {
            counters.count(.quote, "session_mismatch")
            return .webviewSessionMismatch
        }
        let view: WebviewSessionView
        switch try await read(tab, withDetails: false, by: caller) {
        case .live(let found), .readOnly(let found): view = found
        case .refused(let refusal): return .refused(refusal)
        }
        guard let pinned = view.orderReference, let postage = view.postage, let total = view.total else {
            counters.count(.quote, "not_priced")
            return .notPriced
        }
        let isPinned = pinned.octets == orderReference.octets
        counters.count(.quote, isPinned ? "quoted" : "order_mismatch")
        return isPinned ? .quoted(postage: postage, total: total) : .orderMismatch
    }

    /// Takes the buyer's consent to the total; the same answer again while the order is placed.
    ///
    /// - Parameters:
    ///   - total: What the page showed, if it says.
    ///   - shown: The mark of all that it showed, if it says.
    /// - Returns: What to send to the provider, or why nothing is to be sent.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func place(
        _ tab: TabToken,
        ticket: ReturnTicket,
        total: Yen?,
        shown: Digest32? = nil,
        by caller: Caller
    ) async throws(StoreError) -> PlaceOutcome {
        guard tab.webviewSession == ticket.webviewSession else {
            counters.count(.place, "session_mismatch")
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
        let done = try await store.place(request, by: caller)
        try note(done, .place, tokens, by: caller)
        if done.isFound { limits.remember(tokens) }
        guard case .placed(var placement) = done.outcome else { return done.outcome }
        placement.view.details = try details(of: placement.view.record, under: ticket)
        if !placement.isRepeat {
            steps.note("session.placed", tab.webviewSession, [LogField("total", Int(placement.total.amount))])
        }
        return .placed(placement)
    }

    /// Takes a placement back because the provider did not take it; nothing happens when the order was placed again since.
    ///
    /// - Parameters:
    ///   - placement: What `place` returned.
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
        if isDone { steps.note("session.declined", view.id, [LogField("reason", Broker.word(reason))]) }
        return isDone
    }

    /// Ends a webview session that the buyer cancels.
    ///
    /// - Returns: Whether it is cancelled, or why not.
    /// - Throws: `limited`, `unavailable`, `outcomeUnknown`, `fault`.
    package func cancel(
        _ tab: TabToken,
        ticket: ReturnTicket,
        by caller: Caller
    ) async throws(StoreError) -> CancelOutcome {
        guard isSame(returnTicket(of: tab), ticket) else {
            counters.count(.cancel, "session_mismatch")
            return .webviewSessionMismatch
        }
        let tabHash = hash(tab)
        let shown = ShownTokens(tab.webviewSession, tabHash)
        try admit(shown, by: caller)
        let done = try await store.cancel(tab.webviewSession, tab: tabHash, by: caller)
        try note(done, .cancel, shown, by: caller)
        if case .canceled = done.outcome { steps.note("session.canceled", tab.webviewSession) }
        return done.outcome
    }

    /// Whether a ticket that a tab remembers is the one that its webview session was opened with.
    ///
    /// - Parameters:
    ///   - view: The webview session, as the tab sees it.
    /// - Returns: False also for the webview session's id with another secret.
    package func opened(_ view: WebviewSessionView, with ticket: LaunchTicket) -> Bool {
        hash(ticket) == view.record.launchHash
    }

    // MARK: Shared by the tab's functions

    private func read(_ tab: TabToken, withDetails: Bool, by caller: Caller) async throws(StoreError) -> TabOutcome {
        let tabHash = hash(tab)
        if let state = endedSessions.state(of: tabHash, at: clock.monotonicNow()) {
            return .refused(.closed(state))
        }
        let shown = ShownTokens(tab.webviewSession, tabHash)
        try admit(shown, by: caller)
        let found = try await store.view(tab.webviewSession, tab: tabHash, withPrivate: withDetails, by: caller)
        try note(found, .tab, shown, by: caller)
        if found.isFound { limits.remember(shown) }
        if case .refused(.closed(let state)) = found.outcome, state.isDead {
            endedSessions.insert(state, of: tabHash, at: clock.monotonicNow())
        }
        return found.outcome
    }

    /// The page with what the seal holds, and with the ticket that opened it: deriving that once is enough.
    private func detailed(
        _ view: consuming WebviewSessionView,
        _ tab: TabToken
    ) throws(StoreError) -> WebviewSessionView {
        let ticket = returnTicket(of: tab)
        view.details = try details(of: view.record, under: ticket)
        view.returnTicket = ticket
        return view
    }

    /// A reason as one word that may be stored.
    static func word(_ reason: String) -> String {
        String(
            decoding: reason.utf8.filter { (0x41...0x5A).contains($0 & 0xDF) && $0 < 0x80 }.prefix(64),
            as: UTF8.self
        )
    }
}
