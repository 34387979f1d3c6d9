import AppStoreTransactions
import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import Web

/// `sallyport appstore reconcile`: asks Apple about customers now, whether they are due or not.
///
/// Each customer is one step, whose effects are committed before the next begins: a run that is ended at any moment leaves
/// nothing half done, and the next one finds what is left.
struct AppStoreReconcile {
    let part: AppStorePart
    let console: Console
    let account: UUIDBytes?
    let environment: AppStoreEnvironment?

    private static let customersAtOnce: Int32 = 50
    private static let nobody = UUIDBytes(high: 0, low: 0)

    /// Runs the command.
    ///
    /// - Returns: 0 done, 1 where there is no such account or something could not be asked.
    static func run(
        _ settings: AppStoreSettings,
        _ account: UUIDBytes?,
        _ environment: AppStoreEnvironment?,
        _ console: Console,
        _ context: any CommandContext
    ) async throws -> Int32 {
        guard settings.server.isOn else { throw AppStoreAction.problem("set app_store.private_key first") }
        let process = try AppStoreProcess(settings)
        return try await context.connected { reactor, database in
            let loop = LoopContext(reactor, database: database, headers: HeaderPolicy(includesSubdomains: false))
            let part = AppStorePart(unserved: process, loop)
            let run = AppStoreReconcile(part: part, console: console, account: account, environment: environment)
            return try await run.walk()
        }
    }

    /// Asks about each customer in turn.
    func walk() async throws -> Int32 {
        var (asked, read, changed, failed) = (0, 0, 0, 0)
        var last = AppStoreReconcile.nobody
        while true {
            let statement = ReconciliationStatement.walk(
                account,
                environment?.rawValue,
                last,
                AppStoreReconcile.customersAtOnce
            )
            let customers = try await part.loop.database.work(statement).all()
            for customer in customers {
                last = customer.ledger
                do throws(ReadingError) {
                    let reading = try await readWhole(customer)
                    read += reading.read
                    changed += reading.changed
                } catch {
                    failed += 1
                    console.complain("appstore reconcile: \(customer.ledger): \(error.sentence)")
                    if error.isGeneral { return conclude("stopped: ", asked, read, changed, failed) }
                }
                asked += 1
            }
            if customers.count < Int(AppStoreReconcile.customersAtOnce) { break }
            console.complain("appstore reconcile: \(asked) customers so far, \(changed) changes")
        }
        guard asked > 0 || account == nil else {
            console.complain("appstore reconcile: there is no such account, or nothing that Apple could be asked about")
            return 1
        }
        return conclude("", asked, read, changed, failed)
    }

    /// Reads a customer from page to page up to the end.
    private func readWhole(_ customer: ReconciledCustomer) async throws(ReadingError) -> CustomerReading {
        var (customer, whole) = (customer, CustomerReading())
        while true {
            let reading = try await part.reconcile(customer)
            whole.read += reading.read
            whole.changed += reading.changed
            guard !reading.isWhole else { return whole }
            customer.refundMark = reading.refundMark ?? customer.refundMark
            customer.historyMark = reading.historyMark ?? customer.historyMark
        }
    }

    private func conclude(_ head: String, _ asked: Int, _ read: Int, _ changed: Int, _ failed: Int) -> Int32 {
        console.print("\(head)customers \(asked), purchases read \(read), changed \(changed), failed \(failed)")
        return failed == 0 ? 0 : 1
    }
}
