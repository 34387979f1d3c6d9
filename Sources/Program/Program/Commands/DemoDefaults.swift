import Checkout
import EventIO
import Operations
import ServerCore
import Settings
import StrictJSON

/// What `demo` fills in where nothing is set: the development keys, the simulator as the provider, two apps.
enum DemoDefaults {
    /// The settings of a demo.
    ///
    /// - Parameter source: What file and environment say; it wins.
    /// - Returns: The same with the demo's defaults.
    /// - Throws: Nothing today; the type is the one that commands take.
    static func fill(_ source: SettingSource) throws -> SettingSource {
        let settings = Configuration(unchecked: source)
        let folder = settings.storage.dataDirectory + "/development"
        let port = settings.listeners.simulator?.port ?? 9443
        let simulator = "https://localhost:\(port)"
        return messages(source, simulator: simulator, folder).fillingIn(
            hosts(settings.listeners).merging(FeatureList.demoSettings) { own, _ in own }.merging([
                "tls.certificate": folder + "/server.pem",
                "tls.key": folder + "/server.key",
                "provider.merchant_id": DevelopmentKeys.merchantID,
                "provider.store_id": DevelopmentKeys.storeID,
                "provider.public_key_id": DevelopmentKeys.publicKeyID,
                "provider.private_key": folder + "/merchant.key",
                "provider.ca_file": folder + "/authority.pem",
                "provider.api_url": simulator,
                "provider.script_url": simulator + "/checkout.js",
                "provider.start_url": simulator + "/checkout/start",
                "provider.redirect_hosts": "localhost:\(port)",
                "provider.csp_hosts": simulator,
                "merchant.api": "true",
                "merchant.return_origins": "https://shop.example.com",
                "merchant.postage_origins": "http://127.0.0.1:8098",
                "merchant.app_links": "https://shop.example.com",
                "merchant.secret_file": folder + "/merchant.secret",
                "log_steps": "true",
                "session.trail_secret": folder + "/trail.secret",
                // So both for orders that are captured with the payment and for those that a call captures.
                "shop.payment": "ご注文の確定時に承認され、ショップが売上を確定したときに請求されます。",
                "shop.payment_en": "Authorised with the order, charged once the shop captures it.",
                "shop.delivery": "ご注文から3日以内に発送します。",
                "shop.delivery_en": "Sent within three days of the order.",
                "shop.returns": "発送前はお問い合わせからキャンセルできます。未開封の商品は到着後8日以内に返品できます。送料はお客様のご負担です。",
                "shop.returns_en":
                    "Orders can be cancelled until they are sent. Unopened goods can be returned within eight days, at your cost.",
                "shop.legal_url": "https://shop.example.com/legal",
                "shop.terms_url": "https://shop.example.com/terms",
                "shop.privacy_url": "https://shop.example.com/privacy",
                "shop.contact_url": "https://shop.example.com/contact",
                "shop.home_url": "https://shop.example.com/",
                "webhooks.allow_loopback": "true",
                // In a database of its own only.
                "session.allow_policy_change": settings.storage.databaseURL == nil ? "true" : "false",
            ]) { own, _ in own },
            objects: [
                "apps.ios": [["prefix": "ABCDE12345", "bundle": "com.example.shop"]],
                "apps.android": [
                    [
                        "package": "com.example.shop",
                        "fingerprints": [.string(Array(repeating: "AB", count: 32).joined(separator: ":"))],
                    ]
                ],
            ]
        )
    }

    /// Both hosts under the port that is listened on, so that what is printed is where the program is.
    private static func hosts(_ listeners: Configuration.Listeners) -> [String: String] {
        guard let port = listeners.tls?.port, port != 0 else { return [:] }
        return ["web.base_url": "https://localhost:\(port)", "link.base_url": "https://links.localhost:\(port)"]
    }

    /// The topic of the demo's own simulator.
    static let topic = "arn:aws:sns:ap-northeast-1:000000000000:demo"

    /// The same with the messages of the demo's own simulator believed: never beside another provider or another key.
    private static func messages(_ source: SettingSource, simulator: String, _ folder: String) -> SettingSource {
        let theirs = ["provider.api_url", "provider.public_key_id"]
        guard !theirs.contains(where: source.isSet) else { return source }
        return source.fillingIn(
            [
                "notifications.topic_arn": topic,
                "notifications.trust_anchor": folder + "/sender/root.pem",
                "notifications.certificate_hosts": String(simulator.dropFirst("https://".count)),
            ]
        )
    }

    /// The settings of a command that works on the data of a demo.
    ///
    /// - Parameter source: What file and environment say; it wins.
    /// - Returns: The demo's, where the data directory is a demo's and nothing else is set.
    /// - Throws: What `DemoFolder.settings` throws.
    static func fillWhereKept(_ source: SettingSource) throws -> SettingSource {
        try DemoFolder.settings(for: source) ?? source
    }

    /// Whether the demo starts simulators of its own: where the settings name no other provider.
    ///
    /// - Returns: True unless a provider is set.
    /// - Throws: `ConfigurationError` for an unreadable file.
    static func ownsSimulators(_ input: CommandInput) throws -> Bool {
        try !input.settings().isSet("provider.api_url")
    }
}
