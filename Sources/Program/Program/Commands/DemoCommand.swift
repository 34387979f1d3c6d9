import EventIO
import Operations
import ServerCore
import Settings
import SimulatorCore

/// `sallyport demo`: a whole shop on loopback, without an account anywhere.
enum DemoCommand {
    static let command = Command(
        name: "demo",
        operands: "",
        summary: "run everything on loopback: \(parts)",
        details: """
            Starts a private PostgreSQL in the data directory, the simulators as a process of their own, and the broker. It
            starts no PostgreSQL if database_url is set (run `migrate` first), and no simulator of a system whose address is
            set: \(FeatureList.simulators.map { $0.addressSetting }.joined(separator: ", ")).
            Prints `ready URL` and the steps of a purchase. Ctrl-C stops all. Its settings are in demo.json in the data
            directory, where other commands in the same folder find them.
            """,
        options: SimulatorsCommand.reach,
        examples: [
            "sallyport demo"
        ],
        answersSignals: true,
        run: { input in
            await input.withConfiguration(DemoDefaults.fill) { configuration in
                try await run(configuration, input)
            }
        }
    )

    /// For example `database, Amazon Pay simulator, broker`.
    private static let parts =
        (["database"] + FeatureList.simulators.map { "\($0.title) simulator" } + ["broker"]).joined(separator: ", ")

    private static func run(_ configuration: Configuration, _ input: CommandInput) async throws -> Int32 {
        let logger = configuration.logger
        let keys = try DevelopmentKeys.prepare(in: configuration.storage.dataDirectory, random: KernelRandom())
        let folder = try DemoFolder(holding: configuration.storage.dataDirectory)
        defer { folder.release() }
        let source = try input.settings()
        try DemoFolder.keep(source, configuration)
        let database = try DatabaseAccess(configuration, logger: logger)
        defer { database.close() }
        try await database.prepareSchema(configuration.storage.migrationsDirectory)
        // Where an operator has set the address of a system, that is used.
        let own = configuration.simulated.filter { !source.isSet(type(of: $0).addressSetting) }
        let simulators = own.isEmpty ? nil : try SimulatorProcess(own, input, configuration)
        defer { simulators?.stop() }
        var parts = ApplicationParts(
            databaseURL: database.serviceURL,
            developmentAuthority: try Files.read(keys.authorityPath, limit: 65_536)
        )
        parts.serviceManager = ServiceManager(input.environment)
        let application = try await Application.start(configuration, parts, logger: logger)
        do {
            for system in configuration.simulated {
                try await application.wait(for: system, beside: simulators?.companion)
            }
        } catch {
            await application.stop()
            throw error
        }
        let web = configuration.listeners.web
        let steps = configuration.features.walkthroughs(web: web, authorityPath: keys.authorityPath)
        input.console.print("ready \(web.text)\(steps.map(\.page).first { !$0.isEmpty } ?? "")")
        let texts = steps.map(\.text) + own.map(\.demoText).filter { !$0.isEmpty } + [end(configuration.storage)]
        input.console.print("\n" + texts.joined(separator: "\n\n"))
        try await application.runUntilTold(
            configuration,
            beside: [database.companion, simulators?.companion].compactMap(\.self)
        )
        return 0
    }

    /// The last lines that a demo prints when it is ready.
    private static func end(_ storage: Configuration.Storage) -> String {
        let cluster = storage.clusterDirectory
        let isInside = storage.databaseURL != nil || cluster.hasPrefix(storage.dataDirectory)
        let places = isInside ? storage.dataDirectory : "\(storage.dataDirectory), the database in \(cluster)"
        return """
            Other commands in this folder (keys, reconcile, audit, doctor) know this demo by \(DemoFolder.settingsPath(storage.dataDirectory)).
            Ctrl-C stops everything. The data stays in \(places).
            """
    }
}

/// The simulators as a child process, which ends with this one.
final class SimulatorProcess {
    private let child: ChildProcess

    /// The process, for a caller that cannot go on without it.
    var companion: SupervisedProcess { SupervisedProcess(name: "the process of the simulators", process: child) }

    /// Starts them with the settings of this process.
    ///
    /// - Throws: `IOError`.
    init(
        _ systems: [any SimulatedSystem],
        _ input: CommandInput,
        _ configuration: Configuration
    ) throws(IOError) {
        var words = ["simulators"] + systems.map { type(of: $0).name }
        // In the data directory like the database, whose orders they have the other half of.
        words += ["--state", configuration.storage.dataDirectory + "/simulator.json"]
        if let file = input.configurationFile { words += ["--config", file.path] }
        words += SimulatorProcess.reach(input.arguments)
        for (option, value) in systems.flatMap(\.demoOptions) { words += ["--" + option, value] }
        var plan = ChildPlan("/proc/self/exe", words, environment: SimulatorProcess.environment(input.environment))
        // A session of its own: Ctrl-C reaches the broker first, which drains while the provider still answers.
        plan.startsSession = true
        plan.deathSignal = .terminate
        child = try plan.start()
    }

    /// The options of the demo that are those of its simulators.
    private static func reach(_ given: CommandLineArguments) -> [String] {
        SimulatorsCommand.reach.flatMap { option -> [String] in
            let word = "--" + option.name
            if given.flags.contains(option.name) { return [word] }
            return given.values[option.name].map { [word, $0] } ?? []
        }
    }

    /// The environment of the simulators: the settings without the secret ones, and the variables of the system's libraries.
    static func environment(_ all: [String: String]) -> [String: String] {
        let settings = Configuration.settings.filter { !$0.isSecret && $0.name != "database.password_file" }
        let names = Set(settings.map(\.environmentName)).union(SimulatorProcess.systemVariables)
        return all.filter { names.contains($0.key) }
    }

    private static let systemVariables = [
        "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS", "SWIFT_BACKTRACE",
        "JOURNAL_STREAM",
    ]

    /// Ends them in order.
    func stop() {
        do throws(IOError) {
            try child.send(.terminate)
            if try child.wait(atMost: .seconds(5)) == nil { try child.send(.kill) }
        } catch {
            StandardStream.error.complain("sallyport: the simulators could not be stopped: \(error)")
        }
    }
}
