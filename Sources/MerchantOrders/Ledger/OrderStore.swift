package import Primitives

/// Keeps orders, the ledger of what the provider holds, and the operations on it.
///
/// Each function is atomic, and whatever changes the money of one order does so one after the other. Every function throws
/// `unavailable` and `overloaded` (nothing was done), `fault`, and those that change something `outcomeUnknown`: it may have been
/// done. An operation that has begun is never lost by that: once its lease is over it is among the stuck ones.
package protocol OrderStore: AnyObject {
    /// An order with its charges, or `nil` where there is none.
    func read(_ flow: UUIDBytes) async throws(MerchantStoreError) -> MerchantOrder?

    /// A part of the list of all orders, newest first, each with its charges.
    func page(_ query: OrderQuery) async throws(MerchantStoreError) -> OrderPage

    /// An object of the ledger by the provider's id.
    func object(_ id: String) async throws(MerchantStoreError) -> LedgerObject?

    /// All objects of an order, oldest first.
    func objects(of flow: UUIDBytes) async throws(MerchantStoreError) -> [LedgerObject]

    /// Begins an operation, or says why not. At most one on each target is open.
    func begin(_ request: OperationRequest) async throws(MerchantStoreError) -> OperationVerdict

    /// Ends an operation: ledger, order, event and the answer to its request in one. Says whether the caller still held it.
    func settle(_ operation: PaymentOperation, as end: OperationEnd) async throws(MerchantStoreError) -> Bool

    /// Takes over an operation whose lease is over.
    func takeOver(_ operation: UUIDBytes, freshAttempt: UUIDBytes) async throws(MerchantStoreError) -> TakeOver

    /// Operations whose lease is over, oldest first.
    func stuckOperations(limit: Int) async throws(MerchantStoreError) -> [UUIDBytes]

    /// Takes in what was read of an object.
    func observe(_ object: ObservedObject) async throws(MerchantStoreError) -> ObserveVerdict

    /// Makes the partitions that are due, drops those past retention, and deletes what belonged to them.
    func maintain(keep: Duration) async throws(MerchantStoreError) -> LedgerUpkeep
}

/// What a round of upkeep of orders did.
package struct LedgerUpkeep: Sendable, Hashable {
    /// Partitions that were made.
    package let made: Int
    /// Partitions that were dropped.
    package let dropped: Int
    /// Partitions past retention that somebody still reads.
    package let overdue: Int
    /// Rows of the ledger that were deleted.
    package let deleted: Int

    /// What a round did.
    ///
    /// - Parameters:
    ///   - made: Partitions that were made.
    ///   - dropped: Partitions that were dropped.
    ///   - overdue: Partitions past retention that somebody still reads.
    ///   - deleted: Rows of the ledger that were deleted.
    package init(made: Int, dropped: Int, overdue: Int, deleted: Int) {
        self.made = made
        self.dropped = dropped
        self.overdue = overdue
        self.deleted = deleted
    }
}
