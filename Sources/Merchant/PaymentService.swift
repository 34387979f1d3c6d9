import AmazonPay
import Checkout
import CheckoutCodes
import Commerce
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import StrictJSON
import Telemetry
import Web

/// Moves money once, whatever crashes or races in between; one per loop.
///
/// The order is fixed, as for a purchase: the store writes down what is to be sent and gives the operation, the provider is
/// called outside any transaction, the store takes the end under the operation's attempt id. Every repeat sends the octets that
/// were written down, under the same key. What is left when its holder is gone is taken over when the lease is over; an unknown
/// outcome ends the lease at once.
final class PaymentService {
    private let orders: any OrderStore
    private let client: CheckoutClient
    private let random: any RandomSource
    private let logger: Logger
    private let metrics: MetricsRegistry
    private var counters: [String: Counter] = [:]

    /// For a call that moves money; reading the charge afterwards takes up to five seconds more, and all of it less than the
    /// lease.
    private static let limit = Duration.seconds(45)

    /// A service for one loop.
    ///
    /// - Parameters:
    ///   - orders: The ledger.
    ///   - client: The provider.
    ///   - random: Makes ids.
    ///   - logger: For recoveries, refusals and unknown outcomes.
    ///   - metrics: Counts operations.
    init(
        orders: any OrderStore,
        client: CheckoutClient,
        random: any RandomSource,
        logger: Logger,
        metrics: MetricsRegistry
    ) {
        self.orders = orders
        self.client = client
        self.random = random
        self.logger = logger
        self.metrics = metrics
        // Who watches for the first that is stuck has to see the zero before it.
        for kind in OperationKind.allCases {
            for outcome in OperationEnd.words + ["unknown"] { _ = counter(kind, outcome) }
        }
    }

    /// Carries out what a merchant asks for.
    ///
    /// - Parameters:
    ///   - request: What is to be done.
    ///   - claim: The merchant's request.
    /// - Returns: The answer, which every repeat of the request gets too.
    /// - Throws: Why not; `outcome_unknown` while nobody knows.
    func carryOut(_ request: PaymentRequest, _ claim: IdempotencyClaim) async throws(Failure) -> StoredAnswer {
        var operation = OperationRequest(
            (freshID(), freshID()),
            of: request.target.webviewSession,
            request.intent,
            on: request.target.id,
            call: try request.call(claim)
        )
        operation.claim = claim
        var verdict = try await begin(operation)
        if verdict.mayBeOutdated(operation.intent.kind) {
            // What the ledger holds against it may be over at the provider by now.
            await look(atWhatIsOpenIn: request.target.webviewSession)
            verdict = try await begin(operation)
        }
        switch verdict {
        case .begun(let begun): return try await perform(begun)
        case .replayed(let answer): return answer
        case .left(let id): return try await resume(id, request.target.webviewSession)
        default: throw PaymentService.problem(verdict, operation.intent, request.target.webviewSession)
        }
    }

    private func begin(_ operation: OperationRequest) async throws(Failure) -> OperationVerdict {
        try await Failure.mapErrors { () async throws(StoreError) in try await orders.begin(operation) }
    }

    /// Takes up an operation whose holder is gone.
    ///
    /// - Parameter id: Claimed by the caller.
    /// - Throws: What the store says; the provider's word is only logged.
    func recover(_ id: UUIDBytes) async throws(StoreError) {
        switch try await orders.takeOver(id, by: .recovery, freshAttempt: freshID()) {
        case .none: break
        case .taken(let operation):
            var outcome = "settled"
            do throws(Failure) {
                _ = try await perform(operation)
            } catch {
                outcome = error.code.name
            }
            logger.info("payment.recovered", PaymentService.fields(operation, outcome))
        }
    }

    /// Goes on where another request of the same claim was cut off.
    private func resume(_ id: UUIDBytes, _ webviewSession: UUIDBytes) async throws(Failure) -> StoredAnswer {
        let taken = try await Failure.mapErrors { () async throws(StoreError) in
            try await orders.takeOver(id, by: .request, freshAttempt: freshID())
        }
        switch taken {
        case .taken(let operation): return try await perform(operation)
        case .none: throw Failure(.requestInProgress, session: webviewSession)
        }
    }

    private func freshID() -> UUIDBytes {
        UUIDBytes(version7At: SystemClock().now(), random: random)
    }

    // MARK: Holding the operation

    private func perform(_ operation: PaymentOperation) async throws(Failure) -> StoredAnswer {
        switch operation.kind {
        case .capture:
            let outcome: PayingOutcome<Charge> = await pay(operation, .capture, operation.target)
            return try await conclude(operation, outcome.observed)
        case .createCharge:
            let outcome: PayingOutcome<Charge> = await pay(operation, .createCharge)
            return try await conclude(operation, outcome.observed)
        case .refund:
            let outcome: PayingOutcome<Refund> = await pay(operation, .createRefund)
            return try await conclude(operation, outcome.observed)
        case .cancelCharge: return try await conclude(operation, await cancel(operation))
        case .closePermission:
            let outcome = await close(operation)
            let answer = try await conclude(operation, outcome)
            if Ending(operation.body)?.cancelsPending == true { await look(atWhatIsOpenIn: operation.order) }
            return answer
        case .finalize:
            throw Failure(.internalError, "nobody finalizes", session: operation.order)
        }
    }

    /// Makes a call that moves money.
    ///
    /// - Parameter id: Of the object that the call changes; `nil` where it makes one.
    private func pay<Object: PayingObject>(
        _ operation: PaymentOperation,
        _ call: AmazonPayOperation,
        _ id: String? = nil
    ) async -> PayingOutcome<Object> {
        guard let key = IdempotencyKey(operation.key) else {
            return .unknown(AmazonPayError(.outcomeUnknown, detail: "the stored key is none"))
        }
        let call = PayingCall(
            operation: call,
            resource: id.map { call.resource($0) } ?? call.resource(),
            body: operation.body,
            key: key,
            isRecovery: operation.isRecovery
        )
        return await client.pay(call, within: PaymentService.limit)
    }

    private func cancel(_ operation: PaymentOperation) async -> PayingOutcome<ObservedObject> {
        guard let id = ChargeID(operation.target), let ending = Ending(operation.body) else {
            return .unknown(AmazonPayError(.outcomeUnknown, detail: "the stored call is none"))
        }
        do throws(AmazonPayError) {
            let cancelled = try await client.cancel(id, reason: ending.reason, isRecovery: operation.isRecovery)
            return .done(ObservedObject(cancelled))
        } catch {
            return PayingOutcome(ending: error)
        }
    }

    private func close(_ operation: PaymentOperation) async -> PayingOutcome<ObservedObject> {
        guard let id = ChargePermissionID(operation.target), let ending = Ending(operation.body) else {
            return .unknown(AmazonPayError(.outcomeUnknown, detail: "the stored call is none"))
        }
        do throws(AmazonPayError) {
            let closed = try await client.close(
                id,
                reason: ending.reason,
                cancelsPending: ending.cancelsPending,
                isRecovery: operation.isRecovery
            )
            return .done(ObservedObject(closed))
        } catch {
            return PayingOutcome(ending: error)
        }
    }

    /// Reads the permission of a webview session and its charges, as far as they can still change; what cannot be read now is
    /// found by the polls.
    private func look(atWhatIsOpenIn webviewSession: UUIDBytes) async {
        do {
            for object in try await orders.objects(of: webviewSession) where !object.row.isFinal {
                guard let seen = try await read(object) else { continue }
                _ = try await orders.observe(seen)
            }
        } catch {
            logger.warning(
                "payment.look_failed",
                [LogField("flow", webviewSession.description), LogField("detail", String(reflecting: error))]
            )
        }
    }

    private func read(_ object: LedgerObject) async throws(AmazonPayError) -> ObservedObject? {
        let limit = Duration.seconds(5)
        if let id = ChargeID(object.id) {
            return ObservedObject(try await client.charge(id, priority: .background, within: limit))
        }
        if let id = ChargePermissionID(object.id) {
            return ObservedObject(try await client.permission(id, priority: .background, within: limit))
        }
        return nil
    }

    // MARK: The end

    private func conclude(
        _ operation: PaymentOperation,
        _ outcome: PayingOutcome<ObservedObject>
    ) async throws(Failure) -> StoredAnswer {
        switch outcome {
        case .done(let object):
            let answer = PaymentAnswer.make(operation, object, isPending: false)
            try await settle(operation, .done(object, answer))
            noteSettled(operation, object)
            return answer
        case .pending(let object):
            let answer = PaymentAnswer.make(operation, object, isPending: true)
            try await settle(operation, .pending(object, answer))
            noteSettled(operation, object)
            return answer
        case .refused(let error, _) where error.reason == .duplicateIdempotencyKey,
            .unknown(let error) where error.reason == .duplicateIdempotencyKey && !operation.isRecovery:
            // The key follows from what the merchant repeats: a request that nobody here remembers was sent under it, with
            // other octets.
            logger.warning("payment.key_reused", PaymentService.fields(operation, error.debugDescription))
            try await settle(operation, .reused)
            throw PaymentService.problem(.idempotencyKeyReused, operation, error)
        case .refused(let error, let object):
            let problem = PaymentService.problem(.providerRefused, operation, error)
            logger.info("payment.refused", PaymentService.fields(operation, error.debugDescription))
            let answer = StoredAnswer(status: problem.code.status.code, body: problem.problem.bytes)
            try await settle(operation, .refused(error.reason?.rawValue ?? "refused", object, answer))
            throw problem
        case .notSent(let error) where !operation.isRecovery:
            logger.warning("payment.not_sent", PaymentService.fields(operation, error.debugDescription))
            try await settle(operation, .released)
            throw PaymentService.problem(.providerFailed, operation, error)
        case .unknown(let error) where error.reason == .duplicateIdempotencyKey:
            // Our octets under our key, and the provider has seen others: no repeat helps, and a new key could pay twice.
            logger.error("payment.stuck", PaymentService.fields(operation, error.debugDescription))
            try await settle(operation, .stuck("DuplicateIdempotencyKey"))
            throw PaymentService.problem(.outcomeUnknown, operation, error)
        case .notSent(let error) where operation.isLast, .unknown(let error) where operation.isLast:
            logger.error("payment.stuck", PaymentService.fields(operation, error.debugDescription))
            try await settle(operation, .stuck("time"))
            throw PaymentService.problem(.outcomeUnknown, operation, error)
        case .notSent(let error), .unknown(let error):
            // The process that takes the operation over asks first, or sends the same once more.
            count(operation, "unknown")
            logger.warning("payment.unknown", PaymentService.fields(operation, error.debugDescription))
            await expireLease(operation)
            throw PaymentService.problem(.outcomeUnknown, operation, error)
        }
    }

    /// Gives the lease back: a merchant who repeats the request need not wait for its end.
    private func expireLease(_ operation: PaymentOperation) async {
        do throws(StoreError) {
            try await orders.expireLease(operation)
        } catch {
            // It ends by itself within a minute.
            logger.info("payment.lease_not_expired", PaymentService.fields(operation, error.debugDescription))
        }
    }

    private func settle(_ operation: PaymentOperation, _ end: OperationEnd) async throws(Failure) {
        let held: Bool
        do throws(StoreError) {
            held = try await orders.settle(operation, as: end)
        } catch {
            // The provider has done it or not, and the process that takes the operation over finds out.
            throw Failure(.outcomeUnknown, error.debugDescription, session: operation.order)
        }
        guard held else {
            logger.warning("payment.lease_lost", PaymentService.fields(operation, ""))
            throw Failure(.requestInProgress, session: operation.order)
        }
        count(operation, end.word)
    }

    /// The provider's support asks for the id of its request.
    private func noteSettled(_ operation: PaymentOperation, _ object: ObservedObject) {
        let fields = [LogField("object", object.id), LogField("amazonpay_request_id", object.request ?? "")]
        logger.info("payment.settled", PaymentService.fields(operation, object.version.state.rawValue) + fields)
    }

    private func count(_ operation: PaymentOperation, _ outcome: String) {
        counter(operation.kind, outcome).increment()
    }

    private func counter(_ kind: OperationKind, _ outcome: String) -> Counter {
        let key = kind.rawValue + " " + outcome
        if let counter = counters[key] { return counter }
        let counter = metrics.counter(
            "sallyport_payment_operations_total",
            help: "Operations that move or release money, by kind and outcome.",
            labels: [("kind", kind.rawValue), ("outcome", outcome)]
        )
        counters[key] = counter
        return counter
    }

    private static func fields(_ operation: PaymentOperation, _ detail: String) -> [LogField] {
        [
            LogField("flow", operation.order.description), LogField("operation", operation.id.description),
            LogField("kind", operation.kind.rawValue), LogField("target", operation.target),
            LogField("detail", detail),
        ]
    }

    // MARK: Words

    private static func problem(_ code: FailureCode, _ operation: PaymentOperation, _ error: AmazonPayError) -> Failure
    {
        let isSaid = error.status != nil || error.reason != nil
        return Failure(
            code,
            error.debugDescription,
            session: operation.order,
            context: isSaid ? ProviderProblem(error) : nil
        )
    }

    private static func problem(
        _ verdict: OperationVerdict,
        _ intent: OperationIntent,
        _ webviewSession: UUIDBytes
    ) -> Failure {
        switch verdict {
        case .begun, .replayed, .left, .inProgress: Failure(.requestInProgress, session: webviewSession)
        case .keyReused: Failure(.idempotencyKeyReused, session: webviewSession)
        case .stuck: Failure(.outcomeUnknown, "a person has to look at the operation", session: webviewSession)
        case .unknown: Failure(.notFound)
        case .refused(.openCharges, _) where intent.kind == .createCharge:
            Failure(
                .openCharges,
                message: "A charge is not final, and there is one at a time: capture or cancel it.",
                session: webviewSession
            )
        case .refused(let refusal, let state): problem(refusal, state, webviewSession)
        }
    }

    private static func problem(_ refusal: LedgerVerdict, _ state: ObjectState, _ webviewSession: UUIDBytes) -> Failure
    {
        switch refusal {
        case .begun, .inProgress: Failure(.requestInProgress, session: webviewSession)
        case .wrongState:
            Failure(
                .wrongState,
                message: "The state is \(state.word), which does not allow it.",
                session: webviewSession
            )
        case .nothing:
            Failure(.invalidAmount, message: "Nothing moves nothing.", field: "amount", session: webviewSession)
        case .otherCurrency: Failure(.currencyNotSupported, field: "amount.currencyCode", session: webviewSession)
        case .exceeds(let limit):
            Failure(
                .amountExceeds,
                message: "At most \(limit.text) \(limit.currency.rawValue) are left.",
                field: "amount",
                session: webviewSession
            )
        case .otherAmount: Failure(.orderMismatch, session: webviewSession)
        case .tooManyCharges: Failure(.tooManyCharges, session: webviewSession)
        case .openCharges: Failure(.openCharges, session: webviewSession)
        }
    }
}

extension OperationVerdict {
    /// Whether an operation is refused for what may have ended without our doing: a new charge for the sake of others, a refund
    /// for that of a capture under way.
    fileprivate func mayBeOutdated(_ kind: OperationKind) -> Bool {
        switch (kind, self) {
        case (.createCharge, .refused(.openCharges, _)), (.createCharge, .refused(.wrongState, .nonChargeable)): true
        case (.refund, .refused(.wrongState, .captureInitiated)): true
        default: false
        }
    }
}

extension PayingOutcome where Object == ObservedObject {
    /// What a failed call means that ends something: such calls may be repeated, so only a clear refusal ends them.
    fileprivate init(ending error: AmazonPayError) {
        switch error.code {
        case .refused: self = .refused(error, nil)
        case .notSent: self = .notSent(error)
        case .outcomeUnknown, .unreadable: self = .unknown(error)
        }
    }
}

extension PayingOutcome {
    fileprivate func map(_ body: (Object) -> ObservedObject) -> PayingOutcome<ObservedObject> {
        switch self {
        case .done(let object): .done(body(object))
        case .pending(let object): .pending(body(object))
        case .refused(let error, let object): .refused(error, object.map(body))
        case .notSent(let error): .notSent(error)
        case .unknown(let error): .unknown(error)
        }
    }
}

extension PayingOutcome<Charge> {
    fileprivate var observed: PayingOutcome<ObservedObject> { map { ObservedObject($0) } }
}

extension PayingOutcome<Refund> {
    fileprivate var observed: PayingOutcome<ObservedObject> { map { ObservedObject($0) } }
}
