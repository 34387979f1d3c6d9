package import Primitives

/// Keeps flows; there is one implementation, on PostgreSQL, because the guarantees below are what a database is for.
///
/// Each function is atomic: it finds one flow by its id and the hash of a secret, decides on the newest version of that row,
/// changes the row and writes one audit row with the verdict, or does none of this. Of calls that race each decides on what
/// the one before left. All deadlines are compared with the store's clock, never with the caller's.
///
/// A flow that is not there and a secret that does not fit are one case, `nil`: nothing is changed and nothing is written, not
/// even a version of the row. The store sees hashes and sealed bytes, never a token.
///
/// Every function throws `unavailable` and `overloaded` (nothing was done), `fault` (nothing was done, a retry fails too), and those that change
/// something `outcomeUnknown`: it may have been done, and looking did not tell. Then ask the caller to try again: each
/// statement decides anew on what is there.
package protocol SessionStore: AnyObject {
    // MARK: The launch

    /// Stores a flow in state `issued`.
    func issue(_ new: NewFlow, by caller: Caller) async throws(StoreError)

    /// Lets a launch ticket open its tab, or says why not. At most one tab token is live afterwards.
    func open(_ request: OpenRequest, by caller: Caller) async throws(StoreError) -> OpenedFlow?

    // MARK: The tab

    /// Looks at a live or superseded tab token; changes nothing.
    func readTab(_ flow: FlowID, tab: Digest32, withPrivate: Bool) async throws(StoreError) -> TabReading?

    /// Slides the idle deadline and remembers that the tab was seen; a superseded token revokes the flow.
    func touchTab(_ flow: FlowID, tab: Digest32, by caller: Caller) async throws(StoreError) -> TouchedTab?

    /// Pins the provider's session, stores postage and total, replaces the sealed details.
    func review(_ request: ReviewRequest, by caller: Caller) async throws(StoreError) -> Transition<ReviewDecision>?

    /// Moves a reviewed or placed flow to `placed`.
    func place(_ request: PlaceRequest, by caller: Caller) async throws(StoreError) -> Transition<PlaceDecision>?

    /// Moves a placed flow back to `reviewed`, unless it was placed again since; says whether it did.
    func unplace(_ flow: FlowID, placement: Int, by caller: Caller) async throws(StoreError) -> Bool

    /// Moves a flow that is placed with this session to `declined`; says whether it did.
    func decline(
        _ flow: FlowID,
        orderReference: String,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Ends a flow on the buyer's wish.
    func cancel(
        _ flow: FlowID,
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

    /// Profile strict: sends a reviewed flow back to `issued` with a fresh launch ticket and kills the tab token; says whether it
    /// did. Asked again before that ticket has opened, it replaces it.
    func meet(
        _ evidence: PurchaseEvidence,
        freshLaunchHash: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// What `arrive` would decide of a flow that an app started by itself; changes nothing. `nil` for another flow.
    func readMobileReturn(_ evidence: PurchaseEvidence) async throws(StoreError) -> Transition<MobileReturnDecision>?

    /// Pins the provider's session of such a flow and moves it to `placed`; the sealed details replace those of a session before. Proofs
    /// are checked before anything else.
    func arrive(
        _ evidence: PurchaseEvidence,
        sealed: [UInt8]?,
        by caller: Caller
    ) async throws(StoreError) -> Transition<MobileReturnDecision>?

    /// Lets the lease be over now; the flow stays `purchasing`. Does nothing for another attempt id; says whether it did.
    func expireLease(_ flow: FlowID, attempt: UUIDBytes, by caller: Caller) async throws(StoreError) -> Bool

    /// Notes for the order that the provider agreed to the purchase before the bank has spoken; once for each order, and only while
    /// the attempt holds the flow.
    func notePending(_ flow: FlowID, attempt: UUIDBytes) async throws(StoreError)

    /// Gives the lease back: `purchasing` becomes `placed`. Does nothing for another attempt id; says whether it did.
    func release(_ flow: FlowID, attempt: UUIDBytes, by caller: Caller) async throws(StoreError) -> Bool

    /// Ends the attempt. Does nothing for another attempt id; says whether it did.
    func settle(
        _ flow: FlowID,
        attempt: UUIDBytes,
        as end: AttemptOutcome,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Takes the lease of a purchase whose lease is over, for the recovery task; `nil` when it is not.
    ///
    /// Counts one recovery, and lets the purchase be overdue again only after the pause. A row that somebody has locked is not to be
    /// had: nobody's lock is waited for.
    func takeOver(
        _ flow: FlowID,
        freshAttempt: UUIDBytes,
        pause: Duration,
        by caller: Caller
    ) async throws(StoreError) -> FlowRecord?

    /// Claims purchases whose lease and pause are over and that were not given up, longest due first: none is claimed again within
    /// half a minute. Waits for no lock, and passes over clients that this version does not know.
    func claimOverdue(limit: Int) async throws(StoreError) -> [OverduePurchase]

    /// Puts a purchase off that could not be taken over: half a minute, doubled with each time in a row, up to an hour.
    func postpone(_ flow: FlowID) async throws(StoreError)

    /// Notes that the provider denies the session of a purchase; says whether it has for an hour. False for another attempt id.
    func noteMissing(_ flow: FlowID, attempt: UUIDBytes) async throws(StoreError) -> Bool

    /// Lets a purchase never be overdue again. Does nothing for another attempt id; says whether it did.
    func giveUp(
        _ flow: FlowID,
        attempt: UUIDBytes,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Lets a purchase that was given up be overdue again, as if it had begun now; says whether it did.
    func resume(_ flow: FlowID, reason: String, by caller: Caller) async throws(StoreError) -> Bool

    /// Claims purchases that were given up for want of an answer and whose session can still be read: each once a day. Waits for no lock.
    func claimStuck(limit: Int) async throws(StoreError) -> [StuckPurchase]

    /// What a flow knows of its payment; `nil` for one that is not there.
    func payment(of flow: FlowID) async throws(StoreError) -> FlowPayment?

    /// Has the recovery read the session of a flow that was placed or ended unpaid, because it was seen completed; says whether it will.
    ///
    /// The lease is over at once, and nothing is sent under it: a session that is completed takes nothing more. Recovery waits for the
    /// pause.
    func reclaim(
        _ flow: FlowID,
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

    /// The status of a flow, by launch ticket and app proof.
    func status(_ flow: FlowID, launch: Digest32, app: Digest32) async throws(StoreError) -> FlowStatus?

    /// Writes down something seen about a token of the flow, whichever it is; says whether there is such a token.
    func observe(
        _ observation: Observation,
        flow: FlowID,
        token: Digest32,
        by caller: Caller
    ) async throws(StoreError) -> Bool

    /// Revokes one flow that is not final and not at the provider; says whether it did.
    func revoke(_ flow: FlowID, by caller: Caller) async throws(StoreError) -> Bool

    /// Revokes all such flows of an install, or all; says how many. Several statements: flows issued meanwhile may remain.
    func revokeAll(install: Digest32?, by caller: Caller) async throws(StoreError) -> Int

    /// Which of the given flows still count against the limit of an install.
    func live(among flows: [FlowID]) async throws(StoreError) -> [FlowID]

    /// The trail of a flow, in order; empty for one that is not there.
    func audit(_ flow: FlowID) async throws(StoreError) -> [AuditEvent]

    /// The newest rows that should worry an operator: reuse, superseded tokens, wrong proofs, plaintext. Newest first.
    func alerts(since: WallTime, limit: Int) async throws(StoreError) -> [AuditEvent]

    /// Counts the live flows of a range of ids, of which it looks at so many, in their order.
    func countLive(from: FlowID, until: FlowID, limit: Int) async throws(StoreError) -> CountStep

    // MARK: Upkeep

    /// Marks overdue flows as expired, in the order of their ids, starting behind one.
    func sweep(after: FlowID?, limit: Int, by caller: Caller) async throws(StoreError) -> SweepStep

    /// How far sweeps have come, of any process: every flow with a lesser id has ended; `nil` before the first.
    func sweepMark() async throws(StoreError) -> FlowID?

    /// Notes how far a sweep has come that began at a mark or before it; a mark that is further already stays.
    func noteSweepMark(_ mark: FlowID) async throws(StoreError)
}
