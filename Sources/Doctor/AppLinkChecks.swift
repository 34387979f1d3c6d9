import Operations

/// D45: where the provider's library sends the buyers of merchants' apps back to.
///
/// What is no origin and no scheme at all the program itself refuses.
enum AppLinkChecks {
    private static let setting = "merchant.app_links"

    static func findings(_ facts: SettingFacts) -> [Finding] {
        let links = facts.list(setting)
        guard !links.isEmpty, facts.text("merchant.api") == "true" else { return [] }
        return links.compactMap { link in
            link.hasSuffix(":") ? scheme(link) : site(link, facts)
        }
    }

    private static func scheme(_ link: String) -> Finding {
        Finding(
            "D45",
            .warning,
            setting,
            "Any app on the buyer's phone may claim \(link), have the buyer pay somebody else's order, and take the way back.",
            remedy: "Use an https link that only your app is associated with."
        )
    }

    /// An app cannot be associated with hosts whose association files are this program's own.
    private static func site(_ link: String, _ facts: SettingFacts) -> Finding? {
        guard let base = BaseURL(setting, link) else { return nil }
        let own = [facts.web, facts.link].compactMap { $0?.identity }
        guard own.contains(base.identity) else { return nil }
        return Finding(
            "D45",
            .error,
            setting,
            "\(link) is a host of this program, which serves no page for the buyer of another app.",
            remedy: "Name a host of the merchant's that serves the app's association file."
        )
    }
}
