import Commerce
import Pages

extension StaticAsset {
    /// Every file that the checkout's pages ask for, beside those of every page.
    static let ofCheckout: [StaticAsset] = [
        .cartScript, .purchaseScript, .buttonScript, .confirmScript, .resultScript, .openScript, item0008, item0010,
    ]

    /// Cart page: quantities, hand-over to the app, the global `purchase`.
    static let cartScript = StaticAsset("js/cart.js")
    /// Completing a purchase from a page: shared by the cart page and the result page.
    static let purchaseScript = StaticAsset("js/purchase.js")
    /// Button page: starts the checkout.
    static let buttonScript = StaticAsset("js/button.js")
    /// Confirm page: change controls, one submission at a time.
    static let confirmScript = StaticAsset("js/confirm.js")
    /// Result page of client `browser`: completes by itself.
    static let resultScript = StaticAsset("js/result.js")
    /// Interstitial of open mode `auto_post`: posts by itself.
    static let openScript = StaticAsset("js/open.js")
    private static let item0008 = StaticAsset("img/item0008.svg")
    private static let item0010 = StaticAsset("img/item0010.svg")

    /// The picture of an article; `nil` where there is none.
    static func picture(of article: Article) -> StaticAsset? {
        ofCheckout.first { $0.path == "img/\(article.id).svg" }
    }
}
