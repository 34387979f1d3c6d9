package import Commerce

/// What is the same on every page: facts of the shop and of this installation.
package struct PageSite: Sendable {
    /// The shop's name, as buyers know it.
    package let shopName: String
    /// What the cart page offers.
    package let catalogue: Catalogue
    /// Address of the provider's `checkout.js`.
    package let checkoutScript: LinkTarget
    /// Where the link host's page sends a buyer whose link did not open the app: an address on the web host.
    package let rescue: LinkTarget
    /// What the shop says about every order.
    package let terms: ShopTerms
    /// Whether the provider is a simulator; every page then says that nothing is charged.
    package let isDemonstration: Bool
    /// Whether the cart page makes a verifier and binds the webview session to it (RFC 7636, S256).
    package let usesVerifier: Bool

    /// Puts the facts together.
    ///
    /// - Parameters:
    ///   - shopName: Any text.
    ///   - catalogue: What the cart page offers.
    ///   - checkoutScript: Of the provider or of the simulator.
    ///   - rescue: An absolute address, since it is used from another host.
    ///   - terms: What the shop says about every order.
    ///   - options: Demonstration, verifier.
    package init(
        shopName: String,
        catalogue: Catalogue,
        checkoutScript: LinkTarget,
        rescue: LinkTarget,
        terms: ShopTerms = ShopTerms(),
        options: Options = []
    ) {
        self.shopName = shopName
        self.catalogue = catalogue
        self.checkoutScript = checkoutScript
        self.rescue = rescue
        self.terms = terms
        isDemonstration = options.contains(.demonstration)
        usesVerifier = options.contains(.verifier)
    }

    /// What may be switched on.
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The provider is a simulator.
        package static let demonstration = Options(rawValue: 1)
        /// The cart page binds each webview session to a verifier that it keeps.
        package static let verifier = Options(rawValue: 2)
    }
}
