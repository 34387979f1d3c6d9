import Operations
import ServerCore

/// D56: what the law on mail order wants on the screen where the buyer agrees, and the shop has to say in its settings.
///
/// Sums, quantities and the means of payment are there by themselves.
enum ShopChecks {
    private static let needed = [
        ("shop.payment", "when the buyer is charged"), ("shop.delivery", "when goods are sent"),
        ("shop.returns", "whether an order can be cancelled and goods sent back"),
        ("shop.legal_url", "where the shop's details are that the law requires"),
        ("shop.contact_url", "how the shop is reached"),
    ]

    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard settings.isProduction else { return [] }
        // The text of one language stands for both.
        return missing { settings.text($0).isEmpty && settings.text($0 + "_en").isEmpty }.map { setting, what in
            Finding(
                "D56",
                .warning,
                setting,
                "It is not set, and the page on which the buyer agrees does not say \(what).",
                remedy: "Set it: the Act on Specified Commercial Transactions, article 12-6, wants this on that page."
            )
        }
    }

    /// Those of the needed settings that are empty, with what buyers then are not told.
    static func missing(_ isEmpty: (String) -> Bool) -> [(setting: String, what: String)] {
        needed.filter { isEmpty($0.0) }.map { (setting: $0.0, what: $0.1) }
    }
}

extension ShopTerms {
    /// The settings of D56 that are empty.
    var missing: [String] {
        ShopChecks.missing { setting in
            switch setting {
            case "shop.payment": payment.isEmpty
            case "shop.delivery": delivery.isEmpty
            case "shop.returns": returns.isEmpty
            case "shop.legal_url": policies[.legal] == nil
            default: policies[.contact] == nil
            }
        }.map(\.setting)
    }
}
