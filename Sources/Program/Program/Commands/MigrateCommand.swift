import Operations
import Postgres
import ServerCore

/// `sallyport migrate`: brings the schema forward.
enum MigrateCommand {
    static let command = Command(
        name: "migrate",
        operands: "",
        summary: "create or update the tables",
        details: """
            Applies the missing migrations, one transaction each, then the functions that have changed. It may run twice, and on several machines at once. Only this
            command needs the owner of the schema; a member of sallyport_service is enough for all others.
            """,
        options: [CommandOption("status", nil, "only list the migrations and their state")],
        examples: [
            "sallyport migrate --config sallyport.json",
            "sallyport migrate --status --config sallyport.json",
        ],
        run: { input in
            await input.withConfiguration(for: .database) { configuration in
                let database = try DatabaseAccess(configuration, logger: configuration.asideLogger)
                defer { database.close() }
                let directory = configuration.storage.migrationsDirectory
                if input.arguments.flags.contains("status") {
                    for entry in try await database.status(directory) {
                        input.console.print("\(entry.name) \(entry.state)")
                    }
                    return 0
                }
                let applied = try await database.migrate(directory) { progress in
                    switch progress {
                    case .waiting: input.console.print("waiting for another program that is migrating")
                    case .applying(let name): input.console.print("applying \(name)")
                    case .applied: break
                    case .leaving(let name): input.console.print("leaving \(name): the database has a newer version")
                    }
                }
                input.console.print(applied.isEmpty ? "nothing to do" : "applied \(applied.count) files")
                return 0
            }
        }
    )
}
