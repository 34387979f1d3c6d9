import EventIO
import HTTPServer
import Operations
import Postgres
import Settings
import SimulatorCore
import StrictJSON
import Telemetry

// What most commands begin with: reading the settings, and saying what is wrong.

extension CommandInput {
    /// The settings as file and environment give them.
    ///
    /// - Throws: A problem with the file itself.
    func settings() throws(ConfigurationError) -> SettingSource {
        let file = configurationFile
        var variables = environment
        variables[ConfigurationFile.variable] = nil
        return SettingSource(file: try file?.read(), path: file?.path ?? "", environment: variables)
    }

    /// Reads the settings and hands them on, unless they are only to be printed.
    ///
    /// - Parameters:
    ///   - defaults: What this command fills in where nothing is set.
    ///   - scope: The settings that the command goes by.
    func withConfiguration(
        _ defaults: (SettingSource) throws -> SettingSource = { $0 },
        for scope: SettingScope = .everything,
        _ body: (Configuration) async throws -> Int32
    ) async -> Int32 {
        var known: Configuration?
        do {
            let isPrinted = arguments.flags.contains("print-config")
            let configuration = try Configuration(try defaults(try settings()), for: isPrinted ? .everything : scope)
            known = configuration
            if isPrinted {
                if arguments.values["print-config"] == "json" {
                    console.print(configuration.document.indented)
                } else {
                    for (name, value) in configuration.printed { console.print("\(name) = \(value)") }
                }
                return 0
            }
            return try await body(configuration)
        } catch {
            complain(error, known)
            return error is ConfigurationError ? 2 : 1
        }
    }

    /// Says what went wrong, every problem on a line of its own.
    ///
    /// - Parameters:
    ///   - configuration: For the name of the setting that an address stands in.
    func complain(_ error: any Error, _ configuration: Configuration? = nil) {
        switch error {
        case let error as ConfigurationError:
            for problem in error.problems { console.complain("sallyport: \(problem)") }
            if let remark = configurationFile?.remark { console.complain("sallyport: \(remark)") }
        case let error as SimulatorError:
            for problem in error.problems { console.complain("sallyport: \(problem)") }
        case let error as PostgresError:
            console.complain("sallyport: database: \(error.debugDescription)")
        case let error as ServerError:
            console.complain("sallyport: \(error.sentence(configuration))")
        default:
            console.complain("sallyport: \(String(reflecting: error))")
        }
    }
}

extension ServerError {
    /// What is wrong and what helps, for the person at the terminal.
    fileprivate func sentence(_ configuration: Configuration?) -> String {
        guard let (address, cause) = refusal else { return description }
        let names = Configuration.settings.filter { $0.kind == .address }.map(\.name)
        let setting = configuration?.printed.first { names.contains($0.name) && SocketAddress($0.value) == address }?
            .name
        let remedy = setting.map { "; or set \(Setting.environmentName($0)) to another address" } ?? ""
        let place = setting.map { "\($0): " } ?? ""
        return switch cause.code {
        case IOError.addressInUse: "\(place)\(address) is in use: stop the program that listens there\(remedy)"
        default: "\(place)cannot listen on \(address): \(cause.sentence)\(remedy)"
        }
    }
}

extension Configuration {
    /// The logger of a program that serves.
    var logger: Logger { .standard(.output, level: logLevel, format: logFormat) }

    /// The logger of a command whose output is its result.
    var asideLogger: Logger { .standard(.error, level: logLevel, format: logFormat) }
}
