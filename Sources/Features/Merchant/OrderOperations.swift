import AmazonPay
import Checkout
import CheckoutCodes
import Commerce
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import StrictJSON
import Telemetry
import Web

/// Operations on a merchant's order for the payment engine: capture, charge, refund, cancel, close.
///
/// What every try sends was written down before the first, with its key.
final class OrderOperations: PaymentOperations {
    private let orders: any OrderStore
    private let client: CheckoutClient
    private let logger: Logger
    private let metrics: MetricsRegistry
    private var counters: [String: Counter] = [:]

    /// For a call that moves money; reading the charge afterwards takes up to five seconds more, and all of it less than the
    /// lease.
    private static let limit = Duration.seconds(45)

    init(orders: any OrderStore, client: CheckoutClient, logger: Logger, metrics: MetricsRegistry) {
        self.orders = orders
        self.client = client
        self.logger = logger
        self.metrics = metrics
        // Who watches for the first that is stuck has to see the zero before it.
        for kind in OperationKind.allCases {
            for outcome in OperationEnd.words + ["unknown"] { _ = counter(kind, outcome) }
        }
    }

    // MARK: The provider

    func ask(
        _ operation: PaymentOperation,
        _ turn: PaymentTry
    ) async throws(Failure) -> PaymentReply<OperationEnd, StoredAnswer> {
        switch operation.kind {
        case .capture:
            let outcome: PayingOutcome<Charge> = await pay(operation, .capture, operation.target)
            return reply(operation, outcome.observed, turn)
        case .createCharge:
            let outcome: PayingOutcome<Charge> = await pay(operation, .createCharge)
            return reply(operation, outcome.observed, turn)
        case .refund:
            let outcome: PayingOutcome<Refund> = await pay(operation, .createRefund)
            return reply(operation, outcome.observed, turn)
        case .cancelCharge: return reply(operation, await cancel(operation), turn)
        case .closePermission: return reply(operation, await close(operation), turn)
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
        return await client.pay(call, within: OrderOperations.limit)
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

    /// What came of a call, for the engine.
    private func reply(
        _ operation: PaymentOperation,
        _ outcome: PayingOutcome<ObservedObject>,
        _ turn: PaymentTry
    ) -> PaymentReply<OperationEnd, StoredAnswer> {
        switch outcome {
        case .done(let object):
            let answer = PaymentAnswer.make(operation, object, isPending: false)
            return .settled(.done(object, answer), .success(answer))
        case .pending(let object):
            let answer = PaymentAnswer.make(operation, object, isPending: true)
            return .settled(.pending(object, answer), .success(answer))
        case .refused(let error, _) where error.reason == .duplicateIdempotencyKey,
            .unknown(let error) where error.reason == .duplicateIdempotencyKey && turn == .first:
            // The key follows from what the merchant repeats: a request that nobody here remembers was sent under it, with
            // other octets.
            logger.warning("payment.key_reused", operation.fields(error.debugDescription))
            return .settled(.reused, .failure(operation.problem(.idempotencyKeyReused, error)))
        case .refused(let error, let object):
            let problem = operation.problem(.providerRefused, error)
            logger.info("payment.refused", operation.fields(error.debugDescription))
            let answer = PaymentOperation.answer(problem)
            return .settled(.refused(error.reason?.rawValue ?? "refused", object, answer), .failure(problem))
        case .notSent(let error):
            return .noEffect(operation.problem(.providerFailed, error), or: unknown(operation, error))
        case .unknown(let error) where error.reason == .duplicateIdempotencyKey:
            // Our octets under our key, and the provider has seen others.
            return .stuck(.key, operation.problem(.outcomeUnknown, error))
        case .unknown(let error):
            return .unknown(unknown(operation, error))
        }
    }

    private func unknown(_ operation: PaymentOperation, _ error: AmazonPayError) -> UnknownOutcome {
        UnknownOutcome(operation.problem(.outcomeUnknown, error), endsLease: true, isHeldBack: error.isHeldBack)
    }

    /// Reads the permission of a webview session and its charges, as far as they can still change; what cannot be read now is
    /// found by the polls.
    func refreshOpenObjects(of webviewSession: UUIDBytes) async {
        do {
            for object in try await orders.objects(of: webviewSession) where !object.row.isFinal {
                guard let seen = try await read(object) else { continue }
                _ = try await orders.observe(seen)
            }
        } catch {
            logger.warning(
                "payment.refresh_failed",
                [
                    LogField("webview_session", webviewSession.description),
                    LogField("detail", String(reflecting: error)),
                ]
            )
        }
    }

    /// Reads an object at the provider now, and takes in what is said of it.
    ///
    /// - Parameter object: A charge, a refund or a permission.
    /// - Throws: `provider_failed`, and what the store says.
    func refresh(_ object: LedgerObject) async throws(Failure) {
        let seen: ObservedObject?
        do throws(AmazonPayError) {
            seen = try await read(object)
        } catch {
            throw Failure(
                .providerFailed,
                error.debugDescription,
                message: "The payment provider did not return the object. Repeat the request.",
                session: object.webviewSession,
                context: error.status == nil ? nil : ProviderProblem(error)
            )
        }
        guard let seen else { throw Failure(.notFound) }
        _ = try await Failure.mapErrors { try await orders.observe(seen) }
    }

    private func read(_ object: LedgerObject) async throws(AmazonPayError) -> ObservedObject? {
        let limit = Duration.seconds(5)
        if let id = ChargeID(object.id) {
            return ObservedObject(try await client.charge(id, priority: .background, within: limit))
        }
        if let id = RefundID(object.id) {
            return ObservedObject(try await client.refund(id, priority: .background, within: limit))
        }
        if let id = ChargePermissionID(object.id) {
            return ObservedObject(try await client.permission(id, priority: .background, within: limit))
        }
        return nil
    }

    // MARK: The store

    func settle(_ operation: PaymentOperation, as end: OperationEnd) async throws(Failure) -> Bool {
        let held: Bool
        do throws(StoreError) {
            held = try await orders.settle(operation, as: end)
        } catch {
            // The provider has done it or not, and the process that takes the operation over finds out.
            throw Failure(.outcomeUnknown, error.debugDescription, session: operation.order)
        }
        if held { counter(operation.kind, end.word).increment() }
        return held
    }

    func release(_ operation: PaymentOperation, because failure: Failure) async throws(Failure) -> Bool {
        logger.warning("payment.not_sent", operation.fields(failure.detail))
        return try await settle(operation, as: .released)
    }

    /// A merchant who repeats the request need not wait for the end of the lease; it ends by itself within a minute.
    func expireLease(_ operation: PaymentOperation, because failure: Failure) async -> Bool {
        counter(operation.kind, "unknown").increment()
        logger.warning("payment.unknown", operation.fields(failure.detail))
        do throws(StoreError) {
            try await orders.expireLease(operation)
        } catch {
            logger.info("payment.lease_not_expired", operation.fields(error.debugDescription))
        }
        return true
    }

    /// A request is answered as after any other try of it; the recovery comes again in a moment.
    func putBack(_ operation: PaymentOperation, because failure: Failure) async -> Bool {
        guard operation.isCounted else { return await expireLease(operation, because: failure) }
        logger.info("payment.held_back", operation.fields(failure.detail))
        do throws(StoreError) {
            try await orders.putBack(operation)
        } catch {
            logger.info("payment.lease_not_expired", operation.fields(error.debugDescription))
        }
        return true
    }

    func giveUp(
        _ operation: PaymentOperation,
        _ reason: GiveUpReason,
        because failure: Failure
    ) async throws(Failure) -> Failure? {
        logger.error("payment.stuck", operation.fields(failure.detail))
        return try await settle(operation, as: .stuck(reason.rawValue)) ? failure : nil
    }

    func noteSettled(_ operation: PaymentOperation, as end: OperationEnd) async {
        switch end {
        case .done(let object, _), .pending(let object, _):
            // The provider's support asks for the id of its request.
            let request = LogField("amazonpay_request_id", object.request ?? "")
            let fields = operation.fields(object.version.state.rawValue) + [LogField("object", object.id), request]
            logger.info("payment.settled", fields)
            guard operation.kind == .closePermission, Ending(operation.body)?.cancelsPending == true else { return }
            await refreshOpenObjects(of: operation.order)
        case .refused, .reused, .released, .stuck: return
        }
    }

    func lost(_ operation: PaymentOperation) -> Failure {
        logger.warning("payment.lease_lost", operation.fields(""))
        return Failure(.requestInProgress, session: operation.order)
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
}

extension PaymentOperation {
    /// Which try the holder makes.
    var turn: PaymentTry { isLast ? .last : isRecovery ? .recovery : .first }

    /// The same in each line of the log.
    func fields(_ detail: String) -> [LogField] {
        [
            LogField("webview_session", order.description), LogField("operation", id.description),
            LogField("kind", kind.rawValue), LogField("target", target), LogField("detail", detail),
        ]
    }

    /// A refusal with the provider's word, where it has said one.
    fileprivate func problem(_ code: FailureCode, _ error: AmazonPayError) -> Failure {
        let isSaid = error.status != nil || error.reason != nil
        return Failure(
            code,
            error.debugDescription,
            session: order,
            context: RefusedOperation(id: id, provider: isSaid ? ProviderProblem(error) : nil)
        )
    }

    /// The answer that each request for the operation gets, whichever process makes it.
    static func answer(_ problem: Failure) -> StoredAnswer {
        // No request is named: the operation is the instance.
        StoredAnswer(status: problem.code.status.code, body: problem.problem(inRequest: ""))
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
