import Commerce
import MerchantOrders
import Primitives
import Settings
import Webhooks

extension Configuration {
    /// The interface for merchants' programs.
    struct Merchant: Sendable {
        let isServed: Bool
        let requestsPerMinute: Int
        /// What orders may be.
        let policy: OrderPolicy
        /// Numbers of the keys that questions for the postage are signed with: one, or two while they change.
        let postageKeys: [Int]
    }
}

extension Configuration.Merchant {
    init(_ read: inout SettingReader, ledgerCurrency: Currency) {
        isServed = read.flag("merchant.api", false, "serve the interface for merchants' programs, below /v1")
        requestsPerMinute = read.number("merchant.requests_per_minute", 1...1_000_000, 600, "requests per key")
        let returns = read.origins(
            "merchant.return_origins",
            "origins of sites that buyers may be sent back to"
        ) { CallbackOrigin(setting: $0) }
        let postage = read.origins(
            "merchant.postage_origins",
            "origins of servers that may be asked for the postage of their orders"
        ) { CallbackOrigin(setting: $0, orClearLoopback: true) }
        postageKeys = read.keyNumbers(
            "merchant.postage_keys",
            "numbers of the keys that sign these questions; two while they change"
        )
        let links = read.origins(
            "merchant.app_links",
            "https origins and private schemes of apps that buyers may be sent back to",
            or: "a scheme with a dot like com.example.shop:"
        ) { AppLinkOrigin(setting: $0) }
        var policy = OrderPolicy(ledgerCurrency: ledgerCurrency, returnOrigins: returns, postageOrigins: postage)
        policy.appLinks = links
        self.policy = policy
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
    fileprivate mutating func keyNumbers(_ name: String, _ meaning: String) -> [Int] {
        let texts = list(name, "1", meaning)
        let numbers = texts.compactMap { text in
            DecimalDigits.parse(text.utf8Span.span, limit: PostageKeys.greatestNumber)
        }
        guard numbers.count == texts.count, 1...2 ~= numbers.count, numbers.first != numbers.dropFirst().first,
            !numbers.contains(0)
        else {
            complain(name, "not a whole number from 1 to \(PostageKeys.greatestNumber), or two of them")
            return [1]
        }
        return numbers
    }
}
