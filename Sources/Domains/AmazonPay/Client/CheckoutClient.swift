package import Commerce
import Cryptography
package import HTTPCore
import Primitives
package import Telemetry

/// Calls Amazon Pay for checkout sessions; one per loop, not `Sendable`.
///
/// Every call is signed off the loop, retried within its deadline under one idempotency key, and kept under the account's
/// limits. No redirect is followed, no answer's shape is trusted.
package final class CheckoutClient {
    /// A completion to carry out.
    package struct Completion: Sendable {
        /// The session.
        package var session: CheckoutSessionID
        /// What the buyer pays.
        package var amount: Money
        /// The whole order, where it was sent with the session.
        package var totalOrderAmount: Money?
        /// The key of the attempt; the same at every repeat.
        package var key: IdempotencyKey
        /// Whether an earlier call of this attempt may have got through: then the session is read first.
        package var isRecovery: Bool
        /// Who is served in turn with others.
        package var asker = CallAsker.program

        /// A completion.
        ///
        /// - Parameters:
        ///   - isRecovery: Whether an earlier call of this attempt may have got through.
        package init(session: CheckoutSessionID, amount: Yen, key: IdempotencyKey, isRecovery: Bool = false) {
            self.init(session: session, money: Money(amount), key: key, isRecovery: isRecovery)
        }

        /// A completion in any currency.
        ///
        /// - Parameters:
        ///   - isRecovery: Whether an earlier call of this attempt may have got through.
        package init(
            session: CheckoutSessionID,
            money amount: Money,
            key: IdempotencyKey,
            isRecovery: Bool = false
        ) {
            self.session = session
            self.amount = amount
            self.key = key
            self.isRecovery = isRecovery
        }
    }

    /// When a failed call is tried again.
    package var retryPolicy = RetryPolicy()

    let credentials: Credentials
    let endpoint: AmazonPayEndpoint
    let quota: CallQuota
    let exchange: any HTTPExchange
    let signOffLoop: SignOffLoop
    let timing: CallTiming
    let logger: Logger
    let signer: RequestSigner
    let metrics: CallMetrics

    /// A client for one loop.
    ///
    /// - Parameters:
    ///   - quota: Shared by the clients of all loops.
    ///   - exchange: Carries requests.
    ///   - signOffLoop: Signs on another thread.
    ///   - logger: For each try at level debug and differing clocks at level info.
    package init(
        _ credentials: Credentials,
        endpoint: AmazonPayEndpoint,
        quota: CallQuota,
        over exchange: any HTTPExchange,
        signOffLoop: @escaping SignOffLoop,
        timing: CallTiming,
        logger: Logger = .silent,
        metrics: MetricsRegistry = MetricsRegistry()
    ) {
        self.credentials = credentials
        self.endpoint = endpoint
        self.quota = quota
        self.exchange = exchange
        self.signOffLoop = signOffLoop
        self.timing = timing
        self.logger = logger
        signer = RequestSigner(credentials)
        self.metrics = CallMetrics(metrics)
    }

    /// Whether less than half is left of the calls that may go out at once for those who wait.
    package func isScarce(_ operation: AmazonPayOperation) -> Bool {
        quota.isScarce(operation, for: operation == .get ? .buyer : .purchase, at: timing.uptime())
    }

    /// Reads a session.
    ///
    /// - Parameters:
    ///   - asker: Who is served in turn with others.
    /// - Returns: The session as it is now.
    /// - Throws: `refused` (404 for one of another account or environment), `notSent`, `outcomeUnknown`, `unreadable`. A new
    ///   call is always safe.
    package func session(
        _ id: CheckoutSessionID,
        priority: Priority = .buyer,
        for asker: CallAsker = .program,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> CheckoutSession {
        try await object(Call(.get, id.text, priority: priority, asker: asker), id, within: limit)
    }

    /// Sets amount, result address and marks on an open session.
    ///
    /// - Parameters:
    ///   - asker: Who is served in turn with others.
    /// - Returns: The session; `redirectURL` is set unless `constraints` says why not.
    /// - Throws: As `session(_:within:)`. Repeating an update with the same values is safe.
    package func update(
        _ id: CheckoutSessionID,
        _ update: CheckoutUpdate,
        for asker: CallAsker = .program,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> CheckoutSession {
        let call = Call(.update, id.text, body: update.json, priority: .purchase, asker: asker)
        return try await object(call, id, within: limit)
    }

    /// Makes the charge real, or finds out why it is not.
    ///
    /// - Parameters:
    ///   - limit: For waiting, tries and pauses; reading the session where that is needed takes up to five seconds more.
    /// - Returns: The outcome; `unknown` is to be asked again later as a recovery, with the same key.
    package func complete(_ completion: Completion, within limit: Duration = .seconds(45)) async -> CompleteOutcome {
        let body = CheckoutCompletion(amount: completion.amount, totalOrderAmount: completion.totalOrderAmount).json
        return await settle(completion, .complete, body, within: limit)
    }

    /// Makes the charge of a checkout real that an app started, or finds out why it is not; takes the place of complete.
    ///
    /// - Parameters:
    ///   - order: The facts that the signed payload held.
    ///   - key: The key of the attempt; the same at every repeat.
    ///   - isRecovery: Whether an earlier call of this attempt may have got through: then the session is read first.
    ///   - asker: Who is served in turn with others.
    ///   - limit: As with `complete`.
    /// - Returns: As `complete`.
    package func finalize(
        _ id: CheckoutSessionID,
        _ order: FinalizeOrder,
        key: IdempotencyKey,
        isRecovery: Bool = false,
        for asker: CallAsker = .program,
        within limit: Duration = .seconds(45)
    ) async -> CompleteOutcome {
        var completion = Completion(session: id, money: order.amount, key: key, isRecovery: isRecovery)
        completion.asker = asker
        return await settle(completion, .finalize, order.json, within: limit)
    }

    private func settle(
        _ completion: Completion,
        _ operation: AmazonPayOperation,
        _ body: [UInt8],
        within limit: Duration
    ) async -> CompleteOutcome {
        let end = timing.uptime() + limit
        if completion.isRecovery,
            let outcome = await closed(completion.session, completion.amount, until: end)
        {
            return outcome
        }
        var call = Call(operation, completion.session.text, body: body, key: completion.key, priority: .purchase)
        call.asker = completion.asker
        let report = await run(call, within: end - timing.uptime(), mayHaveTakenEffect: completion.isRecovery)
        return await conclude(completion, report, end)
    }

    /// Finds out what became of a session without asking for anything.
    ///
    /// - Returns: The outcome as `complete` says it; `nil` while the session is open.
    package func status(
        of id: CheckoutSessionID,
        amount: Money,
        within limit: Duration = .seconds(15)
    ) async -> CompleteOutcome? {
        await closed(id, amount, until: timing.uptime() + limit)
    }

    private func closed(_ id: CheckoutSessionID, _ amount: Money, until end: Duration) async -> CompleteOutcome? {
        do throws(AmazonPayError) {
            return CompleteDecision.closed(try await sessionWithAmount(id, until: end), amount)
        } catch {
            return error.reason == .resourceNotFound ? .rejected(error) : .unknown(error)
        }
    }

    private func conclude(_ completion: Completion, _ report: CallReport, _ end: Duration) async -> CompleteOutcome {
        let answer: APIAnswer
        switch CompleteDecision.decide(report, of: completion.session, for: completion.amount) {
        case .done(let outcome): return outcome
        case .readSession(let doubtful): answer = doubtful
        }
        let last = max(timing.uptime() + CheckoutClient.reading, end)
        let read: Result<CheckoutSession, AmazonPayError>
        do throws(AmazonPayError) {
            read = .success(try await sessionWithAmount(completion.session, until: last))
        } catch {
            read = .failure(error)
        }
        return CompleteDecision.decide(
            answer,
            session: read,
            amount: completion.amount,
            mayHaveTakenEffect: report.mayHaveTakenEffect
        )
    }

    /// Reads a session; one that is completed may come without its amounts, which its charge has.
    private func sessionWithAmount(
        _ id: CheckoutSessionID,
        until end: Duration
    ) async throws(AmazonPayError) -> CheckoutSession {
        let session = try await session(id, priority: .purchase, within: end - timing.uptime())
        guard session.state == .completed, session.chargeAmount == nil,
            let charge = session.chargeID.flatMap({ ChargeID($0) })
        else { return session }
        let limit = end - timing.uptime()
        return session.with(chargeAmount: try await self.charge(charge, priority: .purchase, within: limit).amount)
    }

    /// Time that is always left for reading the object after a doubtful answer.
    static let reading = Duration.seconds(5)
}
