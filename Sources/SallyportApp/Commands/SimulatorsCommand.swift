import AmazonPay
import EventIO
import HTTPClient
import HTTPServer
import Primitives
import Settings
import Simulators
import TLS
import Telemetry

/// `sallyport simulators`: Amazon Pay on loopback, as a process of its own.
enum SimulatorsCommand {
    static let command = Command(
        name: "simulators",
        operands: "",
        summary: "run the Amazon Pay simulator",
        details: """
            Knows one merchant, whose keys are in the data directory (made where they are missing), those of --merchants,
            and some buyers. Keeps everything in memory, and with --state what the next run has to know in a file.
            /_sim controls it: see docs/simulator.md.
            """,
        options: [
            CommandOption("allow-remote", nil, "listen on other addresses than loopback too; for containers"),
            CommandOption("merchants", "FILE", "JSON file with further merchants"),
            CommandOption("state", "FILE", "keep objects, money and the clock there from one run to the next"),
            CommandOption("notify", "URL", "tell its own merchant of every change there, on notifications.topic_arn"),
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
        guard let address = configuration.listeners.simulator else {
            throw ConfigurationError(problems: ["simulator_listen: empty"])
        }
        let logger = Logger.standard(
            .output,
            level: configuration.logLevel,
            format: configuration.logFormat,
            label: "simulator"
        )
        let keys = try DevelopmentKeys.prepare(in: configuration.storage.dataDirectory, random: KernelRandom())
        let context = try TLSContext(
            certificatePEM: try Files.read(keys.certificatePath),
            keyPEM: Secret(try Files.read(keys.keyPath)),
            alpn: ["http/1.1"]
        )
        var simulator = SimulatorConfiguration(
            baseURL: "https://localhost:\(address.port)",
            merchants: [try merchant(keys, configuration, input)] + (try further(input.arguments)),
            seed: KernelRandom().bytes(16)
        )
        simulator.senderRoot = try keys.senderRoot()
        let quota = configuration.listeners.simulatorQuota.rawValue
        simulator.switches.quota = SimulatorSwitches.Quota(rawValue: quota) ?? .live
        simulator.insecureAllowsOthers = input.arguments.flags.contains("allow-remote")
        let (settings, state) = (simulator, input.arguments.values["state"].map { SimulatorState(path: $0, logger) })
        var sending = ClientConfiguration()
        sending.trust = .file(path: keys.authorityPath)
        let trusting = sending
        let signal = try await OneLoop.run { reactor in
            let simulator = AmazonPaySimulator(
                settings,
                reactor: reactor,
                exchange: CurlClient(reactor, configuration: trusting),
                logger: logger
            )
            state?.load(into: simulator)
            let server = try simulator.serve(on: ServerConfiguration.Listener(address, .tls), tls: context)
            logger.info("simulator.ready", [LogField("address", address.description)])
            let signal = try await EndSignal.wait(reactor, for: [.terminate, .interrupt]).get()
            await server.drain()
            state?.keep(simulator)
            return signal
        }
        logger.info("simulator.stopped", [LogField("signal", signal.description)])
        return 0
    }

    private static func further(_ arguments: CommandLineArguments) throws -> [Merchant] {
        guard let path = arguments.values["merchants"] else { return [] }
        do {
            return try Merchant.read(try Files.read(path))
        } catch let error as SimulatorError {
            throw ConfigurationError(problems: error.problems.map { "--merchants: \(path): \($0)" })
        } catch let error as IOError {
            throw ConfigurationError(problems: ["--merchants: \(path) cannot be read: \(error.sentence)"])
        }
    }

    private static func merchant(
        _ keys: DevelopmentKeys,
        _ configuration: Configuration,
        _ input: CommandInput
    ) throws -> Merchant {
        let pem = String(decoding: try Files.read(keys.merchantPublicKeyPath), as: UTF8.self)
        var merchant = Merchant(
            id: DevelopmentKeys.merchantID,
            storeIDs: [DevelopmentKeys.storeID],
            publicKeys: [Merchant.PublicKey(id: DevelopmentKeys.publicKeyID, pem: pem)],
            allowedDomains: [configuration.listeners.web.host]
        )
        merchant.notifications = input.arguments.values["notify"].map { url in
            NotificationTarget(url: url, topicARN: configuration.notifications.topics.first ?? DemoDefaults.topic)
        }
        return merchant
    }
}
