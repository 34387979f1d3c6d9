import EventIO
import HTTPClient
package import PostgresTestKit
package import Telemetry
import TestKit

/// The options of a test's shop.
package struct ShopOptions: Sendable {
    /// Settings by their dotted names, for example `profile`.
    package var settings: [String: String] = [:]
    /// Whether the broker's public listener speaks TLS.
    package var isSecure = false
    /// Whether its addresses are https although its listener is clear, as behind a balancer that ends TLS.
    package var isBalanced = false
    /// Whether the simulator speaks TLS.
    package var isSimulatorSecure = false
    /// The simulator's port; 0 for one that the kernel chooses, and gives to the next who asks once the simulator is stopped.
    package var simulatorPort: UInt16 = 0
    /// What its browsers speak.
    package var version = HTTPVersion.http1
    /// Event loops of the broker.
    package var loops = 1
    /// How many processes the broker is, 1 or 2: each further request of a browser goes to the next of them.
    package var processes = 1
    /// Whether its browsers ask again after 429, as their buyers would.
    package var isPatient = false
    /// Whether the simulator sends the broker a notification of every change.
    package var takesNotifications = false
    /// Between two rounds of the broker's housekeeping; `nil` for the usual ones, which no test waits for.
    package var jobPause: Duration?
    /// Its database; `nil` for a fresh one.
    package var database: TestDatabase?
    /// Where the broker writes.
    package var logger = Logger.silent

    /// A shop in profile standard, over plain HTTP, on one loop, that writes nothing, with some settings by their dotted names.
    package init(_ settings: [String: String] = [:]) {
        self.settings = settings
    }

    /// A shop whose browsers speak one version of HTTP, over TLS for HTTP/2, and whose work several processes may share.
    package static func over(
        _ version: HTTPVersion,
        _ settings: [String: String] = [:],
        processes: Int = 1
    ) -> ShopOptions {
        var options = ShopOptions(settings)
        options.processes = processes
        options.version = version
        options.isSecure = version == .http2
        return options
    }

    /// The topic of the simulator's messages.
    package static let topic = "arn:aws:sns:ap-northeast-1:000000000000:shop"

    /// Settings by which the broker believes the simulator's messages.
    func notificationSettings(_ simulator: RunningSimulator) async throws -> [String: String] {
        guard takesNotifications else { return [:] }
        let path = try ProcessFolder.makeFolder("anchor") + "/anchor.pem"
        try Files.write(path, try await SimulatorControl(url: simulator.url).notificationAnchor(), mode: 0o600)
        return [
            "notifications.topic_arn": ShopOptions.topic, "notifications.trust_anchor": path,
            "notifications.certificate_hosts": simulator.authority,
        ]
    }

    /// A shop of processes that write their log and their data below a folder.
    static func processes(over version: HTTPVersion, in folder: String) -> ShopOptions {
        var options = ShopOptions.over(
            version,
            [
                "data_dir": folder + "/var", "log_level": "info", "limits.connections_per_address": "10000",
                "limits.handshake_deadline": "60s",
            ]
        )
        options.isBalanced = version == .http1
        return options
    }

    var scheme: String { isSecure ? "https://" : "http://" }

    /// Scheme, host and port of the pages; no port of this machine is taken by it, see `HostTable`.
    var web: String { isSecure || isBalanced ? "https://localhost:8443" : "http://localhost:8080" }

    /// The same of the return links.
    var link: String { web.replacing("localhost", with: "links.localhost") }

    /// All settings of the broker as environment variables.
    func environment(_ simulator: RunningSimulator, _ keys: TestKeys) -> [String: String] {
        var texts = [
            "listen": isSecure ? "127.0.0.1:0" : "", "clear_listen": isSecure ? "" : "127.0.0.1:0",
            // Endpoints and merchants' servers of tests stand on this machine.
            "webhooks.allow_loopback": "true",
            "admin_listen": "127.0.0.1:0", "web.base_url": web, "link.base_url": link, "loops": "\(loops)",
            "tls.certificate": keys.certificatePath, "tls.key": keys.keyPath,
            "provider.merchant_id": RunningSimulator.merchantID, "provider.store_id": RunningSimulator.storeID,
            "provider.public_key_id": RunningSimulator.publicKeyID, "provider.private_key": keys.merchantKeyPath,
            "provider.ca_file": keys.authorityPath, "provider.api_url": simulator.url,
            "provider.script_url": simulator.url + "/checkout.js",
            "provider.start_url": simulator.url + "/checkout/start",
            "provider.redirect_hosts": simulator.authority, "provider.csp_hosts": simulator.url,
            "apps.ios": "[{\"prefix\":\"ABCDE12345\",\"bundle\":\"com.example.shop\"}]",
            "apps.android": "[{\"package\":\"com.example.shop\",\"fingerprints\":[\"\(ShopOptions.fingerprint)\"]}]",
            "simulator.quota": "none",
            // Everybody comes from one address here.
            "limits.issue_per_minute": "1000000", "limits.unknown_per_minute": "1000000",
            "merchant.requests_per_minute": "1000000",
            // A slow machine is no overload.
            "limits.queue_wait_ms": "5000", "limits.queue_deadline": "60s",
        ]
        texts.merge(settings) { _, own in own }
        let names = texts.map { name, text in
            ("SALLYPORT_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined(), text)
        }
        return Dictionary(names) { _, last in last }
    }

    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
}
