package import AmazonPay
package import Commerce
import MerchantOrders
import Settings

/// The account at Amazon Pay and where Amazon is.
package struct ProviderSettings: Sendable {
    let region: String
    /// The account; empty where none is set.
    package let merchantID: String
    let storeID: String
    let storeName: String
    /// The key that signs, by its id; empty where none is set.
    package let publicKeyID: String
    /// PEM file of that key; empty where none is set.
    package let privateKeyPath: String
    let algorithm: String
    /// Of a simulator; empty for Amazon.
    package let apiURL: String
    let scriptURL: String
    let startURL: String
    let redirectHosts: [String]
    let policyHosts: [String]
    /// The only currency in which the account charges.
    package let ledgerCurrency: Currency
    /// Of the shop's own orders.
    let captureMode: CaptureMode
    /// PEM file of a simulator's authority; empty for the machine's.
    package let authorityPath: String
    /// Limits of the account that are set, in place of the documented ones.
    let quotas: [AmazonPayOperation: CallRate]
    let quotaProcesses: Int
    /// Whose limits calls to a simulator are kept under.
    package let simulatorQuota: QuotaTable
    /// Whether the database may hold orders of another account or environment.
    package let allowsAccountChange: Bool

    /// The settings that there is no account without.
    static let switches = [
        "provider.merchant_id", "provider.store_id", "provider.public_key_id", "provider.private_key",
    ]

    /// What each of `switches` holds.
    private var account: [String] { [merchantID, storeID, publicKeyID, privateKeyPath] }

    /// Those of `switches` that are not set.
    var missing: [String] { zip(Self.switches, account).filter { $0.1.isEmpty }.map(\.0) }

    /// Whether any of `switches` is set: then the others have to be.
    var isNamed: Bool { missing.count < Self.switches.count }

    init(_ read: inout SettingReader) {
        region = read.choice(
            "provider.region",
            ["jp", "na", "eu"],
            "jp",
            "Amazon Pay region; orders are in yen, so only jp works"
        )
        if region != "jp" {
            read.complain("provider.region", "\(region) does not charge in yen, and orders have no other currency")
        }
        merchantID = read.text("provider.merchant_id", "", "Amazon Pay account")
        storeID = read.text("provider.store_id", "", "amzn1.application-oa2-client.…")
        (publicKeyID, privateKeyPath) = read.within(.signature) { read in
            (
                read.text("provider.public_key_id", "", "SANDBOX-… or LIVE-…"),
                read.secretFile(
                    "provider.private_key",
                    "PEM file: the RSA key that belongs to the public key id"
                )
            )
        }
        algorithm = read.choice(
            "provider.algorithm",
            ["AMZN-PAY-RSASSA-PSS-V2", "AMZN-PAY-RSASSA-PSS"],
            "AMZN-PAY-RSASSA-PSS-V2",
            "signature of requests and buttons"
        )
        storeName = read.text(
            "provider.store_name",
            "My Sweet Shop",
            "shown to the buyer at Amazon, at most 50 characters"
        )
        apiURL = read.text(
            "provider.api_url",
            "",
            "simulator in place of Amazon's API; empty for the region's host"
        )
        scriptURL = read.text("provider.script_url", "", "checkout.js; empty for the region's")
        startURL = read.text(
            "provider.start_url",
            "",
            "form target for a start without script; simulators only"
        )
        redirectHosts = read.list(
            "provider.redirect_hosts",
            "",
            "hosts that the buyer may be sent to; empty for the region's"
        )
        policyHosts = read.list(
            "provider.csp_hosts",
            "",
            "origins that the provider's script needs; empty for the region's"
        )
        ledgerCurrency = read.choice(
            "provider.ledger_currency",
            [.jpy],
            otherwise: .jpy,
            "currency of the account: yen, the only one that orders can have"
        )
        captureMode = read.choice(
            "provider.capture",
            CaptureMode.allCases,
            .manual,
            "when the orders of the built-in shop are captured: by a call, or with the payment"
        )
        authorityPath = read.file("provider.ca_file", "PEM file: authority of a simulator")
        allowsAccountChange = read.flag(
            "provider.allow_account_change",
            false,
            "start on a database whose newest order is of another account or environment; orders of other accounts are skipped"
        )
        quotaProcesses = read.number(
            "provider.quota_processes",
            1...1000,
            1,
            "number of processes that share the account; each takes an equal part of its limits"
        )
        quotas = read.quotas()
        simulatorQuota = read.simulatorQuota()
    }
}

extension SettingScope {
    /// Those that say how requests are signed.
    static let signature = SettingScope("signature")
}

extension SettingReader {
    fileprivate mutating func simulatorQuota() -> QuotaTable {
        choice(
            "simulator.quota",
            QuotaTable.allCases,
            .live,
            "limits of the simulator, and of the program's calls to it: Amazon's for live or sandbox accounts, or none"
        )
    }

    /// The limits that are set, by operation.
    fileprivate mutating func quotas() -> [AmazonPayOperation: CallRate] {
        var quotas: [AmazonPayOperation: CallRate] = [:]
        for operation in AmazonPayOperation.allCases {
            quotas[operation] = callRate(
                "provider.quota.\(operation.label)",
                "calls of the account: burst and rate a second, such as 36/7.2; empty: nine tenths of Amazon's documented limit"
            )
        }
        return quotas
    }

    /// `36/7.2`: calls at once, then calls a second; `nil` where the setting is empty or wrong.
    fileprivate mutating func callRate(_ name: String, _ meaning: String) -> CallRate? {
        let text = text(name, "", meaning, takes: "such as `36/7.2`")
        guard !text.isEmpty else { return nil }
        let rate = CallRate(text)
        if rate == nil { complain(name, "not a burst and a rate a second, such as 36/7.2") }
        return rate
    }
}
