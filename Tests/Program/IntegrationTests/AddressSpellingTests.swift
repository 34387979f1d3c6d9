import IntegrationKit
import StrictJSON
import Testing

/// Buyers whose address books have the prefecture in any spelling, only in the postal code, or not at all.
@Suite("An address in free text", .tags(.database))
struct AddressSpellingTests {
    @Test(
        arguments: [
            ("short", "28,536"), ("latin", "28,536"), ("macron", "28,536"), ("kana", "28,536"), ("half", "28,536"),
            ("blanks", "28,536"), ("code", "28,536"), ("region", "28,536"), ("near", "27,996"),
        ]
    )
    func `is sold to at the price of its prefecture`(address: String, total: String) async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let confirm = try await shop.choose(address, shopper)
            #expect(confirm.status == 200 && confirm.text.contains(total), "\(confirm.text)")
            let answer = try await shopper.purchase(try ReturnFields(try await shopper.tab.agree(confirm)))
            #expect(answer.status == 200, "\(answer.text)")
            let completions = try await shop.control.calls("CompleteCheckoutSession").filter(\.isEffective)
            #expect(completions.map(\.amount) == [total.filter { $0 != "," }])
        }
    }

    @Test(
        arguments: ["contradiction", "shared", "nowhere"],
        [("ja", "お届け先を変更する"), ("en", "Choose another address")]
    )
    func `that is in doubt has no price and no order, and a way to another one`(
        address: String,
        words: (language: String, way: String)
    ) async throws {
        try await withShop { shop in
            var shopper = try await shop.shopper()
            shopper.tab = SecureTab(shop.browser(language: words.language), shop.control)
            let page = try await shop.choose(address, shopper)
            #expect(page.status == 409 && page.error == "address_not_priced", "\(page.text)")
            #expect(page[field: "retry-after"] == nil, "another try would not help")
            #expect(page.text.contains(words.way), "\(page.text)")
            #expect(try shop.state(of: shopper.webviewSession) == "opened")
            #expect(try await shop.effectiveCompletions() == 0)
            let way = try #require(page.tags("a").first { $0["id"] == "retry" }?["href"])
            let confirm = try await shop.choose("latin", shopper, from: try await shopper.tab.browser.open(way))
            #expect(confirm.text.contains("28,536"), "\(confirm.text)")
        }
    }

    @Test func `that is in doubt takes no order when it was chosen in a second window`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let old = try await shop.choose("near", shopper)
            #expect(old.text.contains("27,996"))
            try await shop.chooseElsewhere("contradiction", shopper.webviewSession, shopper.tab)
            let refused = try await shopper.tab.agree(old)
            #expect(refused.status == 409 && refused.error == "address_not_priced", "\(refused.text)")
            #expect(try shop.state(of: shopper.webviewSession) == "reviewed")
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }
}

extension Shop {
    /// Goes from the button to the confirm page with one address of the book of many spellings.
    fileprivate func choose(_ address: String, _ shopper: Shopper, from button: Page? = nil) async throws -> Page {
        var page = button
        if page == nil { page = try await shopper.toButton() }
        let start = try #require(page?.form(to: "/checkout/start"))
        try await control.nextBuyer("spellings@example.test", card: "card-1111", address: address)
        return try await shopper.tab.browser.submit(start, on: try #require(page))
    }
}
