import AppStoreTransactions
import Postgres
import Primitives
import StrictJSON

/// Applies kept notifications again: after a product was added to the table, or a fault of the program was mended.
///
/// Each is a commit of its own, so that a replay may be cut off and begun anew. Certificates are judged at the time at which Apple signed
/// the text; whether they are revoked was asked when it came.
struct NotificationReplay: Sendable {
    /// What was applied.
    struct Report: Sendable, Hashable {
        /// Notifications that were read.
        var read = 0
        /// Those that say nothing of a purchase.
        var withoutPurchase = 0
        /// Those of which the text, or the one inside, is not good.
        var refused = 0
        /// Those of which something was new.
        var changed = 0
        /// When the last of them had come.
        var last: WallTime?

        var json: JSONValue {
            [
                "read": JSONValue(read), "changed": JSONValue(changed), "withoutPurchase": JSONValue(withoutPurchase),
                "refused": JSONValue(refused),
            ]
        }
    }

    let verifiers: AppStoreVerifiers
    let products: ProductTable
    let since: WallTime
    let until: WallTime
    /// `nil` for all that are on.
    let environment: AppStoreEnvironment?

    /// Notifications of one reading.
    private static let batch = 100

    /// Applies them, in the order in which they have come.
    ///
    /// - Parameter progress: Called behind each batch.
    func run(on database: PostgresClient, progress: (Report) -> Void) async throws(StoreError) -> Report {
        var report = Report()
        var mark = (since, "")
        while true {
            let (realm, batch) = (environment?.rawValue, NotificationReplay.batch)
            let statement = ReplayStatement.kept(mark.0, mark.1, until, realm, batch)
            let kept = try await database.work(statement).all()
            for notification in kept { try await apply(notification, on: database, &report) }
            guard let last = kept.last else { return report }
            progress(report)
            mark = (last.received, last.id)
        }
    }

    private func apply(
        _ kept: StoredNotification,
        on database: PostgresClient,
        _ report: inout Report
    ) async throws(StoreError) {
        report.read += 1
        report.last = kept.received
        let purchase: Transaction?
        do throws(SignedTextRefusal) {
            purchase = try self.purchase(in: kept)
        } catch {
            report.refused += 1
            return
        }
        guard let purchase else {
            report.withoutPurchase += 1
            return
        }
        let statement = ReplayStatement.replay(kept.id, purchase.columns.description, products.worth(of: purchase))
        if try await database.work(statement).first().isChanged { report.changed += 1 }
    }

    private func purchase(in kept: StoredNotification) throws(SignedTextRefusal) -> Transaction? {
        let notification = try verifiers.notification(Array(kept.payload.utf8), at: kept.received)
        guard let inner = notification.signedTransaction else { return nil }
        return try verifiers.transaction(Array(inner.utf8), of: notification.environment, at: kept.received)
    }
}
