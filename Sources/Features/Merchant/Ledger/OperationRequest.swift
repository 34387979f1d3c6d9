package import MerchantOrders
package import Primitives
package import ServiceAPI

/// An operation that is to begin.
package struct OperationRequest: Sendable, Hashable {
    /// Made by the caller, of version 7; never equal to a webview session's.
    package let id: UUIDBytes
    /// Made by the caller: fences the end.
    package let attempt: UUIDBytes
    /// The order.
    package let order: UUIDBytes
    /// What is to be done.
    package let intent: OperationIntent
    /// The provider's id of what it is done to.
    package let target: String
    /// What every try sends.
    package let body: [UInt8]
    /// The key that every try sends.
    package let key: String
    /// The request of a merchant that asks for it.
    package var claim: IdempotencyClaim?
    /// What the object that comes of it has afterwards, as far as a merchant has said something.
    package var memo = PaymentMemo.none

    /// An operation.
    ///
    /// - Parameters:
    ///   - identity: Two fresh ids: the operation's and the attempt's.
    ///   - target: The provider's id of what it is done to.
    ///   - call: What every try sends, and under which key.
    package init(
        _ identity: (id: UUIDBytes, attempt: UUIDBytes),
        of order: UUIDBytes,
        _ intent: OperationIntent,
        on target: String,
        call: (body: [UInt8], key: String)
    ) {
        id = identity.id
        attempt = identity.attempt
        self.order = order
        self.intent = intent
        self.target = target
        body = call.body
        key = call.key
    }
}

/// Whether an operation has begun.
package enum OperationOutcome: Sendable, Hashable {
    /// It has: the caller holds it.
    case begun(PaymentOperation)
    /// The same request was carried out before.
    case replayed(StoredAnswer)
    /// The same request is being carried out.
    case inProgress
    /// Another operation on the target has not ended.
    case held(HoldingOperation)
    /// The same request has begun this operation, and its holder is gone: it may be taken over.
    case left(UUIDBytes)
    /// The claim was used for another request.
    case keyReused
    /// The same request has begun this operation, and a person has to look at it.
    case stuck(UUIDBytes)
    /// No order has the target.
    case unknown
    /// The ledger forbids it; the state is the target's.
    case refused(LedgerOutcome, ObjectState)
}

/// How an operation ends.
package enum OperationEnd: Sendable, Hashable {
    /// It took effect: what came of it.
    case done(ObservedObject, StoredAnswer)
    /// The provider took it on; how it ends is known later.
    case pending(ObservedObject, StoredAnswer)
    /// It had no effect and will have none: the provider's word, and the object where it could be read.
    case refused(String, ObservedObject?, StoredAnswer)
    /// It had no effect and will have none: the provider has had its key with other octets, from a request whose claim is lost.
    case reused
    /// Nothing was sent, so the request may be made again.
    case released
    /// A person must look; the target stays taken.
    case stuck(String)

    /// A word of lower-case letters, as the operation's row keeps it.
    package var word: String {
        switch self {
        case .done: "done"
        case .pending: "pending"
        case .refused, .reused: "refused"
        case .released: "released"
        case .stuck: "stuck"
        }
    }

    /// All that `word` can be.
    package static let words = ["done", "pending", "refused", "released", "stuck"]
}
