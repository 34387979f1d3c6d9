import Cryptography
package import EventIO
import HTTPClient
import HTTPServer
import JOSE
package import Operations
package import Primitives
package import Settings
package import SimulatorCore
package import StrictJSON
package import Telemetry

/// The App Store's servers and a device that buys, as a demo has them.
package struct SimulatedAppStore: SimulatedSystem {
    /// That of its simulator.
    package static let name = AppStoreSimulator.name
    /// As its vendor writes it.
    package static let title = "App Store"
    /// For the help of `simulators`.
    package static let details = """
        The App Store has the key of the API that is in the data directory, and a device that buys at
        http://HOST/_sim; HOST is app_store_simulator.listen. It signs with certificates under a root of its own there.
        """
    package static let options = [
        CommandOption(
            "app-store-notify",
            "URL",
            "URL that gets the notifications of the App Store, of each environment"
        )
    ]
    /// Where the shop asks about purchases of customers.
    package static let addressSetting = "app_store.production_url"
    /// Those of a shop's own key.
    package static let accountSettings = ["app_store.private_key"]

    /// The app of a demo.
    package static let bundleID = "com.example.sallyport"
    private static let appID = 6_400_000_001
    private static let issuerID = "5a11e904-7de7-410b-8e0f-57ee9a1d0f00"
    private static let keyID = "SP4TESTAPI"
    private static let files = (
        root: "app-store/root.pem", rootKey: "app-store/root.key", apiKey: "app-store/AuthKey_\(keyID).p8",
        products: "app-store/products.json"
    )

    private let address: SocketAddress
    private let app: (bundle: String, id: Int)
    private let issuer: String
    private let key: String
    private let site: WebURL?

    package init?(_ settings: inout SettingReader) {
        let address = settings.address(
            "app_store_simulator.listen",
            "",
            "plain HTTP: the simulated App Store, its device and its control; empty: nowhere"
        )
        guard let address else { return nil }
        self.address = address
        func text(_ name: String, _ usual: String) -> String {
            let text = settings.texts[name] ?? ""
            return text.isEmpty ? usual : text
        }
        app = (text("app_store.bundle_id", Self.bundleID), Int(text("app_store.app_apple_id", "")) ?? Self.appID)
        issuer = text("app_store.issuer_id", Self.issuerID)
        key = text("app_store.key_id", Self.keyID)
        site = WebURL(text("web.base_url", ""))
    }

    package static func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        // Beside the port of the other simulators, so that demos of one machine do not meet.
        let port = Int(SocketAddress(demo.text("simulator_listen"))?.port ?? 9443)
        let setting = "app_store_simulator.listen"
        let address = demo.isSet(setting) ? demo.text(setting) : "127.0.0.1:\(port ^ 8)"
        let own = SocketAddress(address)?.reached ?? address
        return [
            setting: .string(address), "app_store.bundle_id": .string(bundleID),
            "app_store.app_apple_id": .string(String(appID)), "app_store.allow_other_root": "true",
            "app_store.root_certificates": .string(demo.folder + "/" + files.root),
            "app_store.environments": "Production,Sandbox", "app_store.issuer_id": .string(issuerID),
            "app_store.key_id": .string(keyID), "app_store.private_key": .string(demo.folder + "/" + files.apiKey),
            "app_store.production_url": .string("http://\(own)/production"),
            "app_store.sandbox_url": .string("http://\(own)/sandbox"),
            "app_store.products": .string(demo.folder + "/" + files.products),
        ]
    }

    /// Makes the root, the key of the API and the products.
    package static func makeFiles(in folder: String, random: any RandomSource) throws {
        let root = try AppStoreAuthority.makeRoot(now: SystemClock().now())
        try Files.makeDirectory(folder + "/app-store", mode: 0o755)
        try Files.write(folder + "/" + files.root, root.certificatePEM, mode: 0o644)
        try Files.write(folder + "/" + files.rootKey, root.keyPEM.reveal(), mode: 0o600)
        try Files.write(folder + "/" + files.apiKey, try ES256PrivateKey.generatePEM().reveal(), mode: 0o600)
        try Files.write(folder + "/" + files.products, products.bytes, mode: 0o644)
    }

    /// What a demo sells: units by product.
    private static let products: JSONValue = [
        "com.example.sallyport.ticket.1": ["units": 1], "com.example.sallyport.ticket.10": ["units": 10],
    ]

    /// Part of the control interface.
    package var healthURL: String { "http://\(address.reached)/_sim/health" }

    /// Notifications, where the program is on this machine.
    package var demoOptions: [String: String] {
        guard let site, site.isLocal else { return [:] }
        return ["app-store-notify": site.text + "/app-store/notifications"]
    }

    /// The page of the device.
    package var demoText: String {
        """
        Purchases in the App Store: a device that buys is at http://\(address.reached)/_sim, and
        `scripts/walkthrough appstore` buys, spends and gives back.
        """
    }

    package func places(_ launch: SimulatorLaunch) throws -> [SimulatorHost.Place] {
        [SimulatorHost.Place(ServerConfiguration.Listener(address, .clear), tls: nil)]
    }

    package func simulator(_ launch: SimulatorLaunch, _ reactor: Reactor, _ logger: Logger) throws -> any Simulator {
        let root = IssuedCertificate(
            certificatePEM: try launch.file(Self.files.root),
            keyPEM: Secret(try launch.file(Self.files.rootKey))
        )
        let pem = Secret(try launch.file(Self.files.apiKey))
        var configuration = AppStoreModel.Configuration(root: root, seed: KernelRandom().bytes(16))
        configuration.baseURL = "http://\(address.reached)"
        (configuration.bundleID, configuration.appAppleID) = app
        configuration.keys = [
            APIKey(id: key, issuer: issuer, key: try JWSVerificationKey(of: ES256PrivateKey(pem: pem)))
        ]
        configuration.testers = launch.testers
        configuration.allowsOthers = launch.allowsOthers
        configuration.appServer = site?.text ?? ""
        if let url = launch.options["app-store-notify"] {
            configuration.notificationURLs = [.production: url, .sandbox: url]
        }
        var sending = ClientConfiguration()
        sending.trust = .file(path: launch.folder + "/authority.pem")
        let exchange = CurlClient(reactor, configuration: sending, purpose: "app-store-notifications", logger: logger)
        return AppStoreSimulator(configuration, reactor: reactor, exchange: exchange, logger: logger)
    }
}
