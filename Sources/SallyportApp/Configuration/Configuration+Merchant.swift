import Commerce
import MerchantOrders
import Primitives
import Webhooks

extension Configuration.Merchant {
    /// Reads what merchants' programs may do.
    ///
    /// - Parameters:
    ///   - reader: Is told what is wrong.
    ///   - webhooks: Say whether servers of this machine may be called, and where the secret is.
    init(_ reader: inout SettingReader, webhooks: Configuration.Webhooks) {
        isServed = reader.flag("merchant.api")
        requestsPerMinute = reader.number("merchant.requests_per_minute")
        let returns = Self.origins("merchant.return_origins", &reader) { CallbackOrigin(setting: $0) }
        let links = Self.origins("merchant.app_links", &reader, or: "a scheme with a dot like com.example.shop:") {
            AppLinkOrigin(setting: $0)
        }
        let postage = Self.origins("merchant.postage_origins", &reader) {
            CallbackOrigin(setting: $0, orClearLoopback: true)
        }
        for text in postage.map(\.description).sorted() {
            guard let problem = WebhookAddress.problem(text, allowsLoopback: webhooks.allowsLoopback) else { continue }
            reader.complain("merchant.postage_origins", "\(text): \(problem)")
        }
        if !postage.isEmpty, webhooks.secretPath.isEmpty {
            reader.complain("merchant.postage_origins", "merchant.secret_file is not set, which keys are derived from")
        }
        postageKeys = Self.numbers("merchant.postage_keys", &reader)
        let currency = Currency(rawValue: reader.choice("provider.ledger_currency")) ?? .jpy
        reader.resolve("provider.ledger_currency", as: currency.rawValue)
        var policy = OrderPolicy(ledgerCurrency: currency, returnOrigins: returns, postageOrigins: postage)
        policy.appLinks = links
        self.policy = policy
    }

    private static func origins<Origin: Hashable>(
        _ name: String,
        _ reader: inout SettingReader,
        or other: String? = nil,
        _ origin: (String) -> Origin?
    ) -> Set<Origin> {
        let forms = ["https://HOST", "https://HOST:PORT", other].compactMap(\.self).joined(separator: " or ")
        var origins: Set<Origin> = []
        for text in reader.list(name) {
            guard let origin = origin(text) else {
                reader.complain(name, "\(text) is not \(forms)")
                continue
            }
            origins.insert(origin)
        }
        return origins
    }

    /// One number or two.
    private static func numbers(_ name: String, _ reader: inout SettingReader) -> [Int] {
        let texts = reader.list(name)
        let numbers = texts.compactMap { text in
            DecimalDigits.parse(text.utf8Span.span, limit: PostageKeys.greatestNumber)
        }
        guard numbers.count == texts.count, 1...2 ~= numbers.count, numbers.first != numbers.dropFirst().first,
            !numbers.contains(0)
        else {
            reader.complain(name, "not a whole number from 1 to \(PostageKeys.greatestNumber), or two of them")
            return [1]
        }
        return numbers
    }
}
