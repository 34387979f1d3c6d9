import AppStoreTransactions
import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Telemetry
import Web

// What neither an app nor a notification has told: Apple is asked about each customer from time to time.

extension AppStorePart {
    /// Pages of twenty of a list that one reading takes; the next one goes on.
    private static let mostPages = 25
    /// Times that a list is waited for where Apple takes only so many calls a second.
    private static let mostWaits = 100
    /// Customers that are taken at a time.
    private static let customersAtOnce: Int32 = 5
    /// How long nobody else asks about them: more than five readings take.
    private static let lease = Duration.seconds(1_800)

    /// Asks about customers that are due; what another process has taken is left to it.
    func reconcile(within budget: RunBudget) async throws {
        while !budget.isSpent, try await reconcileSome() {}
    }

    /// Asks about some customers that are due; whether there may be more that can be asked about now.
    func reconcileSome() async throws -> Bool {
        let statement = ReconciliationStatement.take(AppStorePart.customersAtOnce, AppStorePart.lease)
        let customers = try await loop.database.work(statement).all()
        var stop: ReadingError?
        for customer in customers {
            if let stop {
                try await end(customer, CustomerReading(), stop)
                continue
            }
            do throws(ReadingError) {
                _ = try await reconcile(customer)
            } catch {
                if error.isGeneral { stop = error }
            }
        }
        return customers.count == Int(AppStorePart.customersAtOnce) && stop == nil
    }

    /// Reads what Apple has of a customer, applies it as any other text, and notes where to go on.
    ///
    /// - Throws: Why that is not all; what was applied stays, and comes again.
    func reconcile(_ customer: ReconciledCustomer) async throws(ReadingError) -> CustomerReading {
        var reading = CustomerReading()
        do throws(ReadingError) {
            if customer.isRefundable {
                reading.refundMark = try await read(.refunds, customer, from: customer.refundMark, &reading)
            }
            if customer.isActive {
                reading.historyMark = try await read(.history, customer, from: customer.historyMark, &reading)
            }
        } catch {
            loop.logger.warning("app_store.reconciliation_failed", [LogField("detail", error.sentence)])
            metrics.countReconciliation("failed")
            try await end(customer, reading, error)
            throw error
        }
        if reading.changed > 0 {
            let fields = [LogField("environment", customer.environment), LogField("changed", reading.changed)]
            loop.logger.info("app_store.reconciled", fields)
        }
        metrics.countReconciliation(reading.changed > 0 ? "changed" : "same")
        try await end(customer, reading, nil)
        return reading
    }

    private func end(
        _ customer: ReconciledCustomer,
        _ reading: CustomerReading,
        _ error: ReadingError?
    ) async throws(ReadingError) {
        let usual = reading.isWhole ? process.settings.reconciliationPause : .zero
        let statement = ReconciliationStatement.end(
            customer.ledger,
            reading.refundMark,
            reading.historyMark,
            error == nil && reading.isWhole,
            error?.pause(at: loop.reactor.wallNow) ?? usual
        )
        do throws(Failure) {
            _ = try await Failure.mapErrors { try await loop.database.work(statement) }
        } catch { throw .failure(error) }
    }

    /// Reads a list from a mark on.
    ///
    /// - Returns: The mark of the last page that was applied.
    private func read(
        _ list: CustomerList,
        _ customer: ReconciledCustomer,
        from mark: String?,
        _ reading: inout CustomerReading
    ) async throws(ReadingError) -> String? {
        guard let server, let environment = process.verifiers.environment(customer.environment) else {
            throw .server(.noServer)
        }
        var walk = PageWalk(from: mark, mostPages: AppStorePart.mostPages)
        var (waits, hasBegunAnew) = (0, false)
        while true {
            let page: TransactionPage
            do throws(ServerAPIProblem) {
                page = try await server.call(try list.page(customer, walk.mark), in: environment) {
                    (content) throws(ServerAPIAnswerError) in try TransactionPage(content)
                }
            } catch {
                if await wait(error, &waits) { continue }
                // A mark may be another customer's: an account has bought with another Apple Account since.
                guard error.isBadMark, walk.mark != nil, !hasBegunAnew else { throw .server(error) }
                // Once: a server that takes no mark at all would be asked for the first page for ever.
                (walk, hasBegunAnew) = (PageWalk(mostPages: AppStorePart.mostPages), true)
                continue
            }
            for text in page.signedTransactions { try await take(text, environment, &reading) }
            switch walk.take(page.revision, hasMore: page.hasMore) {
            case .next: continue
            case .finished: return walk.mark
            case .paused:
                reading.isWhole = false
                return walk.mark
            case .stuck: throw .stuck
            }
        }
    }

    /// Waits for its turn where that comes within seconds; whether it has waited.
    private func wait(_ problem: ServerAPIProblem, _ waits: inout Int) async -> Bool {
        guard case .later(let time) = problem, waits < AppStorePart.mostWaits else { return false }
        let pause = Duration.microseconds(time.microseconds - loop.reactor.wallNow.microseconds)
        guard pause <= ServerAPIPace.patience * 2 else { return false }
        waits += 1
        await loop.reactor.sleep(for: max(pause, .milliseconds(1)))
        return true
    }

    /// Applies a text of a list as the store's own; one that is refused is counted and left.
    private func take(
        _ text: String,
        _ environment: AppStoreEnvironment,
        _ reading: inout CustomerReading
    ) async throws(ReadingError) {
        let transaction: Transaction
        do throws(SignedTextRefusal) {
            transaction = try await verified(text, of: environment, at: SystemClock().now())
        } catch {
            if error.isRetryable { throw .server(.unavailable) }
            loop.logger.warning("app_store.reconciliation_refused", [LogField("reason", "\(error)")])
            return
        }
        do throws(Failure) {
            let applied = try await apply(transaction, shownBy: nil)
            reading.read += 1
            if applied.isChanged { reading.changed += 1 }
        } catch { throw .failure(error) }
    }
}

extension CustomerList {
    fileprivate func page(_ customer: ReconciledCustomer, _ mark: String?) throws(ServerAPIProblem) -> ServerAPIRequest
    {
        do throws(ServerAPIRequestError) {
            return try request(customer, mark)
        } catch { throw .refused(ServerAPIFailure(status: 400, body: [])) }
    }
}

extension ServerAPIProblem {
    /// Whether a page was asked for with a revision that is not of its list.
    fileprivate var isBadMark: Bool {
        if case .refused(let failure) = self { failure.code == 4_000_005 } else { false }
    }
}
