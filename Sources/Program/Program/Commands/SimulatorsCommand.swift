import EventIO
import HTTPServer
import Operations
import Primitives
import Settings
import SimulatorCore
import Telemetry

/// `sallyport simulators`: the systems outside on loopback, as a process of their own.
enum SimulatorsCommand {
    static let command = Command(
        name: "simulators",
        operands: "[SYSTEM ...]",
        summary: "run \(titles)",
        details: (FeatureList.simulators.map { $0.details }.filter { !$0.isEmpty } + [common]).joined(separator: "\n"),
        options: reach + [
            CommandOption("state", "FILE", "file that keeps objects, money and the clock from one run to the next")
        ] + FeatureList.simulators.flatMap { $0.options },
        examples: [
            "sallyport simulators --state var/simulator.json"
        ],
        answersSignals: true,
        run: { input in
            await input.withConfiguration(DemoDefaults.fill) { configuration in
                try await run(configuration, input)
            }
        }
    )

    /// Who reaches the simulators, also those of a demo.
    static let reach = [
        CommandOption("allow-remote", nil, "simulators listen on other addresses than loopback too; for containers"),
        CommandOption(
            "control-from",
            "NETWORKS",
            "addresses and networks of other machines that may use /_sim, with commas between them; for containers"
        ),
    ]

    /// For example `the Amazon Pay simulator`.
    static let titles = FeatureList.simulators.map { "the \($0.title) simulator" }.joined(separator: ", ")

    private static let common = """
        Without SYSTEM it runs all of them: \(FeatureList.simulators.map { $0.name }.joined(separator: ", ")).
        Data are in memory, with --state also in a file for the next run. /_sim controls them: see docs/simulator.md.
        """

    private static func run(_ configuration: Configuration, _ input: CommandInput) async throws -> Int32 {
        let logger = Logger.standard(
            .output,
            level: configuration.logLevel,
            format: configuration.logFormat,
            label: "simulator"
        )
        let systems = try systems(input.arguments.operands, configuration)
        let keys = try DevelopmentKeys.prepare(in: configuration.storage.dataDirectory, random: KernelRandom())
        let launch = SimulatorLaunch(
            folder: keys.folder,
            certificate: try SimulatorLaunch.file("server.pem", in: keys.folder),
            key: Secret(try SimulatorLaunch.file("server.key", in: keys.folder)),
            options: input.arguments.values,
            allowsOthers: input.arguments.flags.contains("allow-remote"),
            testers: try testers(input.arguments.values["control-from"] ?? "")
        )
        let state = input.arguments.values["state"]
        let signal = try await withEventLoop { reactor in
            let host = SimulatorHost(reactor, logger: logger)
            for system in systems {
                try host.start(
                    try system.simulator(launch, reactor, logger),
                    at: try system.places(launch),
                    state: state.map { path(of: type(of: system).name, beside: $0) }
                )
            }
            let signal = try await ShutdownSignal.wait(reactor, for: [.terminate, .interrupt]).get()
            await host.stop()
            return signal
        }
        logger.info("simulator.stopped", [LogField("signal", signal.description)])
        return 0
    }

    /// The file of a system's state, whichever of them run.
    static func path(of system: String, beside state: String) -> String {
        system == FeatureList.simulators.first?.name ? state : state + "." + system
    }

    /// Those with the given names, all where none is given.
    private static func systems(
        _ names: [String],
        _ configuration: Configuration
    ) throws(ConfigurationError) -> [any SimulatedSystem] {
        let unknown = names.filter { name in !FeatureList.simulators.contains { $0.name == name } }
        guard unknown.isEmpty else {
            throw ConfigurationError(problems: unknown.map { "simulators: no such system: \($0)" })
        }
        return configuration.simulated.filter { names.isEmpty || names.contains(type(of: $0).name) }
    }

    private static func testers(_ list: String) throws(ConfigurationError) -> [NetworkPrefix] {
        var testers: [NetworkPrefix] = []
        for text in list.split(separator: ",") {
            guard let network = NetworkPrefix(String(text)) else {
                throw ConfigurationError(problems: ["--control-from: \(text) is no address or network"])
            }
            testers.append(network)
        }
        return testers
    }
}
