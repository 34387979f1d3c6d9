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
    /// Where the apps are found in their stores.
    var stores = AppStores()
    /// Whether the provider is a simulator; every page then says that nothing is charged.
    var isDemonstration = false
    /// Whether the cart page makes a verifier and binds the webview session to it (RFC 7636, S256).
    var usesVerifier = false
}

/// Where a buyer gets the app whose link did not open it.
struct AppStores: Sendable {
    /// In Apple's store; `nil` where nothing is said.
    var apple: LinkTarget?
    /// In Google's store; `nil` where nothing is said.
    var google: LinkTarget?

    /// The number of the app in Apple's store, from an address such as `https://apps.apple.com/jp/app/name/id123456789`.
    var appleID: String? {
        guard let path = apple?.text.prefix(while: { $0 != "?" && $0 != "#" }),
            let last = path.split(separator: "/").last, last.hasPrefix("id")
        else { return nil }
        let digits = last.dropFirst(2)
        return !digits.isEmpty && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? String(digits) : nil
    }
}
