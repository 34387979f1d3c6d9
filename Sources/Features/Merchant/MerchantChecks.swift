import MerchantOrders
package import Operations
package import ServerCore
package import Settings
import Webhooks

extension MerchantFeature {
    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        PostageChecks.findings(settings) + AppLinkChecks.findings(settings)
    }

    package func check(_ reader: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin) {
        let (setting, origins) = ("merchant.postage_origins", settings.postageOrigins)
        guard !origins.isEmpty, let servers = try? features.read(WebhookDelivery.self).settings else { return }
        for text in origins.map(\.description).sorted() {
            guard let problem = WebhookAddress.problem(text, allowsLoopback: servers.allowsLoopback) else { continue }
            reader.complain(setting, "\(text): \(problem)")
        }
        if !features.keyring.isSet {
            reader.complain(setting, "\(KeyringFile.setting) is not set, which keys are derived from")
        }
    }
}

/// D44: what a server is asked with for the shipping cost.
private enum PostageChecks {
    private static let setting = "merchant.postage_origins"

    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard !settings.list(setting).isEmpty else { return [] }
        if settings.files[KeyringFile.setting] == nil {
            return [
                Finding(
                    "D44",
                    .error,
                    setting,
                    "Shipping cost requests are signed with a key from merchant.secret_file, which is not set.",
                    remedy: "Name a file of keys that all processes share."
                )
            ]
        }
        guard settings.text("merchant.api") != "true" else { return [] }
        return [
            Finding(
                "D44",
                .warning,
                setting,
                "Shipping cost is requested only for orders of merchants' programs, and merchant.api is off.",
                remedy: "Switch merchant.api on, or empty \(setting)."
            )
        ]
    }
}

/// D45: where the provider's library sends the buyers of merchants' apps back to.
///
/// What is no origin and no scheme at all the program itself refuses.
private enum AppLinkChecks {
    private static let setting = "merchant.app_links"

    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        let links = settings.list(setting)
        guard !links.isEmpty, settings.text("merchant.api") == "true" else { return [] }
        return links.compactMap { link in
            link.hasSuffix(":") ? scheme(link) : site(link, settings)
        }
    }

    private static func scheme(_ link: String) -> Finding {
        Finding(
            "D45",
            .warning,
            setting,
            "Any app on the buyer's phone can claim \(link), make the buyer pay for another person's order, and receive the return link.",
            remedy: "Use an https link that only your app is associated with."
        )
    }

    /// An app cannot be associated with hosts whose association files are this program's own.
    private static func site(_ link: String, _ settings: ExaminedSettings) -> Finding? {
        guard let base = BaseURL(setting, link) else { return nil }
        guard settings.hosts.contains(where: { $0.identity == base.identity }) else { return nil }
        return Finding(
            "D45",
            .error,
            setting,
            "\(link) is a host of this program, which serves no page for the buyer of another app.",
            remedy: "Name a host of the merchant's that serves the app's association file."
        )
    }
}
