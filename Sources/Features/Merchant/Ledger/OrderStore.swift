package import MerchantOrders
package import Primitives

/// Keeps orders, the ledger of what the provider holds, and the operations on it.
///
/// Each function is atomic, and whatever changes the money of one order does so one after the other. Every function throws
/// `unavailable` and `overloaded` (nothing was done), `fault`, and those that change something `outcomeUnknown`: it may have
/// been done. An operation that has begun is never lost by that: once its lease is over it is among those that were left.
package protocol OrderStore: AnyObject {
    /// An order with its charges, or `nil` where there is none.
    func read(_ webviewSession: UUIDBytes) async throws(StoreError) -> MerchantOrder?

    /// A part of the list of all orders, newest first, each with its charges.
    func page(_ query: OrderQuery) async throws(StoreError) -> OrderPage

    /// An object of the ledger by the provider's id.
    func object(_ id: String) async throws(StoreError) -> LedgerObject?

    /// All objects of an order, in the order in which they were written down.
    func objects(of webviewSession: UUIDBytes) async throws(StoreError) -> [LedgerObject]

    /// Begins an operation, or says why not. At most one on each target is open.
    func begin(_ request: OperationRequest) async throws(StoreError) -> OperationOutcome

    /// Ends an operation: ledger, order, event and the answer to its request in one. Says whether the caller still held it.
    func settle(_ operation: PaymentOperation, as end: OperationEnd) async throws(StoreError) -> Bool

    /// Takes over an operation whose lease is over; nobody's lock is waited for.
    ///
    /// A recovery is counted, has to be followed by a pause, and is the last one in the end; a repeat of the request is none of
    /// that.
    func takeOver(
        _ operation: UUIDBytes,
        by taker: OperationTaker,
        freshAttempt: UUIDBytes
    ) async throws(StoreError) -> TakeOver

    /// Gives the lease back of an operation whose outcome stayed unknown: a repeat of the request takes it over at once,
    /// recovery after its pause. Does nothing for another attempt id.
    func expireLease(_ operation: PaymentOperation) async throws(StoreError)

    /// Lets an operation be as it was before the recovery took it over, and due again in a moment: the provider was not asked.
    /// Does nothing for another attempt id.
    func putBack(_ operation: PaymentOperation) async throws(StoreError)

    /// Claims operations whose lease and pause are over, longest due first: none is claimed again within half a minute. Waits
    /// for no lock, and passes over kinds that this version does not know.
    func claimLeft(limit: Int) async throws(StoreError) -> [UUIDBytes]

    /// Puts an operation off that could not be taken over: half a minute, doubled with each time in a row, up to an hour.
    func postpone(_ operation: UUIDBytes) async throws(StoreError)

    /// Takes in what was read of an object.
    func observe(_ object: ObservedObject) async throws(StoreError) -> ObserveOutcome
}
