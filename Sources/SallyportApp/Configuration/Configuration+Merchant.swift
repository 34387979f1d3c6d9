import Commerce
import MerchantOrders

extension Configuration.Merchant {
    /// Reads what merchants' programs may do.
    ///
    /// - Parameters:
    ///   - reader: Is told what is wrong.
    ///   - region: Of the account.
    init(_ reader: inout SettingReader, region: String) {
        isServed = reader.flag("merchant.api")
        requestsPerMinute = reader.number("merchant.requests_per_minute")
        var origins: Set<CallbackOrigin> = []
        for text in reader.list("merchant.return_origins") {
            guard let origin = CallbackOrigin(setting: text) else {
                reader.complain("merchant.return_origins", "\(text) is not https://HOST or https://HOST:PORT")
                continue
            }
            origins.insert(origin)
        }
        let currency = Currency(rawValue: reader.choice("provider.ledger_currency")) ?? Self.currency(of: region)
        reader.resolve("provider.ledger_currency", as: currency.rawValue)
        policy = OrderPolicy(ledgerCurrency: currency, returnOrigins: origins)
    }

    private static func currency(of region: String) -> Currency {
        switch region {
        case "na": .usd
        case "eu": .eur
        default: .jpy
        }
    }
}
