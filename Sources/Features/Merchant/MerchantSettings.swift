import Commerce
package import MerchantOrders
import Primitives
import Settings
import Webhooks

/// The interface for merchants' programs, and how their orders are kept.
package struct MerchantSettings: Sendable {
    let isServed: Bool
    /// Where buyers may be sent back to.
    let returnOrigins: Set<CallbackOrigin>
    /// Where a merchant may be asked for the postage.
    package let postageOrigins: Set<CallbackOrigin>
    /// Which apps buyers may be sent back to by the provider's library.
    let appLinks: Set<AppLinkOrigin>
    /// Numbers of the keys that questions for the postage are signed with: one, or two while they change.
    let postageKeys: [PostageKeyNumber]
    /// How long orders are kept behind their month.
    let orderRetention: Duration
    /// Pause between two looks at what is to be asked of the provider; `nil` for never.
    let pollRound: Duration?

    init(_ read: inout SettingReader) {
        isServed = read.flag("merchant.api", false, "serve the interface for merchants' programs, below /v1")
        returnOrigins = read.origins(
            "merchant.return_origins",
            "origins of sites to which buyers may return"
        ) { CallbackOrigin(setting: $0) }
        postageOrigins = read.origins(
            "merchant.postage_origins",
            "origins of servers from which the shipping cost of an order may be requested"
        ) { CallbackOrigin(setting: $0, orClearLoopback: true) }
        postageKeys = read.keyNumbers(
            "merchant.postage_keys",
            "numbers of the keys that sign shipping cost requests; two during a change"
        )
        appLinks = read.origins(
            "merchant.app_links",
            "https origins and private schemes of apps to which buyers may return",
            or: "a scheme with a dot like com.example.shop:"
        ) { AppLinkOrigin(setting: $0) }
        let days = read.number(
            "merchant.retention_days",
            180...3650,
            400,
            "days to keep orders and their ledger after the end of their month"
        )
        orderRetention = .seconds(days * 86_400)
        let round = read.duration(
            "reconciliation.round",
            0...3600,
            .seconds(30),
            "pause between two searches for objects to poll at the provider; 0: never"
        )
        pollRound = round > .zero ? round : nil
    }

    /// What orders may be, with an account that charges in one currency.
    func policy(_ ledgerCurrency: Currency) -> OrderPolicy {
        var policy = OrderPolicy(
            ledgerCurrency: ledgerCurrency,
            returnOrigins: returnOrigins,
            postageOrigins: postageOrigins
        )
        policy.appLinks = appLinks
        return policy
    }
}

extension SettingReader {
    /// The origins of a list; those that are none are left out.
    ///
    /// - Parameter other: Another form that is allowed, for people.
    fileprivate mutating func origins<Origin: Hashable>(
        _ name: String,
        _ meaning: String,
        or other: String? = nil,
        _ origin: (String) -> Origin?
    ) -> Set<Origin> {
        let forms = ["https://HOST", "https://HOST:PORT", other].compactMap(\.self).joined(separator: " or ")
        var origins: Set<Origin> = []
        for text in list(name, "", meaning) {
            guard let origin = origin(text) else {
                complain(name, "\(text) is not \(forms)")
                continue
            }
            origins.insert(origin)
        }
        return origins
    }

    /// One number or two.
    fileprivate mutating func keyNumbers(_ name: String, _ meaning: String) -> [PostageKeyNumber] {
        let texts = list(name, "1", meaning)
        let numbers = texts.compactMap { PostageKeyNumber($0) }
        guard numbers.count == texts.count, 1...2 ~= numbers.count, numbers.first != numbers.dropFirst().first else {
            complain(name, "not \(PostageKeyNumber.form), or two of them")
            return [.usual]
        }
        return numbers
    }
}
