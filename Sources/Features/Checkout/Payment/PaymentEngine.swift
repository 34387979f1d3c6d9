package import Operations
package import Primitives
package import Web

// Every operation that moves or releases money (complete, finalize, capture, charge, refund, cancel, close) has the same life:
//
//   lease     the store writes down what is to be sent, and lets one caller send it
//   ask       the provider is called outside any transaction; every try sends the same octets under the same key
//   settle    the provider's last word is stored under the attempt id of the lease
//   give up   no further question will bring the operation to its end: it is left to people
//
// Whoever dies in between leaves a lease that ends by itself; the next holder knows that an earlier try may have got through.

/// Which try of an operation it is.
package enum PaymentTry: Sendable, CaseIterable {
    /// Nothing was sent before.
    case first
    /// An earlier try may have got through.
    case recovery
    /// The same, and no other follows by itself: what stays unknown is given up.
    case last
}

/// Why an operation is left to people; the raw value is stored.
package enum GiveUpReason: String, Sendable, CaseIterable {
    /// The provider does not know what it is asked about.
    case gone
    /// Money was taken, or may be, that is not the order's amount.
    case amount
    /// The provider was asked for as long as it makes sense.
    case time
    /// The provider has had the key with other octets: a repeat brings the same, and a new key could pay twice.
    case key = "DuplicateIdempotencyKey"
}

/// An outcome that nobody knows yet.
package struct UnknownOutcome: Sendable {
    /// For the caller.
    let failure: Failure
    /// Whether the lease ends at once, so that the next request need not wait for it.
    let endsLease: Bool
    /// Whether the question that decides had no turn at the provider.
    let isHeldBack: Bool

    /// An outcome that the next holder of the lease asks for.
    package init(_ failure: Failure, endsLease: Bool, isHeldBack: Bool = false) {
        self.failure = failure
        self.endsLease = endsLease
        self.isHeldBack = isHeldBack
    }
}

/// What the provider's reply means for an operation.
package enum PaymentReply<End, Value> {
    /// The provider's last word, and what the caller gets.
    case settled(End, Result<Value, Failure>)
    /// Nothing happened, and nothing is under way.
    case notReady(Failure)
    /// This try had no effect. An earlier one may have had: then the outcome is unknown.
    case noEffect(Failure, or: UnknownOutcome)
    /// It may have had an effect.
    case unknown(UnknownOutcome)
    /// No further question will help.
    case stuck(GiveUpReason, Failure)
}

/// What is done about a reply.
package enum PaymentStep<End, Value> {
    /// The end is stored.
    case settle(End, Result<Value, Failure>)
    /// The lease is given back: the next try is a new one.
    case release(Failure)
    /// The lease stays or ends, and its next holder asks the provider first.
    case wait(UnknownOutcome)
    /// The try counts as none: all is as it was before, and the next one follows soon.
    case putBack(UnknownOutcome)
    /// The operation is left to people.
    case giveUp(GiveUpReason, Failure)
}

extension PaymentReply {
    /// The one rule of tries: only the first can be taken back, and the last never leaves anything unknown, unless it had no
    /// turn.
    package func step(after turn: PaymentTry) -> PaymentStep<End, Value> {
        switch self {
        case .settled(let end, let result): .settle(end, result)
        case .notReady(let failure): .release(failure)
        case .stuck(let reason, let failure): .giveUp(reason, failure)
        case .noEffect(let failure, _) where turn == .first: .release(failure)
        case .noEffect(_, or: let outcome) where outcome.isHeldBack, .unknown(let outcome) where outcome.isHeldBack:
            turn == .first ? .wait(outcome) : .putBack(outcome)
        case .noEffect(_, or: let outcome), .unknown(let outcome):
            turn == .last ? .giveUp(.time, outcome.failure) : .wait(outcome)
        }
    }
}

/// What one kind of operation adds to the engine: its provider's calls and its store.
///
/// Functions of the store say whether the caller still held the lease.
package protocol PaymentOperations: AnyObject {
    /// The right to ask, with everything that is sent.
    associatedtype Lease
    /// How an operation ends.
    associatedtype End
    /// What the caller gets.
    associatedtype Value

    /// Asks the provider.
    func ask(_ lease: Lease, _ turn: PaymentTry) async throws(Failure) -> PaymentReply<End, Value>

    /// Stores the end.
    func settle(_ lease: Lease, as end: End) async throws(Failure) -> Bool

    /// Gives the lease back.
    func release(_ lease: Lease, because failure: Failure) async throws(Failure) -> Bool

    /// Ends the lease; the operation stays under way.
    func expireLease(_ lease: Lease, because failure: Failure) async throws(Failure) -> Bool

    /// Ends the lease of a try that had no turn; the recovery does not count it.
    func putBack(_ lease: Lease, because failure: Failure) async throws(Failure) -> Bool

    /// Leaves the operation to people; returns the failure for the caller, or `nil` where the lease was lost.
    func giveUp(_ lease: Lease, _ reason: GiveUpReason, because failure: Failure) async throws(Failure) -> Failure?

    /// The end is stored.
    func noteSettled(_ lease: Lease, as end: End) async

    /// Somebody else holds the lease: what they find at the provider counts, not what this call saw.
    func lost(_ lease: Lease) -> Failure
}

extension PaymentOperations {
    /// Brings an operation as far as one try can; the caller holds the lease.
    ///
    /// - Returns: The answer of an operation that took effect.
    /// - Throws: Why there is none, and what the store says; then the lease ends by itself.
    package func run(_ lease: Lease, _ turn: PaymentTry) async throws(Failure) -> Value {
        switch try await ask(lease, turn).step(after: turn) {
        case .settle(let end, let result):
            guard try await settle(lease, as: end) else { throw lost(lease) }
            await noteSettled(lease, as: end)
            return try result.get()
        case .release(let failure):
            guard try await release(lease, because: failure) else { throw lost(lease) }
            throw failure
        case .wait(let outcome):
            if outcome.endsLease {
                guard try await expireLease(lease, because: outcome.failure) else { throw lost(lease) }
            }
            throw outcome.failure
        case .putBack(let outcome):
            guard try await putBack(lease, because: outcome.failure) else { throw lost(lease) }
            throw outcome.failure
        case .giveUp(let reason, let failure):
            throw try await giveUp(lease, reason, because: failure) ?? lost(lease)
        }
    }

    /// The same for an operation that nobody waits for; returns why it has no answer, or `nil` where it has one.
    package func recover(_ lease: Lease, _ turn: PaymentTry) async -> FailureCode? {
        do throws(Failure) {
            _ = try await run(lease, turn)
            return nil
        } catch {
            return error.code
        }
    }
}

extension WorkerPool {
    /// Takes up operations whose leases are over, until there are none.
    ///
    /// Each is claimed before it is taken up, so that several processes share the work. One that cannot be taken up is put off
    /// and holds up no other; where the store cannot even do that, the others would fare no better.
    ///
    /// - Parameters:
    ///   - budget: Looked at before each claim.
    ///   - claim: Takes so many at most; none is claimed again for a while.
    /// - Throws: What a claim throws.
    package func takeUp<Item: Sendable>(
        _ budget: RunBudget,
        claim: (Int) async throws(StoreError) -> [Item],
        _ takeUp: @escaping (Item) async -> Bool,
        postpone: @escaping (Item) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        try await run(budget, claim: claim) { item in
            if await takeUp(item) { return true }
            do throws(StoreError) {
                try await postpone(item)
                return true
            } catch {
                return false
            }
        }
    }
}
