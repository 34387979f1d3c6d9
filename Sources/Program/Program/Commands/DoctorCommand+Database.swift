import EventIO
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
        by ask: (Configuration) async throws -> ExaminedDatabase = DoctorCommand.examine
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
            let database = try await ask(configuration)
            return DatabaseChecks.findings(database, now: clock.now())
        } catch let error as PostgresError {
            return [DatabaseChecks.unreachable(error.debugDescription)]
        } catch {
            return [DatabaseChecks.unreachable(String(reflecting: error))]
        }
    }

    private static func examine(_ configuration: Configuration) async throws -> ExaminedDatabase {
        let database = try DatabaseAccess(configuration, logger: .silent)
        let link = try configuration.database(at: database.url)
        let features = configuration.features
        return try await database.connected { _, client in
            let rights = try await client.read(FeatureList.all.rightsStatement()).first()
            return ExaminedDatabase(
                rights: rights,
                margin: try await PostgresPartitionStore(client: client).margin(),
                otherServers: max(rights.standbys, link.hostCount - 1),
                isWayUnverified: link.isRemote && !link.isVerified,
                findings: try await features.examine(client)
            )
        }
    }
}
