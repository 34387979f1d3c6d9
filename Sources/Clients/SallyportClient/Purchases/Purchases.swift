import Foundation

/// Purchases of an account in the App Store: hands in what StoreKit delivers, and finishes only what the server has dealt with.
///
/// StoreKit delivers a transaction again until it is finished, so nothing that was paid is lost, whenever the app dies. An app
/// makes one object as soon as its user is signed in, calls ``start()``, and ``stop()`` when the user signs out.
public actor Purchases {
    /// How often it hands in again by itself before it leaves that to ``handInUnfinished()`` and the next start.
    private static let automaticTries = 10
    private static let longestPause: TimeInterval = 300

    /// The account of the app's user.
    let account: AppAccount
    let source: any TransactionSource
    let spends: any SpendStore
    let pause: @Sendable (TimeInterval) async throws -> Void
    private var listener: Task<Void, Never>?
    private var retry: Task<Void, Never>?
    private var tries = 0
    /// What is being handed in, by transaction id: once at a time.
    private var active: [String: Task<PurchaseOutcome, Never>] = [:]
    /// What the server has decided, by the text that it was shown.
    private var settled: [String: PurchaseOutcome] = [:]
    private var waiting: [String: SignedTransaction] = [:]
    private var observers: [AsyncStream<PurchaseOutcome>.Continuation] = []
    private var passedToken: UUID?

    /// Purchases that nothing is done with yet.
    ///
    /// - Parameters:
    ///   - spends: Keeps what is being spent; ``FileSpendStore`` on a phone.
    ///   - pause: Waits so many seconds.
    public init(
        of account: AppAccount,
        from source: any TransactionSource,
        spends: any SpendStore,
        pause: @escaping @Sendable (TimeInterval) async throws -> Void = {
            try await Task.sleep(nanoseconds: UInt64(max($0, 0) * 1e9))
        }
    ) {
        self.account = account
        self.source = source
        self.spends = spends
        self.pause = pause
    }

    /// What comes of each hand-in from now on, whoever has begun it.
    public func outcomes() -> AsyncStream<PurchaseOutcome> {
        let (stream, continuation) = AsyncStream.makeStream(of: PurchaseOutcome.self, bufferingPolicy: .unbounded)
        observers.append(continuation)
        return stream
    }

    /// Listens to what comes by itself, and hands in what is not finished.
    public func start() async {
        guard listener == nil else { return }
        // Before the unfinished ones are read: what comes meanwhile is heard.
        let updates = source.updates()
        listener = Task { [weak self] in
            for await transaction in updates { _ = await self?.handingIn(transaction) }
        }
        await handInUnfinished()
    }

    /// Ends listening and waiting: the user signs out.
    public func stop() {
        listener?.cancel()
        retry?.cancel()
        (listener, retry) = (nil, nil)
        waiting = [:]
    }

    // MARK: Handing in

    /// Hands in what is not finished, at once: for the moment when the network or the app comes back.
    ///
    /// - Returns: What came of each.
    @discardableResult
    public func handInUnfinished() async -> [PurchaseOutcome] {
        tries = 0
        let running = await source.unfinished().map { handingIn($0) }
        var outcomes: [PurchaseOutcome] = []
        for task in running { outcomes.append(await task.value) }
        return outcomes
    }

    /// Hands in a transaction, for example one that a purchase has just returned.
    ///
    /// One that is handed in already is not handed in a second time.
    @discardableResult
    public func handIn(_ transaction: SignedTransaction) async -> PurchaseOutcome {
        await handingIn(transaction).value
    }

    private func handingIn(_ transaction: SignedTransaction) -> Task<PurchaseOutcome, Never> {
        if let running = active[transaction.id] { return running }
        let task = Task { await carryOut(transaction) }
        active[transaction.id] = task
        return task
    }

    private func carryOut(_ transaction: SignedTransaction) async -> PurchaseOutcome {
        let known = settled[transaction.text]
        let outcome: PurchaseOutcome = if let known { known } else { await ask(transaction) }
        if outcome.isFinal {
            settled[transaction.text] = outcome
            waiting[transaction.id] = nil
            await transaction.finish()
        }
        active[transaction.id] = nil
        guard known == nil else { return outcome }
        if case .waiting(_, let error) = outcome {
            waiting[transaction.id] = transaction
            retryLater(error)
        }
        observers.removeAll { observer in
            if case .terminated = observer.yield(outcome) { true } else { false }
        }
        return outcome
    }

    private func ask(_ transaction: SignedTransaction) async -> PurchaseOutcome {
        var content = ["signedTransaction": transaction.text]
        content["deviceVerificationId"] = source.deviceVerificationID?.uuidString.lowercased()
        do {
            let body = try JSONEncoder().encode(content)
            let response = try await account.send("POST", "app-store/transactions", body: body)
            let error = AccountError(response)
            // This word alone, whatever the status says: nothing else means that the server has it.
            guard response.flag("finish") == true else { return .waiting(transactionID: transaction.id, error) }
            guard response.status == 200, let grant = PurchaseGrant(response.body) else {
                return .refused(transactionID: transaction.id, error)
            }
            return .granted(grant)
        } catch {
            return .waiting(transactionID: transaction.id, .of(error))
        }
    }

    /// One pause for all that wait, longer each time.
    private func retryLater(_ error: AccountError) {
        guard retry == nil, listener != nil, tries < Purchases.automaticTries else { return }
        let usual = min(Purchases.longestPause, TimeInterval(1 << tries)) * TimeInterval.random(in: 0.5...1)
        let seconds = max(usual, min(error.retryAfter ?? 0, Purchases.longestPause))
        tries += 1
        retry = Task { [weak self, pause] in
            do { try await pause(seconds) } catch { return }
            await self?.handInWaiting()
        }
    }

    private func handInWaiting() {
        retry = nil
        for transaction in waiting.values { _ = handingIn(transaction) }
    }

    // MARK: What the account has

    /// The token that names the account in each purchase: `Product.PurchaseOption.appAccountToken`.
    ///
    /// - Throws: ``AccountError`` or what the transport throws. Nothing is bought without it.
    public func appAccountToken() async throws -> UUID {
        if let passedToken { return passedToken }
        let response = try await account.send("GET", "app-store/customer")
        guard response.status == 200, let token = response.member("appAccountToken").flatMap(UUID.init) else {
            throw AccountError(response)
        }
        passedToken = token
        return token
    }

    /// What the account has, where the app buys.
    ///
    /// - Throws: ``AccountError`` or what the transport throws.
    public func balance() async throws -> PurchaseBalance {
        let response = try await account.send("GET", "app-store/balance", query: await place())
        return try Purchases.decoded(response)
    }

    /// What the account has the use of: subscriptions, and what was bought once for all.
    ///
    /// - Throws: ``AccountError`` or what the transport throws.
    public func entitlements() async throws -> [Entitlement] {
        struct Answer: Decodable { let data: [Entitlement] }
        let response = try await account.send("GET", "app-store/entitlements", query: await place())
        let answer: Answer = try Purchases.decoded(response)
        return answer.data
    }

    /// Notes whether the customer agrees that Apple is told what was used of a purchase, when a refund is asked for.
    ///
    /// - Throws: ``AccountError`` or what the transport throws.
    public func setConsent(_ isGiven: Bool) async throws {
        let body = try JSONEncoder().encode(["consented": isGiven])
        let response = try await account.send("PUT", "app-store/consent", body: body)
        guard response.status == 200 else { throw AccountError(response) }
    }

    private func place() async -> [String: String] {
        var query: [String: String] = [:]
        query["environment"] = await source.environment()
        return query
    }

    /// What an answer holds.
    static func decoded<Value: Decodable>(_ response: TransportResponse) throws -> Value {
        guard response.status == 200, let value = try? JSONDecoder().decode(Value.self, from: response.body) else {
            throw AccountError(response)
        }
        return value
    }
}
