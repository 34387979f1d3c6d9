import Doctor
import Persistence
import Postgres
import Primitives
import SessionBroker
import Telemetry

extension DoctorCommand {
    /// D28: asks the database that the settings name; a private cluster runs with its program only and is left alone.
    static func askDatabase(_ source: SettingSource, now: WallTime) async -> [Finding] {
        let configuration: Configuration
        do {
            configuration = try Configuration(source)
        } catch {
            // Told by the checks without a network.
            return []
        }
        guard let url = configuration.storage.databaseURL else { return [] }
        let policy = configuration.policy
        do {
            let rights = try await OneLoop.run { reactor in
                let client = PostgresClient(
                    reactor: reactor,
                    configuration: try PostgresConfiguration(url: url),
                    logger: .silent
                )
                client.start()
                defer { client.close() }
                try await client.waitUntilReady(within: .seconds(10))
                return try await PostgresSessionStore(client: client, policy: policy).rights()
            }
            return DatabaseChecks.findings(
                DatabaseChecks.Facts(
                    role: rights.role,
                    mayRewriteTrail: rights.mayRewriteTrail,
                    hasLockTimeout: rights.hasLockTimeout,
                    aheadSeconds: now.seconds - rights.now.seconds
                )
            )
        } catch let error as PostgresError {
            return [DatabaseChecks.unreachable(error.debugDescription)]
        } catch {
            return [DatabaseChecks.unreachable(String(reflecting: error))]
        }
    }
}
