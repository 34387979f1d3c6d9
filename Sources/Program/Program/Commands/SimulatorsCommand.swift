import EventIO
import Operations
import SimulatorCore
import Telemetry

/// `sallyport simulators`: Amazon Pay on loopback, as a process of its own.
enum SimulatorsCommand {
    static let command = Command(
        name: "simulators",
        operands: "",
        summary: "run the Amazon Pay simulator",
        details: """
            It has one merchant, whose keys are in the data directory (created if they are missing), those of --merchants,
            and some buyers. Its data are in memory, with --state also in a file for the next run.
            /_sim controls it: see docs/simulator.md.
            """,
        options: [
            CommandOption("allow-remote", nil, "listen on other addresses than loopback too; for containers"),
            CommandOption(
                "control-from",
                "NETWORKS",
                "addresses and networks of other machines that may use /_sim, with commas between them; for containers"
            ),
            CommandOption("merchants", "FILE", "JSON file with further merchants"),
            CommandOption("state", "FILE", "file that keeps objects, money and the clock from one run to the next"),
            CommandOption(
                "notify",
                "URL",
                "URL that gets the notifications of the built-in merchant, with the topic notifications.topic_arn"
            ),
        ],
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

    private static func run(_ configuration: Configuration, _ input: CommandInput) async throws -> Int32 {
        let logger = Logger.standard(
            .output,
            level: configuration.logLevel,
            format: configuration.logFormat,
            label: "simulator"
        )
        let keys = try DevelopmentKeys.prepare(in: configuration.storage.dataDirectory, random: KernelRandom())
        // The first keeps its state in the file of `--state` itself.
        let services = [.amazonPay] + configuration.simulated.map { SimulatedService($0) }
        let plans = try services.map { try $0.prepare(configuration, keys, input.arguments) }
        let state = input.arguments.values["state"]
        let signal = try await withEventLoop { reactor in
            let host = SimulatorHost(reactor, state: state, logger: logger)
            for plan in plans { try host.start(plan.make(reactor, logger), at: plan.places) }
            let signal = try await ShutdownSignal.wait(reactor, for: [.terminate, .interrupt]).get()
            await host.stop()
            return signal
        }
        logger.info("simulator.stopped", [LogField("signal", signal.description)])
        return 0
    }
}

/// A service that the command simulates.
struct SimulatedService: Sendable {
    /// How it is made on the loop, and where it listens.
    struct Plan: Sendable {
        let places: [SimulatorHost.Place]
        let make: @Sendable (Reactor, Logger) -> any Simulator
    }

    /// Reads settings, files and options; throws what is wrong with them.
    let prepare: @Sendable (Configuration, DevelopmentKeys, CommandLineArguments) throws -> Plan
}
