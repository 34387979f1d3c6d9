import Cryptography
package import EventIO
import HTTPClient
import HTTPServer
package import Operations
package import Primitives
package import Settings
package import SimulatorCore
package import StrictJSON
import TLS
package import Telemetry

/// Apple's push service and phones with Wallet, as a demo has them.
package struct SimulatedPushService: SimulatedSystem {
    /// That of its simulator.
    package static let name = PushSimulator.name
    /// As its vendor writes it.
    package static let title = "Apple Push Notification service"
    /// For the help of `simulators`.
    package static let details = """
        Beside the push service there are phones, which a person gives cards to at http://HOST/_sim; HOST is
        push_simulator.control. They believe the certificates that are made in the data directory.
        """
    package static let options = [
        CommandOption("provider-key", "ID:TEAM:FILE", "key that provider tokens are signed with, PEM")
    ]
    /// Where the shop's pushes go.
    package static let addressSetting = "wallet.push_host"
    /// Those of a shop's own certificates.
    package static let accountSettings = ["wallet.certificates"]

    /// The type of the passes that a demo has a certificate for.
    package static let passType = "pass.com.example.sallyport.member"
    /// The team that the certificate names.
    package static let team = "SP4TEST9Z0"

    private let service: SocketAddress
    private let control: SocketAddress

    package init?(_ settings: inout SettingReader) {
        let service = settings.address(
            "push_simulator.listen",
            "",
            "the simulated push service, HTTP/2 over TLS; empty: nowhere"
        )
        let control = settings.address(
            "push_simulator.control",
            "",
            "plain HTTP: phones and control of the simulated push service"
        )
        guard let service, let control else { return nil }
        (self.service, self.control) = (service, control)
    }

    package static func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        // Beside the port of the other simulators, so that demos of one machine do not meet.
        let port = Int(SocketAddress(demo.text("simulator_listen"))?.port ?? 9443)
        func address(_ setting: String, _ mask: Int) -> String {
            demo.isSet(setting) ? demo.text(setting) : "127.0.0.1:\(port ^ mask)"
        }
        let service = address("push_simulator.listen", 2)
        return [
            "push_simulator.listen": .string(service),
            "push_simulator.control": .string(address("push_simulator.control", 4)),
            "wallet.push_host": .string("localhost:\(SocketAddress(service)?.port ?? 0)"),
            "wallet.push_trust": .string(demo.folder + "/authority.pem"),
            "wallet.certificates": .string(demo.folder + "/passes/certificates"),
        ]
    }

    package static func makeFiles(in folder: String, random: any RandomSource) throws {
        let now = SystemClock().now()
        let authority = try PassAuthority.make(now: now, random: random)
        let pass = try authority.issue(type: passType, team: team, now: now, random: random)
        let certificates = folder + "/passes/certificates"
        try Files.makeDirectory(folder + "/passes", mode: 0o755)
        try Files.makeDirectory(certificates, mode: 0o755)
        try Files.write(folder + "/passes/root.pem", authority.root.certificatePEM, mode: 0o644)
        // To issue certificates for more types.
        try Files.write(folder + "/passes/intermediate.key", authority.intermediate.keyPEM.reveal(), mode: 0o600)
        try Files.write(certificates + "/intermediate.pem", authority.intermediate.certificatePEM, mode: 0o644)
        try Files.write(certificates + "/\(passType).pem", pass.certificatePEM, mode: 0o644)
        try Files.write(certificates + "/\(passType).key", pass.keyPEM.reveal(), mode: 0o600)
    }

    /// Part of the control interface.
    package var healthURL: String { "http://\(control)/_sim/health" }

    package func places(_ launch: SimulatorLaunch) throws -> [SimulatorHost.Place] {
        [SimulatorHost.Place(ServerConfiguration.Listener(control, .clear), tls: nil)]
    }

    package func simulator(_ launch: SimulatorLaunch, _ reactor: Reactor, _ logger: Logger) throws -> any Simulator {
        var configuration = PushModel.Configuration(seed: KernelRandom().bytes(16))
        configuration.testers = launch.testers
        configuration.allowsOthers = launch.allowsOthers
        configuration.keys = try launch.options["provider-key"].map { [try Self.key($0)] } ?? []
        var outbound = ClientConfiguration()
        outbound.trust = .file(path: launch.folder + "/authority.pem")
        outbound.version = .http2
        outbound.bodyLimit = PushSimulator.bodyLimit
        // A change for every member wakes every phone.
        outbound.concurrencyLimit = 20_000
        let root = try launch.file("passes/root.pem")
        let simulator = PushSimulator(
            configuration,
            reactor: reactor,
            exchange: CurlClient(reactor, configuration: outbound, purpose: "phones", logger: logger),
            judge: try PhoneJudge(rootsPEM: root),
            logger: logger
        )
        let intermediate = try launch.file("passes/certificates/intermediate.pem")
        let clients = TLSClientTrust(authoritiesPEM: root + intermediate, isRequired: false)
        try simulator.openService(at: service, tls: try launch.tls(["h2"], clients: clients))
        return simulator
    }

    /// The key of an option.
    private static func key(_ option: String) throws(ConfigurationError) -> ProviderKey {
        let parts = option.octets.parts(between: UInt8(ascii: ":"), limit: 2)
        guard parts.count == 3 else { throw ConfigurationError(problems: ["--provider-key: not ID:TEAM:FILE"]) }
        do {
            return ProviderKey(
                id: parts[0],
                team: parts[1],
                key: try ES256PublicKey(pem: try Files.read(parts[2], limit: 65_536))
            )
        } catch {
            throw ConfigurationError(problems: ["--provider-key: \(parts[2]) is no public key on P-256: \(error)"])
        }
    }
}
