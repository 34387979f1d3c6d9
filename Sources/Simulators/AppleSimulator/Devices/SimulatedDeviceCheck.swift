import Cryptography
package import EventIO
import HTTPClient
import HTTPServer
import JOSE
package import Primitives
package import Settings
package import SimulatorCore
package import StrictJSON
package import Telemetry

/// The vendor's record of devices and phones with an app, as a demo has them.
package struct SimulatedDeviceCheck: SimulatedSystem {
    /// That of its simulator.
    package static let name = DeviceCheckSimulator.name
    /// As its vendor writes it.
    package static let title = "DeviceCheck"
    /// For the help of `simulators`.
    package static let details = """
        DeviceCheck has the key that is in the data directory, and phones that give out tokens at http://HOST/_sim;
        HOST is device_check_simulator.listen.
        """
    /// Where the shop asks about devices of customers.
    package static let addressSetting = "device_check.production_url"
    /// Those of a shop's own key.
    package static let accountSettings = ["device_check.private_key"]

    /// The developer of a demo.
    package static let teamID = "SP4TESTDEV"
    private static let keyID = "SP4TESTKEY"
    private static let keyFile = "devicecheck/AuthKey_\(keyID).p8"
    /// Without what their names end in.
    private static let roots = (attestations: "devicecheck/attest-root", receipts: "devicecheck/receipt-root")

    private let address: SocketAddress
    private let team: String
    private let key: String
    private let bundle: String
    private let site: WebURL?

    package init?(_ settings: inout SettingReader) {
        let address = settings.address(
            "device_check_simulator.listen",
            "",
            "plain HTTP: the simulated DeviceCheck, its devices and its control; empty: nowhere"
        )
        guard let address else { return nil }
        self.address = address
        func text(_ name: String, _ usual: String) -> String {
            let text = settings.texts[name] ?? ""
            return text.isEmpty ? usual : text
        }
        (team, key) = (text("device_check.team_id", Self.teamID), text("device_check.key_id", Self.keyID))
        bundle = text("app_store.bundle_id", SimulatedAppStore.bundleID)
        site = WebURL(text("web.base_url", ""))
    }

    package static func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        // Beside the port of the other simulators, so that demos of one machine do not meet.
        let port = Int(SocketAddress(demo.text("simulator_listen"))?.port ?? 9443)
        let setting = "device_check_simulator.listen"
        let address = demo.isSet(setting) ? demo.text(setting) : "127.0.0.1:\(port ^ 16)"
        let own = SocketAddress(address)?.reached ?? address
        let bundle = demo.isSet("app_store.bundle_id") ? demo.text("app_store.bundle_id") : SimulatedAppStore.bundleID
        return [
            setting: .string(address), "device_check.team_id": .string(teamID),
            "device_check.key_id": .string(keyID), "device_check.private_key": .string(demo.folder + "/" + keyFile),
            "device_check.production_url": .string("http://\(own)/production"),
            "device_check.development_url": .string("http://\(own)/development"),
            "app_attest.bundle_ids": .string(bundle),
            "app_attest.trust": .string("\(demo.folder)/\(roots.attestations).pem"),
            "app_attest.receipt_url": .string("http://\(own)/production"),
            "app_attest.receipt_trust": .string("\(demo.folder)/\(roots.receipts).pem"),
            // One that no other walkthrough takes.
            "app_attest.required": "validateDevice",
        ]
    }

    /// Makes the key of the developer.
    package static func makeFiles(in folder: String, random: any RandomSource) throws {
        try Files.makeDirectory(folder + "/devicecheck", mode: 0o755)
        try Files.write(folder + "/" + keyFile, try ES256PrivateKey.generatePEM().reveal(), mode: 0o600)
        let now = SystemClock().now()
        let made = [
            (roots.attestations, try AppAttestAuthority.makeRoot(now: now)),
            (roots.receipts, try AppStoreAuthority.makeRoot(now: now)),
        ]
        for (path, root) in made {
            try Files.write("\(folder)/\(path).pem", root.certificatePEM, mode: 0o644)
            try Files.write("\(folder)/\(path).key", root.keyPEM.reveal(), mode: 0o600)
        }
    }

    private static func root(_ name: String, _ launch: SimulatorLaunch) throws -> IssuedCertificate {
        IssuedCertificate(
            certificatePEM: try launch.file(name + ".pem"),
            keyPEM: Secret(try launch.file(name + ".key"))
        )
    }

    /// Part of the control interface.
    package var healthURL: String { "http://\(address.reached)/_sim/health" }

    /// The page of the phones.
    package var demoText: String {
        """
        DeviceCheck: phones that can be sold are at http://\(address.reached)/_sim, and `scripts/walkthrough devicecheck`
        takes a gift, tries again and resets.
        """
    }

    package func places(_ launch: SimulatorLaunch) throws -> [SimulatorHost.Place] {
        [SimulatorHost.Place(ServerConfiguration.Listener(address, .clear), tls: nil)]
    }

    package func simulator(_ launch: SimulatorLaunch, _ reactor: Reactor, _ logger: Logger) throws -> any Simulator {
        let pem = Secret(try launch.file(Self.keyFile))
        var configuration = DeviceCheckModel.Configuration(seed: KernelRandom().bytes(16))
        configuration.baseURL = "http://\(address.reached)"
        (configuration.team, configuration.bundleID) = (team, bundle)
        configuration.attestRoots = (
            try Self.root(Self.roots.attestations, launch), try Self.root(Self.roots.receipts, launch)
        )
        configuration.keys = [APIKey(id: key, issuer: team, key: try JWSVerificationKey(of: ES256PrivateKey(pem: pem)))]
        configuration.testers = launch.testers
        configuration.allowsOthers = launch.allowsOthers
        configuration.appServer = site?.text ?? ""
        var asking = ClientConfiguration()
        asking.trust = .file(path: launch.folder + "/authority.pem")
        let exchange = CurlClient(reactor, configuration: asking, purpose: "devicecheck-apps", logger: logger)
        return DeviceCheckSimulator(configuration, reactor: reactor, exchange: exchange)
    }
}
