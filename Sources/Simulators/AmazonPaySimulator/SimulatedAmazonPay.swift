import Cryptography
package import EventIO
import HTTPClient
import HTTPServer
package import Operations
package import Primitives
package import Settings
package import SimulatorCore
package import StrictJSON
package import Telemetry

/// Amazon Pay, as a demo has it: one merchant with the keys of the demo's folder, and those of `--merchants`.
package struct SimulatedAmazonPay: SimulatedSystem {
    /// That of its simulator.
    package static let name = AmazonPaySimulator.name
    /// As its vendor writes it.
    package static let title = "Amazon Pay"
    /// For the help of `simulators`.
    package static let details = """
        It has one merchant, whose keys are in the data directory (created if they are missing), those of --merchants,
        and some buyers.
        """
    package static let options = [
        CommandOption("merchants", "FILE", "JSON file with further merchants"),
        CommandOption(
            "notify",
            "URL",
            "URL that gets the notifications of the built-in merchant, with the topic notifications.topic_arn"
        ),
    ]
    /// Where Checkout finds the API.
    package static let addressSetting = "provider.api_url"
    /// Those of a shop's own account.
    package static let accountSettings = ["provider.merchant_id"]

    /// The built-in merchant.
    private static let merchantID = "A1SALLYPORTDEMO"
    private static let storeID = "amzn1.application-oa2-client.5a11e9047de7e10b3e0f57ee9a1d0f00"
    private static let publicKeyID = "SANDBOX-SALLYPORTDEMOKEY00000001"
    private static let ownTopic = "arn:aws:sns:ap-northeast-1:000000000000:demo"

    private let address: SocketAddress?
    private let web: WebURL?
    private let apiURL: String
    /// The first of the topics whose messages the program believes; `nil` where it takes none.
    private let topic: String?
    private let quota: SimulatorSwitches.Quota
    /// PEM file, as Checkout reads it.
    package let authorityPath: String

    package init?(_ settings: inout SettingReader) {
        address = settings.address(
            "simulator_listen",
            "127.0.0.1:9443",
            "listener of the simulators, for `simulators` and `demo`"
        )
        func text(_ name: String) -> String { settings.texts[name] ?? "" }
        web = WebURL(text("web.base_url"))
        apiURL = text(Self.addressSetting)
        topic = text("notifications.topic_arn").split { $0 == "," || $0 == " " }.first.map(String.init)
        quota = SimulatorSwitches.Quota(rawValue: text("simulator.quota")) ?? .live
        authorityPath = text("provider.ca_file")
    }

    package static func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        let host = "localhost:\(SocketAddress(demo.text("simulator_listen"))?.port ?? 9443)"
        let url = "https://" + host
        var settings: [String: String] = [
            "provider.merchant_id": merchantID,
            "provider.store_id": storeID,
            "provider.public_key_id": publicKeyID,
            "provider.private_key": demo.folder + "/merchant.key",
            "provider.ca_file": demo.folder + "/authority.pem",
            "provider.api_url": url,
            "provider.script_url": url + "/checkout.js",
            "provider.start_url": url + "/checkout/start",
            "provider.redirect_hosts": host,
            "provider.csp_hosts": url,
        ]
        // Messages are never believed beside another provider or another key.
        if !["provider.api_url", "provider.public_key_id"].contains(where: demo.isSet) {
            settings["notifications.topic_arn"] = ownTopic
            settings["notifications.trust_anchor"] = demo.folder + "/sender/root.pem"
            settings["notifications.certificate_hosts"] = host
        }
        return settings.mapValues { .string($0) }
    }
}

extension SimulatedAmazonPay {
    package static func makeFiles(in folder: String, random: any RandomSource) throws {
        let merchant = try RSAPrivateKey.generatePEM()
        try Files.write(folder + "/merchant.key", merchant.privateKey.reveal(), mode: 0o600)
        try Files.write(folder + "/merchant.pem", merchant.publicKey, mode: 0o644)
        // What receivers of notifications trust, and the simulator's half of it.
        let root = try SenderKeys.makeRoot(SystemClock().now(), random)
        try Files.makeDirectory(folder + "/sender", mode: 0o755)
        try Files.write(folder + "/sender/root.pem", root.certificatePEM, mode: 0o644)
        try Files.write(folder + "/sender/root.key", root.keyPEM.reveal(), mode: 0o600)
    }

    /// Part of the control interface.
    package var healthURL: String { apiURL + "/_sim/health" }

    /// Notifications, where the program takes them in and is on this machine.
    package var demoOptions: [String: String] {
        guard let web, web.isLocal, topic != nil else { return [:] }
        return ["notify": web.text + "/ipn/amazon-pay"]
    }

    package func places(_ launch: SimulatorLaunch) throws -> [SimulatorHost.Place] {
        let listener = ServerConfiguration.Listener(try listener, .tls)
        let tls = try launch.tls(ServerConfiguration.protocolNames(withHTTP2: false))
        return [SimulatorHost.Place(listener, tls: tls)]
    }

    package func simulator(
        _ launch: SimulatorLaunch,
        _ reactor: Reactor,
        _ logger: Logger
    ) throws -> any Simulator {
        var configuration = SimulatorConfiguration(
            baseURL: "https://localhost:\(try listener.port)",
            merchants: [try merchant(launch)] + (try further(launch)),
            seed: KernelRandom().bytes(16)
        )
        configuration.senderRoot = try DevelopmentAuthority(
            certificatePEM: try launch.file("sender/root.pem"),
            keyPEM: Secret(try launch.file("sender/root.key"))
        )
        configuration.switches.quota = quota
        configuration.insecureAllowsOthers = launch.allowsOthers
        configuration.testers = launch.testers
        var sending = ClientConfiguration()
        sending.trust = .file(path: launch.folder + "/authority.pem")
        let exchange = CurlClient(reactor, configuration: sending)
        return AmazonPaySimulator(configuration, reactor: reactor, exchange: exchange, logger: logger)
    }

    private var listener: SocketAddress {
        get throws(ConfigurationError) {
            guard let address else { throw ConfigurationError(problems: ["simulator_listen: empty"]) }
            return address
        }
    }

    private func merchant(_ launch: SimulatorLaunch) throws -> Merchant {
        let pem = String(decoding: try launch.file("merchant.pem"), as: UTF8.self)
        var merchant = Merchant(
            id: Self.merchantID,
            storeIDs: [Self.storeID],
            publicKeys: [Merchant.PublicKey(id: Self.publicKeyID, pem: pem)],
            allowedDomains: web.map { [$0.host] } ?? []
        )
        merchant.notifications = launch.options["notify"].map { url in
            NotificationTarget(url: url, topicARN: topic ?? Self.ownTopic)
        }
        return merchant
    }

    private func further(_ launch: SimulatorLaunch) throws -> [Merchant] {
        guard let path = launch.options["merchants"] else { return [] }
        do {
            return try Merchant.read(try Files.read(path))
        } catch let error as SimulatorError {
            throw ConfigurationError(problems: error.problems.map { "--merchants: \(path): \($0)" })
        } catch let error as IOError {
            throw ConfigurationError(problems: ["--merchants: \(path) cannot be read: \(error.sentence)"])
        }
    }
}
