import Pages

/// What the shop says about every order, from the settings.
struct ShopTerms: Sendable {
    /// A page of the shop that buyers may want to read before they buy.
    enum Policy: String, Sendable, CaseIterable {
        /// What the law on mail order asks a shop to publish.
        case legal
        /// The terms of use.
        case terms
        /// What becomes of personal data.
        case privacy
        /// How the shop is reached.
        case contact
    }

    /// When the buyer is charged; empty where nothing is said.
    var payment: [Language: String] = [:]
    /// When goods are sent; empty where nothing is said.
    var delivery: [Language: String] = [:]
    /// Whether an order can be cancelled and goods returned; empty where nothing is said.
    var returns: [Language: String] = [:]
    /// The shop's own page, where a buyer whom a page here can take no further goes on; `nil` for none.
    var home: LinkTarget?
    /// The shop's number as an issuer of qualified invoices, `T` and 13 digits; `nil` for none.
    var registration: String?
    /// The pages that there are.
    var policies: [Policy: LinkTarget] = [:]
}
