import IntegrationKit
import StrictJSON
import Testing

/// What a merchant has to say about an order, and when the money of the shop's own orders is taken.
@Suite(.tags(.database)) struct `A note to the buyer` {
    private static let text = #"Gift "card" <b>熨斗付き</b> & 👩‍🍳"#

    @Test(arguments: [("en", "From the shop:"), ("ja", "ショップから：")])
    func `is on the page where the buyer agrees, as it was written`(_ language: String, _ label: String) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(MerchantClient.order([JSONMember("note", .string(Self.text))]))
            let tab = SecureTab(shop.browser(language: language), shop.control)
            let confirm = try await tab.choose(try await tab.open(session.url))
            let shown = "<b>\(label)</b> Gift &quot;card&quot; &lt;b&gt;熨斗付き&lt;/b&gt; &amp; 👩‍🍳</p>"
            #expect(confirm.text.contains(shown), "\(confirm.text)")
            #expect(try await tab.agree(confirm).link("purchase_link") != nil)
            let checkout = try shop.value(
                "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
                [session.id]
            )
            let marks = try await shop.control.object(checkout)["merchantMetadata"]
            #expect(marks?["noteToBuyer"]?.text == Self.text)
            #expect(marks?["customInformation"]?.text?.hasPrefix(session.id + " ") == true, "and the order's number")
        }
    }

    @Test(arguments: [JSONMember("note", .null), JSONMember("note", "")])
    func `leaves its place to the order's number where there is none`(_ note: JSONMember) async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(MerchantClient.order([note]))
            let tab = shop.tab()
            let confirm = try await tab.choose(try await tab.open(session.url))
            #expect(!confirm.text.contains(#"id="note""#))
            _ = try await tab.agree(confirm)
            let checkout = try shop.value(
                "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
                [session.id]
            )
            let marks = try await shop.control.object(checkout)["merchantMetadata"]
            let number = marks?["noteToBuyer"]?.text ?? ""
            #expect(number.utf8.count == 11 && marks?["customInformation"]?.text == "\(session.id) \(number)")
        }
    }

    @Test(arguments: [("manual", "Authorized"), ("automatic", "Captured")])
    func `is not needed for the shop's own orders, whose money is taken as the setting says`(
        _ setting: String,
        _ charge: String
    ) async throws {
        try await withShop(ShopOptions(["provider.capture": setting])) { shop in
            let paid = try await shop.paid()
            #expect(try await shop.control.object(paid.charge)["statusDetails"]?["state"]?.text == charge)
            #expect(try shop.value("SELECT terms IS NULL FROM webview_session") == "t")
        }
    }
}
