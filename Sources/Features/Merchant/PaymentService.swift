import AmazonPay
import Checkout
import CheckoutCodes
import Commerce
import EventIO
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import Telemetry
import Web

/// Moves money once, whatever crashes or races in between; one per loop.
///
/// It begins operations or takes them over; under the lease they are the payment engine's. What is left when its holder is gone
/// is taken over when the lease is over; an unknown outcome ends the lease at once.
final class PaymentService {
    private let orders: any OrderStore
    private let operations: OrderOperations
    private let random: any RandomSource
    private let logger: Logger

    /// A service for one loop.
    init(
        orders: any OrderStore,
        client: CheckoutClient,
        random: any RandomSource,
        logger: Logger,
        metrics: MetricsRegistry
    ) {
        self.orders = orders
        operations = OrderOperations(orders: orders, client: client, logger: logger, metrics: metrics)
        self.random = random
        self.logger = logger
    }

    /// Carries out what a merchant asks for.
    ///
    /// - Returns: The answer, which every repeat of the request gets too, and whether it is the one of an earlier request.
    /// - Throws: Why not; `outcome_unknown` while nobody knows.
    func carryOut(
        _ request: PaymentRequest,
        _ claim: IdempotencyClaim
    ) async throws(Failure) -> (answer: StoredAnswer, isReplayed: Bool) {
        var operation = OperationRequest(
            (freshID(), freshID()),
            of: request.target.webviewSession,
            request.intent,
            on: request.target.id,
            call: try request.call(claim)
        )
        operation.claim = claim
        operation.memo = request.memo
        var outcome = try await begin(operation)
        if outcome.mayBeOutdated(operation.intent.kind) {
            // What the ledger holds against it may be over at the provider by now.
            await operations.refreshOpenObjects(of: request.target.webviewSession)
            outcome = try await begin(operation)
        }
        switch outcome {
        case .begun(let begun): return (try await operations.run(begun, begun.turn), false)
        case .replayed(let answer): return (answer, true)
        case .left(let id): return (try await resume(id, request.target.webviewSession), false)
        default: throw PaymentService.problem(outcome, operation.intent, request.target.webviewSession)
        }
    }

    private func begin(_ operation: OperationRequest) async throws(Failure) -> OperationOutcome {
        try await Failure.mapErrors { try await orders.begin(operation) }
    }

    /// Reads an object at the provider now, and takes in what is said of it.
    ///
    /// - Parameter object: A charge, a refund or a permission.
    /// - Throws: `provider_failed`, and what the store says.
    func refresh(_ object: LedgerObject) async throws(Failure) { try await operations.refresh(object) }

    /// Takes up an operation whose holder is gone.
    ///
    /// - Throws: What the store says; the provider's word is only logged.
    func recover(_ id: UUIDBytes) async throws(StoreError) {
        switch try await orders.takeOver(id, by: .recovery, freshAttempt: freshID()) {
        case .none: break
        case .taken(let operation):
            let failure = await operations.recover(operation, operation.turn)
            logger.info("payment.recovered", operation.fields(failure?.name ?? "settled"))
        }
    }

    /// Goes on where another request of the same claim was cut off.
    private func resume(_ id: UUIDBytes, _ webviewSession: UUIDBytes) async throws(Failure) -> StoredAnswer {
        let taken = try await Failure.mapErrors { try await orders.takeOver(id, by: .request, freshAttempt: freshID()) }
        switch taken {
        case .taken(let operation): return try await operations.run(operation, operation.turn)
        case .none: throw Failure(.requestInProgress, session: webviewSession)
        }
    }

    private func freshID() -> UUIDBytes {
        UUIDBytes(version7At: SystemClock().now(), random: random)
    }

    // MARK: Words

    private static func problem(
        _ outcome: OperationOutcome,
        _ intent: OperationIntent,
        _ webviewSession: UUIDBytes
    ) -> Failure {
        switch outcome {
        case .begun, .replayed, .left, .inProgress: Failure(.requestInProgress, session: webviewSession)
        case .keyReused: Failure(.idempotencyKeyReused, session: webviewSession)
        case .stuck(let id):
            Failure(
                .outcomeUnknown,
                "a person has to look at the operation",
                session: webviewSession,
                context: OperationProblem(id: id, kind: intent.kind.rawValue)
            )
        case .held(let holder):
            Failure(
                holder.isStuck ? .chargeBlocked : .requestInProgress,
                message: holder.isStuck
                    ? nil : "Another operation on this payment is being carried out. Repeat the request.",
                session: webviewSession,
                context: OperationProblem(id: holder.id, kind: holder.kind)
            )
        case .unknown: Failure(.notFound)
        case .refused(.openCharges, _) where intent.kind == .createCharge:
            Failure(
                .openCharges,
                message:
                    "The session already has a charge that is not final, and only one is allowed at a time: capture or cancel it first.",
                session: webviewSession
            )
        case .refused(let refusal, let state): problem(refusal, intent.kind, state, webviewSession)
        }
    }

    private static func problem(
        _ refusal: LedgerOutcome,
        _ kind: OperationKind,
        _ state: ObjectState,
        _ webviewSession: UUIDBytes
    ) -> Failure {
        switch refusal {
        case .begun, .inProgress: Failure(.requestInProgress, session: webviewSession)
        case .wrongState:
            Failure(
                .wrongState,
                message: "The state is \(state.word), which does not allow the operation.",
                session: webviewSession
            )
        case .nothing:
            Failure(
                .invalidAmount,
                message: "The amount has to be greater than zero.",
                field: "amount",
                session: webviewSession
            )
        case .otherCurrency: Failure(.currencyNotSupported, field: "amount.currencyCode", session: webviewSession)
        case .exceeds(let limit):
            Failure(
                .amountExceeds,
                message: kind == .refund
                    ? "At most \(limit.text) \(limit.currency.rawValue) are left, with what the provider allows above the captured sum."
                    : "At most \(limit.text) \(limit.currency.rawValue) are left.",
                field: "amount",
                session: webviewSession
            )
        case .tooManyCharges: Failure(.tooManyCharges, session: webviewSession)
        case .openCharges: Failure(.openCharges, session: webviewSession)
        }
    }
}

extension OperationOutcome {
    /// Whether an operation is refused for what may have ended without our doing: a new charge for the sake of others, a refund
    /// or a cancellation for that of a capture under way, a capture because the bank had not decided.
    fileprivate func mayBeOutdated(_ kind: OperationKind) -> Bool {
        switch (kind, self) {
        case (.createCharge, .refused(.openCharges, _)), (.createCharge, .refused(.wrongState, .nonChargeable)): true
        case (.refund, .refused(.wrongState, .captureInitiated)): true
        case (.cancelCharge, .refused(.wrongState, .captureInitiated)): true
        case (.capture, .refused(.wrongState, .authorizationInitiated)): true
        default: false
        }
    }
}
