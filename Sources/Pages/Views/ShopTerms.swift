/// What the shop says about every order, from the settings.
package struct ShopTerms: Sendable {
    /// A page of the shop that buyers may want to read before they buy.
    package enum Policy: String, Sendable, CaseIterable {
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
    let payment: [Language: String]
    /// When goods are sent; empty where nothing is said.
    let delivery: [Language: String]
    /// Whether an order can be cancelled and goods returned; empty where nothing is said.
    let returns: [Language: String]
    /// The pages that there are.
    let policies: [Policy: LinkTarget]

    /// Puts the terms together.
    ///
    /// - Parameters:
    ///   - payment: When the buyer is charged, in each language.
    ///   - delivery: When goods are sent, in each language.
    ///   - returns: Whether an order can be cancelled and goods returned, in each language.
    ///   - policies: The pages that there are.
    package init(
        payment: [Language: String] = [:],
        delivery: [Language: String] = [:],
        returns: [Language: String] = [:],
        policies: [Policy: LinkTarget] = [:]
    ) {
        self.payment = payment
        self.delivery = delivery
        self.returns = returns
        self.policies = policies
    }
}
