import AmazonPay
import Checkout
import EventIO
import MerchantOrders
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import Telemetry

extension DoctorCommand {
    /// D28: asks the database that the settings name; a private cluster runs with its program only and is left alone.
    ///
    /// - Parameters:
    ///   - clock: Read when the answer is there: to reach a database may take seconds.
    static func askDatabase(
        _ source: SettingSource,
        clock: any WallClock = SystemClock(),
        by ask: (Configuration) async throws -> DatabaseChecks.Facts = DoctorCommand.rights
    ) async -> [Finding] {
        let configuration: Configuration
        let found: Secret<String>?
        do {
            configuration = try Configuration(source)
            found = try configuration.databaseURL()
        } catch {
            // Reported by the checks without a network.
            return []
        }
        guard found != nil else { return [] }
        do {
            let facts = try await ask(configuration)
            return DatabaseChecks.findings(facts, now: clock.now())
        } catch let error as PostgresError {
            return [DatabaseChecks.unreachable(error.debugDescription)]
        } catch {
            return [DatabaseChecks.unreachable(String(reflecting: error))]
        }
    }

    private static func rights(_ configuration: Configuration) async throws -> DatabaseChecks.Facts {
        let checkout = try configuration.checkout()
        let (policy, settings) = (checkout.policy, checkout.provider)
        let environment = PublicKeyID(settings.publicKeyID)?.environment
        let database = try DatabaseAccess(configuration, logger: .silent)
        let link = try configuration.database(at: database.url)
        return try await database.connected { _, client in
            let store = try PostgresSessionStore(client: client, policy: policy)
            let rights = try await store.rights()
            let margin = try await PostgresPartitionStore(client: client).margin()
            var facts = DatabaseChecks.Facts(
                role: rights.role,
                mayRewriteTrail: rights.mayRewriteTrail,
                hasLockTimeout: rights.hasLockTimeout,
                time: rights.now,
                partitionDaysLeft: margin.days,
                partitionTable: margin.table
            )
            facts.otherServers = max(rights.standbys, link.hostCount - 1)
            facts.waitsForStandby = rights.waitsForStandby
            facts.functionsBeyond = rights.functionsBeyond
            facts.mayCreate = rights.mayCreate
            facts.mightyLogin = rights.mightyLogin
            facts.unpinnedCommit = rights.unpinnedCommit
            facts.isWayUnverified = link.isRemote && !link.isVerified
            let skipped = try await store.skippedSessions()
            facts.skipped = skipped.first.map { (skipped.count, "\($0.webviewSession) (\($0.sqlState))") }
            let newest = try await store.newestAccount()
            if let newest, let environment, !settings.merchantID.isEmpty, !settings.allowsAccountChange {
                let account = OrderAccount(merchantID: settings.merchantID, environment: environment.rawValue)
                if account != newest { facts.otherAccount = (newest.words, account.words) }
            }
            return facts
        }
    }
}
