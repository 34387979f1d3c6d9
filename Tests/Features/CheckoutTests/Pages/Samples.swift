import Commerce
import Foundation
import Pages
import Primitives
import SessionBroker
import TestKit

@testable import Checkout

/// Values that the tests of all pages share.
enum Samples {
    static let launchTicket = parsed("swa_" + String(repeating: "A", count: 64), LaunchTicket.parse)
    static let shown = Digest32(Array(repeating: 0x5A, count: 32).span)
    static let returnTicket = parsed("swc_" + String(repeating: "C", count: 64), ReturnTicket.parse)
    static let checkoutSessionID = "bd504926-f659-4ad7-a1a9-9a747aaf5275"

    static let returnLink = link(
        "https://links.localhost:8443/index.html?secureWebviewSessionId=\(returnTicket.text)"
            + "&old_secureWebviewSessionId=\(launchTicket.text)&accessToken=sealed&orderReferenceId=\(checkoutSessionID)"
    )

    static let cart: Order = {
        do {
            return try Catalogue.sample.order(["hd8": 1, "hd10": 1])
        } catch {
            preconditionFailure("one of each is an order: \(error)")
        }
    }()

    /// Tea at eight per cent and a cup at ten, and a coupon: 1,464 yen.
    static let mixed = order(
        [
            (Article(id: "tea", name: "緑茶 500ml", price: Yen(198), taxRate: .reduced), 3),
            (Article(id: "cup", name: "湯呑 <b>", price: Yen(880), taxRate: .standard), 1),
        ],
        [Adjustment(name: "クーポン", units: -10)]
    )

    /// The cart at prices that exclude tax, as a merchant may send it.
    static let withoutTax = order(
        [
            (Article(id: "hd8", name: "Fire HD8", price: Yen(8_980)), 1),
            (Article(id: "hd10", name: "Fire HD10", price: Yen(15_980)), 1),
        ],
        tax: Yen(2_496)
    )

    private static func order(
        _ articles: [(Article, Int)],
        _ adjustments: [Adjustment?] = [],
        tax: Yen = .zero
    ) -> Order {
        do {
            let lines = try articles.map { try OrderLine(article: $0.0, quantity: $0.1) }
            return try Order(lines: lines, tax: tax, adjustments: adjustments.compactMap(\.self))
        } catch {
            preconditionFailure("a tea and a cup are an order: \(error)")
        }
    }

    /// A webview session behind its review.
    static func session(
        of client: ClientKind,
        order: Order = cart,
        details: PrivateDetails? = nil,
        postage: Yen? = Yen(540)
    ) -> WebviewSessionView {
        let record = WebviewSessionRecord(
            id: returnTicket.webviewSession,
            client: client,
            state: .reviewed,
            order: order,
            postage: postage,
            total: postage.flatMap { order.total(with: $0) },
            terms: nil,
            orderReference: checkoutSessionID,
            isMet: false,
            launchHash: digest,
            shown: shown,
            sealed: nil
        )
        var view = WebviewSessionView(record)
        view.details = details
        return view
    }

    static let address = Address([
        .name: "山田 太郎",
        .postalCode: "100-0001",
        .countryCode: "JP",
        .stateOrRegion: "東京都",
        .addressLine1: "千代田区千代田1-1",
        .addressLine2: "サンプルマンション 101",
        .phoneNumber: "03-0000-0000",
    ])

    static let details = PrivateDetails(buyer: Buyer(), address: address, payment: "Visa ****1111")

    static let start = CheckoutStart(
        merchantID: "A2EXAMPLE00001",
        publicKeyID: "SANDBOX-AEXAMPLE",
        isSandbox: nil,
        hasDelivery: true,
        payload: #"{"webCheckoutDetails":{"checkoutReviewReturnUrl":"https://localhost:8443/confirm_order"},"#
            + #""storeId":"amzn1.application-oa2-client.0123456789abcdef0123456789abcdef"}"#,
        signature: "c2lnbmF0dXJl+/==",
        algorithm: "AMZN-PAY-RSASSA-PSS-V2"
    )

    /// What a merchant says of an address in both languages.
    static let sentence: BuyerSentence = {
        guard
            let sentence = BuyerSentence(
                japanese: "クール便は離島にはお送りできません。<b>",
                english: "We do not ship chilled goods to islands. <b>"
            )
        else { preconditionFailure("two languages are one at least") }
        return sentence
    }()

    /// An order of which nothing is sent.
    static let download = ConfirmView(
        webviewSession: session(of: .site, postage: .zero),
        details: PrivateDetails(buyer: Buyer(), address: Address(), payment: "Visa ****1111"),
        checkoutSessionID: checkoutSessionID,
        returnTicket: returnTicket,
        agreement: .form,
        note: nil,
        hasDelivery: false
    )

    static let downloadButton = ButtonView(
        webviewSession: session(of: .site),
        start: CheckoutStart(
            merchantID: start.merchantID,
            publicKeyID: start.publicKeyID,
            isSandbox: nil,
            hasDelivery: false,
            payload: start.payload,
            signature: start.signature,
            algorithm: start.algorithm
        ),
        fallbackAction: link("https://127.0.0.1:9443/checkout/start")
    )

    static let note = "Gift wrap <b>&amp; \"card\"</b> — 熨斗 👩\u{200D}🍳"

    static func confirm(
        _ agreement: ConfirmView.Agreement = .form,
        for client: ClientKind = .iosApp,
        note: String? = nil,
        order: Order = cart
    ) -> ConfirmView {
        var postage: Yen? = Yen(540)
        if case .undeliverable = agreement { postage = nil }
        return ConfirmView(
            webviewSession: session(of: client, order: order, postage: postage),
            details: details,
            checkoutSessionID: checkoutSessionID,
            returnTicket: returnTicket,
            agreement: agreement,
            note: note
        )
    }

    static let site = PageSite(
        shopName: "Sallyport",
        catalogue: .sample,
        checkoutScript: link("https://127.0.0.1:9443/checkout.js"),
        rescue: link("https://localhost:8443/return_help"),
        isDemonstration: true
    )

    static let pages = pages(site, assets)

    /// Of a shop that is an issuer of qualified invoices.
    static let issuerPages = {
        var issuer = Samples.site
        issuer.terms.registration = "T1234567890123"
        return pages(issuer, assets)
    }()

    static func pages(_ site: PageSite, _ assets: StaticAssets) -> EachLanguage<CheckoutPages> {
        EachLanguage { CheckoutPages(CheckoutFrame($0, site, assets)) }
    }

    /// The real files under addresses that do not change with their content, so that a new style leaves the pages alone.
    static let assets: StaticAssets = {
        do {
            return try StaticAssets(StaticAsset.ofCheckout, read: readPublic, digest: { _ in digest })
        } catch {
            preconditionFailure("the files of public/ can be read: \(error)")
        }
    }()

    static let digest: Digest32 = {
        guard let digest = Digest32(Array(repeating: UInt8(0xAB), count: Digest32.byteCount).span) else {
            preconditionFailure("32 bytes make a digest")
        }
        return digest
    }()

    static func link(_ text: String) -> LinkTarget {
        parsed(text, LinkTarget.init)
    }

    static func parsed<Value>(_ text: String, _ parse: (String) -> Value?) -> Value {
        guard let value = parse(text) else { preconditionFailure("\(text) is well formed") }
        return value
    }

    static var nonce: Nonce { Nonce(random: CountingRandom()) }

    static func readPublic(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: packageRoot.appending(path: "public/\(path)")))
    }

    static let packageRoot = URL(filePath: ProjectFolder.path)
}

/// Gives 0, 1, 2 and so on.
final class CountingRandom: RandomSource {
    private var next: UInt8 = 0

    func append(_ count: Int, to output: inout [UInt8]) {
        for _ in 0..<count {
            output.append(next)
            next &+= 1
        }
    }
}
