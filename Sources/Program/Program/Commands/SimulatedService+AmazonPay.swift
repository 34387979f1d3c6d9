import AmazonPay
import AmazonPaySimulator
import Checkout
import EventIO
import HTTPClient
import HTTPServer
import Operations
import Primitives
import ServerCore
import Settings
import SimulatorCore
import TLS

extension SimulatedService {
    /// Amazon Pay: one merchant with the development keys, and those of `--merchants`.
    static let amazonPay = SimulatedService { configuration, keys, arguments in
        guard let address = configuration.listeners.simulator else {
            throw ConfigurationError(problems: ["simulator_listen: empty"])
        }
        let context = try TLSContext(
            certificatePEM: try Files.read(keys.certificatePath),
            keyPEM: Secret(try Files.read(keys.keyPath)),
            alpn: ServerConfiguration.protocolNames(withHTTP2: false)
        )
        var simulator = SimulatorConfiguration(
            baseURL: "https://localhost:\(address.port)",
            merchants: [try merchant(keys, configuration, arguments)] + (try further(arguments)),
            seed: KernelRandom().bytes(16)
        )
        simulator.senderRoot = try keys.senderRoot()
        let quota = try configuration.checkout().provider.simulatorQuota.rawValue
        simulator.switches.quota = SimulatorSwitches.Quota(rawValue: quota) ?? .live
        simulator.insecureAllowsOthers = arguments.flags.contains("allow-remote")
        simulator.testers = try testers(arguments)
        var sending = ClientConfiguration()
        sending.trust = .file(path: keys.authorityPath)
        let listener = ServerConfiguration.Listener(address, .tls)
        return Plan(places: [SimulatorHost.Place(listener, tls: context)]) { [simulator, sending] reactor, logger in
            let exchange = CurlClient(reactor, configuration: sending)
            return AmazonPaySimulator(simulator, reactor: reactor, exchange: exchange, logger: logger)
        }
    }

    private static func testers(_ arguments: CommandLineArguments) throws -> [NetworkPrefix] {
        try (arguments.values["control-from"] ?? "").split(separator: ",").map { text in
            guard let network = NetworkPrefix(String(text)) else {
                throw ConfigurationError(problems: ["--control-from: \(text) is no address or network"])
            }
            return network
        }
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
        _ arguments: CommandLineArguments
    ) throws -> Merchant {
        let pem = String(decoding: try Files.read(keys.merchantPublicKeyPath), as: UTF8.self)
        var merchant = Merchant(
            id: DevelopmentKeys.merchantID,
            storeIDs: [DevelopmentKeys.storeID],
            publicKeys: [Merchant.PublicKey(id: DevelopmentKeys.publicKeyID, pem: pem)],
            allowedDomains: [configuration.listeners.web.host]
        )
        let topics = try configuration.checkout().notifications.topics
        merchant.notifications = arguments.values["notify"].map { url in
            NotificationTarget(url: url, topicARN: topics.first ?? DemoDefaults.topic)
        }
        return merchant
    }
}
