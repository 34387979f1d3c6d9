import EventIO
import Postgres
import Primitives
import Telemetry

// What most commands begin with: reading the settings, and saying what is wrong.

extension CommandInput {
    /// The settings as file and environment give them.
    ///
    /// - Throws: A problem with the file itself.
    func settings() throws(ConfigurationError) -> SettingSource {
        guard let path = arguments.values["config"] else { return SettingSource(file: nil, environment: environment) }
        do throws(IOError) {
            return SettingSource(file: try Files.read(path, limit: 1 << 20), environment: environment)
        } catch {
            throw ConfigurationError(problems: ["--config: \(path) cannot be read: \(error)"])
        }
    }

    /// Reads the settings and hands them on, unless they are only to be printed.
    ///
    /// - Parameters:
    ///   - defaults: What this command fills in where nothing is set.
    ///   - body: The command.
    /// - Returns: The exit status.
    func withConfiguration(
        _ defaults: (SettingSource) throws -> SettingSource = { $0 },
        _ body: (Configuration) async throws -> Int32
    ) async -> Int32 {
        do {
            let configuration = try Configuration(try defaults(try settings()))
            if arguments.flags.contains("print-config") {
                for (name, value) in configuration.printed { console.print("\(name) = \(value)") }
                return 0
            }
            return try await body(configuration)
        } catch {
            complain(error)
            return error is ConfigurationError ? 2 : 1
        }
    }

    /// Says what went wrong, every problem on a line of its own.
    func complain(_ error: any Error) {
        switch error {
        case let error as ConfigurationError:
            for problem in error.problems { console.complain("sallyport: \(problem)") }
        case let error as PostgresError:
            console.complain("sallyport: database: \(error.debugDescription)")
        default:
            console.complain("sallyport: \(String(reflecting: error))")
        }
    }
}

extension Configuration {
    /// The program's own logger.
    var logger: Logger { .standardOutput(level: logLevel) }
}
