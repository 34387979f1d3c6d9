import EventIO
package import Operations
import Postgres
import Primitives
package import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
package import Web

/// Accounts on one loop.
package final class AccountsPart: FeaturePart {
    package static let routes: [RouteGroup<AccountsPart>] = []

    let loop: LoopContext
    /// Features that keep something of accounts, also those that are off.
    private let holders: [AccountData]
    private let active: [AccountData]
    /// What features let apps do, those that are on.
    let appScopes: [AppScope]
    /// Removes what requests of an account's apps were answered.
    var eraseClaims: (UUIDBytes) async throws(StoreError) -> Void = { _ in }
    private var erasers: [AccountData: AccountEraser] = [:]
    private var exporters: [AccountData: AccountExporter] = [:]

    init(_ loop: LoopContext, holders: [AccountData], active: [AccountData], appScopes: [AppScope] = []) {
        self.loop = loop
        self.holders = holders
        self.active = active
        self.appScopes = appScopes
    }

    /// Has the data of a feature erased and exported, for a feature that is being opened.
    ///
    /// - Throws: `FeatureError` where its card does not have them: no report would name the feature while it is off.
    package func handle(
        _ data: AccountData,
        erase: @escaping AccountEraser,
        export: @escaping AccountExporter
    ) throws(FeatureError) {
        guard active.contains(data) else {
            throw FeatureError(description: "\(data.name): data of accounts that stand on no card")
        }
        erasers[data] = erase
        exporters[data] = export
    }

    package func schedule(_ jobs: JobSchedule) {
        guard !active.isEmpty else { return }
        for data in active where erasers[data] == nil {
            loop.logger.error("account.no_handler", [LogField("feature", data.name)])
        }
        jobs.upkeep?.add { await self.finishErasures() }
        jobs.upkeep?.add { await self.pruneTokens() }
    }
}

// Erasing and exporting.
extension AccountsPart {
    /// Has every feature erase what it keeps of an account, and ends the erasure where all of them did.
    ///
    /// The account is marked in the database first. So whatever comes in between, the erasure is found and tried again.
    ///
    /// - Returns: `nil` where there is no such account.
    func erase(_ id: UUIDBytes) async throws(Failure) -> (account: Account, report: ErasureReport)? {
        let begun = try await Failure.mapErrors {
            try await loop.database.write(AccountStatement.begin(id), key: id).single()
        }
        guard let account = begun else { return nil }
        // Its tokens have opened nothing since the mark, and no more are made. What its apps were answered is the person's, too.
        try await Failure.mapErrors {
            _ = try await loop.database.write(AccountTokenStatement.erase(id), key: id)
            try await eraseClaims(id)
        }
        var report = ErasureReport()
        for data in holders { report.features.append((data.name, await outcome(of: data, id))) }
        if report.isComplete {
            _ = try await Failure.mapErrors { try await loop.database.write(AccountStatement.end(id), key: id) }
        }
        return (account, report)
    }

    private func outcome(of data: AccountData, _ id: UUIDBytes) async -> ErasureReport.Outcome {
        guard active.contains(data) else { return .off }
        guard let erase = erasers[data] else { return .failed }
        do {
            return .erased(try await erase(id))
        } catch {
            loop.logger.warning(
                "account.erase_failed",
                [
                    LogField("account", id.description), LogField("feature", data.name),
                    LogField("detail", Failure(error).detail),
                ]
            )
            return .failed
        }
    }

    /// Everything that is kept of an account, by feature.
    func export(_ id: UUIDBytes) async throws(Failure) -> [(name: String, data: JSONValue)] {
        var features: [(name: String, data: JSONValue)] = []
        for data in active {
            guard let export = exporters[data] else { throw Failure(.internalError, "\(data.name) exports nothing") }
            features.append((data.name, try await Failure.mapErrors { try await export(id) }))
        }
        return features
    }

    /// Features that are off and may keep something.
    var absent: [AccountData] { holders.filter { !active.contains($0) } }

    /// Tries a few erasures again that did not come to their end; whether there may be more.
    private func finishErasures() async -> Bool {
        let limit = 10
        do throws(Failure) {
            let waiting = try await Failure.mapErrors {
                try await loop.database.read(AccountStatement.unfinished(limit)).all()
            }
            for id in waiting {
                guard let (_, report) = try await erase(id) else { continue }
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
