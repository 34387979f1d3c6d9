import Operations
import ServerCore

/// D56: what the law on mail order wants on the screen where the buyer agrees, and the shop has to say in its settings.
///
/// Sums, quantities and the means of payment are there by themselves.
enum ShopChecks {
    /// A setting, what buyers are not told without it, and whether terms lack it.
    typealias Need = (setting: String, what: String, isMissing: @Sendable (ShopTerms) -> Bool)

    static let needed: [Need] = [
        ("shop.payment", "when the buyer is charged", \.payment.isEmpty),
        ("shop.delivery", "when goods are sent", \.delivery.isEmpty),
        ("shop.returns", "whether an order can be cancelled and goods sent back", \.returns.isEmpty),
        ("shop.legal_url", "where the shop's details are that the law requires", { $0.policies[.legal] == nil }),
        ("shop.contact_url", "how the shop is reached", { $0.policies[.contact] == nil }),
    ]

    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard settings.isProduction else { return [] }
        // The text of one language stands for both.
        return needed.filter { settings.text($0.setting).isEmpty && settings.text($0.setting + "_en").isEmpty }.map {
            Finding(
                "D56",
                .warning,
                $0.setting,
                "It is not set, and the page on which the buyer agrees does not say \($0.what).",
                remedy: "Set it: the Act on Specified Commercial Transactions, article 12-6, wants this on that page."
            )
        }
    }
}

extension ShopTerms {
    /// The settings of D56 that are empty.
    var missing: [String] { ShopChecks.needed.filter { $0.isMissing(self) }.map(\.setting) }
}
