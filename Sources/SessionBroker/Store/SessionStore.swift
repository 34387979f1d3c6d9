package import Primitives

/// Keeps webview sessions; there is one implementation, on PostgreSQL, because the guarantees below are what a database is for.
///
/// Each function is atomic: it finds one webview session by its id and the hash of a secret, decides on the newest version of
/// that row, changes the row and writes one audit row with the verdict, or does none of this. Of calls that race each decides
/// on what the one before left. All deadlines are compared with the store's clock, never with the caller's.
///
/// A webview session that is not there and a secret that does not fit are one case, `nil`: nothing is changed and nothing is
/// written, not even a version of the row. The store sees hashes and sealed bytes, never a token.
///
/// Every function throws `unavailable` and `overloaded` (nothing was done), `fault` (nothing was done, a retry fails too), and
/// those that change something `outcomeUnknown`: it may have been done, and a re-read did not show it. Then ask the caller to
/// try again: each statement decides anew on what is there.
package protocol SessionStore: AnyObject {
    // MARK: The launch

    /// Stores a webview session in state `issued`.
    func issue(_ new: NewWebviewSession, by caller: Caller) async throws(StoreError)

    /// Lets a launch ticket open its tab, or says why not. At most one tab token is live afterwards.
    func open(_ request: OpenRequest, by caller: Caller) async throws(StoreError) -> OpenedWebviewSession?

    // MARK: The tab

    /// Looks at a live or superseded tab token; changes nothing.
    func readTab(
        _ webviewSession: WebviewSessionID,
        tab: Digest32,
        withPrivate: Bool
    ) async throws(StoreError) -> TabReading?

    /// Slides the idle deadline and remembers that the tab was seen; a superseded token revokes the webview session.
    func touchTab(
        _ webviewSession: WebviewSessionID,
        tab: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> TouchedTab?

    /// Pins the provider's session, stores postage and total, replaces the sealed details.
    func review(_ request: ReviewRequest, by caller: Caller) async throws(StoreError) -> Transition<ReviewDecision>?

    /// Moves a reviewed or placed webview session to `placed`.
    func place(_ request: PlaceRequest, by caller: Caller) async throws(StoreError) -> Transition<PlaceDecision>?

    /// Moves a placed webview session back to `reviewed`, unless it was placed again since; says whether it did.
    func unplace(_ webviewSession: WebviewSessionID, placement: Int, by caller: Caller) async throws(StoreError) -> Bool

    /// Moves a webview session that is placed with this session to `declined`; says whether it did.
    func decline(
        _ webviewSession: WebviewSessionID,
        orderReference: String,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Ends a webview session that the buyer cancels.
    func cancel(
        _ webviewSession: WebviewSessionID,
        tab: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Transition<CancelDecision>?

    // MARK: The purchase

    /// Takes the lease of a purchase, or says why not. Proofs are checked before anything else.
    func begin(
        _ evidence: PurchaseEvidence,
        freshAttempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Transition<PurchaseDecision>?

    /// What `begin` would decide; changes nothing.
    func check(_ evidence: PurchaseEvidence) async throws(StoreError) -> Transition<PurchaseDecision>?

    /// Profile strict: sends a reviewed webview session back to `issued` with a fresh launch ticket and kills the tab token;
    /// says whether it did. Asked again before that ticket has opened, it replaces it.
    func meet(
        _ evidence: PurchaseEvidence,
        freshLaunchHash: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// What `arrive` would decide of a webview session that an app started by itself; changes nothing. `nil` for another
    /// webview session.
    func readMobileReturn(_ evidence: PurchaseEvidence) async throws(StoreError) -> Transition<MobileReturnDecision>?

    /// Pins the provider's session of such a webview session and moves it to `placed`; the sealed details replace those of a
    /// session before. Proofs are checked before anything else.
    func arrive(
        _ evidence: PurchaseEvidence,
        sealed: [UInt8]?,
        by caller: Caller
    ) async throws(StoreError) -> Transition<MobileReturnDecision>?

    /// Lets the lease be over now; the webview session stays `purchasing`. Does nothing for another attempt id; says whether it
    /// did.
    func expireLease(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Notes for the order that the provider agreed to the purchase before the bank has spoken; once for each order, and only
    /// while the attempt holds the webview session.
    func notePending(_ webviewSession: WebviewSessionID, attempt: UUIDBytes) async throws(StoreError)

    /// Gives the lease back: `purchasing` becomes `placed`. Does nothing for another attempt id; says whether it did.
    func release(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Ends the attempt. Does nothing for another attempt id; says whether it did.
    func settle(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        as end: AttemptOutcome,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Takes the lease of a purchase whose lease is over, for the recovery task; `nil` when it is not.
    ///
    /// Counts one recovery, and lets the purchase be overdue again only after the pause. A row that somebody has locked is not
    /// to be had: nobody's lock is waited for.
    func takeOver(
        _ webviewSession: WebviewSessionID,
        freshAttempt: UUIDBytes,
        pause: Duration,
        by caller: Caller
    ) async throws(StoreError) -> WebviewSessionRecord?

    /// Claims purchases whose lease and pause are over and that were not given up, longest due first: none is claimed again
    /// within half a minute. Waits for no lock, and passes over clients that this version does not know.
    func claimOverdue(limit: Int) async throws(StoreError) -> [OverduePurchase]

    /// Puts a purchase off that could not be taken over: half a minute, doubled with each time in a row, up to an hour.
    func postpone(_ webviewSession: WebviewSessionID) async throws(StoreError)

    /// Notes that the provider denies the session of a purchase; says whether it has for an hour. False for another attempt id.
    func noteMissing(_ webviewSession: WebviewSessionID, attempt: UUIDBytes) async throws(StoreError) -> Bool

    /// Lets a purchase never be overdue again. Does nothing for another attempt id; says whether it did.
    func giveUp(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Lets a purchase that was given up be overdue again, as if it had begun now; says whether it did.
    func resume(_ webviewSession: WebviewSessionID, reason: String, by caller: Caller) async throws(StoreError) -> Bool

    /// Claims purchases that were given up for want of an answer and whose session can still be read: each once a day. Waits
    /// for no lock.
    func claimStuck(limit: Int) async throws(StoreError) -> [StuckPurchase]

    /// The payment state of a webview session; `nil` for one that is not there.
    func payment(of webviewSession: WebviewSessionID) async throws(StoreError) -> WebviewSessionPayment?

    /// Has the recovery read the session of a webview session that was placed or ended unpaid, because it was seen completed;
    /// says whether it will.
    ///
    /// The lease is over at once, and nothing is sent under it: a session that is completed takes nothing more. Recovery waits
    /// for the pause.
    func reclaim(
        _ webviewSession: WebviewSessionID,
        session: String,
        freshAttempt: UUIDBytes,
        reason: String,
        pause: Duration,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// The purchases that were given up, oldest first.
    func stuckPurchases(limit: Int) async throws(StoreError) -> [StuckPurchase]

    /// Looks for the receipt of a return ticket; changes nothing.
    func receipt(_ request: ReceiptRequest) async throws(StoreError) -> Transition<ReceiptDecision>?

    // MARK: The app and the operator

    /// The status of a webview session, by launch ticket and app proof.
    func status(
        _ webviewSession: WebviewSessionID,
        launch: Digest32,
        app: Digest32
    ) async throws(StoreError) -> WebviewSessionStatus?

    /// Writes down something seen about a token of the webview session, whichever it is; says whether there is such a token.
    func observe(
        _ observation: Observation,
        webviewSession: WebviewSessionID,
        token: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Revokes one webview session that is not final and not at the provider; says whether it did.
    func revoke(_ webviewSession: WebviewSessionID, by caller: Caller) async throws(StoreError) -> Bool

    /// Revokes all such webview sessions of an install, or all; says how many. Several statements: webview sessions issued
    /// meanwhile may remain.
    func revokeAll(install: Digest32?, by caller: Caller) async throws(StoreError) -> Int

    /// Which of the given webview sessions still count against the limit of an install.
    func live(among webviewSessions: [WebviewSessionID]) async throws(StoreError) -> [WebviewSessionID]

    /// The trail of a webview session, in order; empty for one that is not there.
    func audit(_ webviewSession: WebviewSessionID) async throws(StoreError) -> [AuditEvent]

    /// The newest rows that should worry an operator: reuse, superseded tokens, wrong proofs, plaintext. Newest first.
    func alerts(since: WallTime, limit: Int) async throws(StoreError) -> [AuditEvent]

    /// Counts the live webview sessions of a range of ids, of which it looks at so many, in their order.
    func countLive(from: WebviewSessionID, until: WebviewSessionID, limit: Int) async throws(StoreError) -> CountStep

    // MARK: Upkeep

    /// Marks overdue webview sessions as expired, in the order of their ids, starting behind one.
    func sweep(after: WebviewSessionID?, limit: Int, by caller: Caller) async throws(StoreError) -> SweepStep

    /// How far sweeps have come, of any process: every webview session with a lesser id has ended; `nil` before the first.
    func sweepMark() async throws(StoreError) -> WebviewSessionID?

    /// Notes how far a sweep has come that began at a mark or before it; a mark that is further already stays.
    func noteSweepMark(_ mark: WebviewSessionID) async throws(StoreError)
}
