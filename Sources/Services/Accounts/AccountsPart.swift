import EventIO
package import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
package import Web

/// Accounts on one loop.
package final class AccountsPart: FeaturePart {
    package static let routes: [RouteGroup<AccountsPart>] = []

    let loop: LoopContext
    let records: AccountRecords
    private var isServed = false
    /// What features let apps do, those that are on.
    let appScopes: [AppScope]

    init(_ loop: LoopContext, _ data: [AccountData], appScopes: [AppScope] = []) {
        self.loop = loop
        let logger = loop.logger
        records = AccountRecords(loop.database, data) { feature, account, detail in
            let fields = [
                LogField("account", account.description), LogField("feature", feature), LogField("detail", detail),
            ]
            logger.warning("account.erase_failed", fields)
        }
        self.appScopes = appScopes
    }

    /// Serves the routes, once.
    ///
    /// For a feature that keeps something of accounts where its own settings say so.
    ///
    /// - Throws: `FeatureError` where `/v1` is not there.
    package func serve() throws {
        guard !isServed else { return }
        isServed = true
        let service = try loop.part(ServiceFeature.self)
        service.serve(self)
        service.authenticateApps(with: self)
    }

    package func schedule(_ jobs: JobSchedule) {
        guard isServed else { return }
        jobs.upkeep?.add { await self.finishErasures() }
        jobs.upkeep?.add { await self.pruneTokens() }
    }
}

// Upkeep.
extension AccountsPart {
    /// Tries a few erasures again that did not come to their end; whether there may be more.
    private func finishErasures() async -> Bool {
        let limit = 10
        do throws(Failure) {
            let waiting = try await Failure.mapErrors {
                try await loop.database.read(AccountStatement.unfinished(limit)).all()
            }
            for id in waiting {
                guard let (_, report) = try await records.erase(id) else { continue }
                let fields = [LogField("account", id.description), LogField("complete", report.isComplete)]
                loop.logger.info("account.erasure_continued", fields)
            }
            return waiting.count == limit
        } catch {
            loop.logger.warning("account.store_failed", [LogField("detail", error.detail)])
            return false
        }
    }

    /// Removes tokens that have ended; whether there may be more.
    private func pruneTokens() async -> Bool {
        do throws(StoreError) {
            return try await loop.database.work(AccountTokenStatement.prune()).affectedCount
                == AccountTokenStatement.pruneLimit
        } catch {
            loop.logger.warning("account.store_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }
}
