import Pages

extension SettingTable {
    /// What the shop shows of itself on its pages.
    static let shop: [Setting] =
        [
            Setting(
                "shop.logo",
                .path,
                "",
                "PNG, JPEG, WebP or SVG of at most 64 KB beside the shop's name; empty: the program's mark"
            ),
            Setting(
                "shop.accent",
                .text,
                "",
                "colour of buttons and links, such as #17525f; text on it is white or black, whichever can be read"
            ),
            Setting("shop.payment", .text, "", "when the buyer is charged, one line on the confirm page"),
            Setting(
                "shop.payment_en",
                .text,
                "",
                "the same in English; where one of the two is empty, the other stands for both"
            ),
            Setting("shop.delivery", .text, "", "when goods are sent, one line on the confirm page"),
            Setting(
                "shop.delivery_en",
                .text,
                "",
                "the same in English; where one of the two is empty, the other stands for both"
            ),
            Setting("shop.returns", .text, "", "cancellation and returns, one line on the confirm page"),
            Setting(
                "shop.returns_en",
                .text,
                "",
                "the same in English; where one of the two is empty, the other stands for both"
            ),
        ]
        + ShopTerms.Policy.allCases.map { policy in
            Setting(
                policyName(policy),
                .text,
                "",
                "https address of \(meaning(policy)), linked at the foot of every page"
            )
        }

    /// The setting of a page of the shop.
    static func policyName(_ policy: ShopTerms.Policy) -> String { "shop.\(policy.rawValue)_url" }

    private static func meaning(_ policy: ShopTerms.Policy) -> String {
        switch policy {
        case .legal: "what the law on mail order asks for"
        case .terms: "the terms of use"
        case .privacy: "the privacy policy"
        case .contact: "the way to reach the shop"
        }
    }
}
