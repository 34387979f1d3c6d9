import Commerce
import Pages

/// What is the same on every page: facts of the shop and of this installation.
struct PageSite: Sendable {
    /// The shop's name, as buyers know it.
    let shopName: String
    /// What the cart page offers.
    let catalogue: Catalogue
    /// Address of the provider's `checkout.js`.
    let checkoutScript: LinkTarget
    /// Where the link host's page sends a buyer whose link did not open the app: an absolute address on the web host.
    let rescue: LinkTarget
    /// What the shop says about every order.
    var terms = ShopTerms()
    /// Whether the provider is a simulator; every page then says that nothing is charged.
    var isDemonstration = false
    /// Whether the cart page makes a verifier and binds the webview session to it (RFC 7636, S256).
    var usesVerifier = false
}
