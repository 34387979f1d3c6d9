import EventIO
import Operations
import Postgres
import ServerCore
import Settings
import Telemetry

extension DoctorCommand {
    /// What the features find over the network.
    ///
    /// - Parameter source: The texts.
    /// - Returns: What was found; nothing for settings that nothing starts with, which the other checks report.
    /// - Throws: `IOError` when there is no loop to be had.
    static func askFeatures(_ source: SettingSource) async throws -> [Finding] {
        let running: RunningFeatures
        let link: PostgresConfiguration?
        do {
            let configuration = try Configuration(source)
            link = try configuration.databaseURL().map(configuration.database(at:))
            running = try configuration.features.start(configuration.unservedProcess)
        } catch {
            return []
        }
        defer { running.stop() }
        return try await withEventLoop { reactor in
            let database = link.map { PostgresClient(reactor: reactor, configuration: $0, logger: .silent) }
            database?.start()
            defer { database?.close() }
            return await running.probe(ProbeContext(reactor, database: database))
        }
    }
}
