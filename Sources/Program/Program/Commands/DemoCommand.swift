import AmazonPay
import Checkout
import EventIO
import HTTPCore
import Operations
import ServerCore
import Settings

/// `sallyport demo`: a whole shop on loopback, without an account anywhere.
enum DemoCommand {
    static let command = Command(
        name: "demo",
        operands: "",
        summary: "run everything on loopback: database, Amazon Pay simulator, broker",
        details: """
            Starts a private PostgreSQL in the data directory, the simulators as a process of their own, and the broker. It
            starts no PostgreSQL if database_url is set (run `migrate` first), and no simulators if provider.api_url is set.
            Prints `ready URL` and the steps of a purchase. Ctrl-C stops all. Its settings are in demo.json in the data
            directory, where other commands in the same folder find them.
            """,
        options: [],
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

    private static func run(_ configuration: Configuration, _ input: CommandInput) async throws -> Int32 {
        let logger = configuration.logger
        let keys = try DevelopmentKeys.prepare(in: configuration.storage.dataDirectory, random: KernelRandom())
        let folder = try DemoFolder(holding: configuration.storage.dataDirectory)
        defer { folder.release() }
        try DemoFolder.keep(try input.settings(), configuration)
        let database = try DatabaseAccess(configuration, logger: logger)
        defer { database.close() }
        try await database.prepareSchema(configuration.storage.migrationsDirectory)
        let simulators = try DemoDefaults.ownsSimulators(input) ? SimulatorProcess(input, configuration) : nil
        defer { simulators?.stop() }
        var parts = ApplicationParts(
            databaseURL: database.serviceURL,
            developmentAuthority: try Files.read(keys.authorityPath, limit: 65_536)
        )
        parts.serviceManager = ServiceManager(input.environment)
        let application = try await Application.start(configuration, parts, logger: logger)
        do {
            try await application.waitForProvider(configuration, beside: simulators?.companion)
        } catch {
            await application.stop()
            throw error
        }
        input.console.print("ready \(configuration.listeners.web.text)/browser/cart")
        let simulator = try configuration.checkout().provider.apiURL
        input.console.print(Walkthrough.text(configuration, simulator: simulator, keys))
        try await application.runUntilTold(
            configuration,
            beside: [database.companion, simulators?.companion].compactMap(\.self)
        )
        return 0
    }
}

/// The simulators as a child process, which ends with this one.
final class SimulatorProcess {
    private let child: ChildProcess

    /// The process, for a caller that cannot go on without it.
    var companion: SupervisedProcess { SupervisedProcess(name: "the process of the simulators", process: child) }

    /// Starts them with the settings of this process.
    ///
    /// - Parameters:
    ///   - configuration: Of the broker, which gets notifications where it takes them in and is on this machine.
    /// - Throws: `IOError`.
    init(_ input: CommandInput, _ configuration: Configuration) throws(IOError) {
        // In the data directory like the database, whose orders it has the other half of.
        var words = ["simulators", "--state", configuration.storage.dataDirectory + "/simulator.json"]
        if let file = input.configurationFile { words += ["--config", file.path] }
        let web = configuration.listeners.web
        let topics = configuration.features.first(CheckoutFeature.self)?.settings.notifications.topics ?? []
        if !topics.isEmpty, web.isLoopback {
            words += ["--notify", web.text + "/ipn/amazon-pay"]
        }
        var plan = ChildPlan("/proc/self/exe", words, environment: SimulatorProcess.environment(input.environment))
        // A session of its own: Ctrl-C reaches the broker first, which drains while the provider still answers.
        plan.startsSession = true
        plan.deathSignal = .terminate
        child = try plan.start()
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
