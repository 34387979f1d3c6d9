/// Whether money is real.
package enum ReleaseEnvironment: String, Sendable, Codable {
    /// Play money.
    case sandbox = "Sandbox"
    /// Would be real money; the simulator only answers as if.
    case live = "Live"

    /// The environment that a public key id names by its prefix, or `nil` for an id without one.
    ///
    /// - Parameter keyID: The prefix is read in either case.
    init?(prefixOf keyID: String) {
        let upper = keyID.uppercased()
        if upper.hasPrefix("SANDBOX") {
            self = .sandbox
        } else if upper.hasPrefix("LIVE") {
            self = .live
        } else {
            return nil
        }
    }
}

/// A merchant account of the simulated service.
package struct Merchant: Sendable {
    /// A public key that the merchant has registered.
    package struct PublicKey: Sendable {
        /// For example `SANDBOX-` and 24 characters.
        package let id: String
        /// The RSA key as PEM text.
        package let pem: String
        /// Where a key without a prefix is valid; `nil` leaves it to the path of each request.
        package let environment: ReleaseEnvironment?
        /// A key that is switched off is as good as unknown.
        package let isEnabled: Bool

        /// The given key.
        ///
        /// - Parameters:
        ///   - id: With or without the prefix of an environment.
        ///   - pem: `BEGIN PUBLIC KEY`.
        ///   - environment: For an id without a prefix.
        ///   - isEnabled: Whether it may be used.
        package init(id: String, pem: String, environment: ReleaseEnvironment? = nil, isEnabled: Bool = true) {
            self.id = id
            self.pem = pem
            self.environment = ReleaseEnvironment(prefixOf: id) ?? environment
            self.isEnabled = isEnabled
        }
    }

    /// `A` and 13 or 14 characters.
    package let id: String
    /// `amzn1.application-oa2-client.` and 32 hexadecimal digits, one or more.
    package let storeIDs: [String]
    /// The keys, one or more.
    package let publicKeys: [PublicKey]
    /// Hosts whose pages may show the button; `localhost` always may.
    package let allowedDomains: [String]
    /// `JPY`, `USD`, `EUR` or `GBP`.
    package let ledgerCurrency: String
    /// A suspended account is refused with `InvalidAccountStatus`.
    package let isActive: Bool
    /// Where it gets notifications; `nil` for none.
    package var notifications: NotificationTarget?

    /// The given account.
    ///
    /// - Parameters:
    ///   - id: `A` and 13 or 14 characters.
    ///   - storeIDs: One or more.
    ///   - publicKeys: One or more.
    ///   - allowedDomains: Hosts without scheme and port.
    package init(
        id: String,
        storeIDs: [String],
        publicKeys: [PublicKey],
        allowedDomains: [String] = [],
        ledgerCurrency: String = "JPY",
        isActive: Bool = true
    ) {
        self.id = id
        self.storeIDs = storeIDs
        self.publicKeys = publicKeys
        self.allowedDomains = allowedDomains
        self.ledgerCurrency = ledgerCurrency
        self.isActive = isActive
    }

    var currency: Currency { Currency(rawValue: ledgerCurrency) ?? .jpy }
}
