import Pages
import Testing

@testable import Checkout

/// What holds for each page in each language.
@Suite struct `Every page` {
    @Test(arguments: everyPage) func `is well formed`(page: RenderedPage) {
        #expect(ScannedDocument(page.text).complaints == [])
    }

    @Test(arguments: everyPage) func `says its language, title, size and that robots stay out`(page: RenderedPage) {
        let tags = ScannedDocument(page.text).tags
        let named = Dictionary(
            tags.filter { $0.name == "meta" }.map { ($0.value("name") ?? "charset", $0.value("content") ?? "") },
            uniquingKeysWith: { first, _ in first }
        )
        #expect(tags.first?.value("lang") == page.language.rawValue)
        #expect(tags.filter { $0.name == "title" }.count == 1)
        #expect(named["viewport"]?.contains("width=device-width") == true)
        #expect(named["robots"] == "noindex, nofollow")
        #expect(named["theme-color"] != nil)
    }

    @Test(arguments: everyPage) func `has one main, one first heading and no id twice`(page: RenderedPage) {
        let tags = ScannedDocument(page.text).tags
        let ids = tags.compactMap { $0.value("id") }
        #expect(tags.filter { $0.name == "main" }.count == 1)
        #expect(tags.filter { $0.name == "h1" }.count == 1)
        #expect(Set(ids).count == ids.count)
    }

    @Test(arguments: everyPage) func `names every control and image`(page: RenderedPage) {
        let tags = ScannedDocument(page.text).tags
        let labelled = Set(tags.filter { $0.name == "label" }.compactMap { $0.value("for") })
        for input in tags where input.name == "input" && input.value("type") != "hidden" {
            #expect(labelled.contains(input.value("id") ?? ""))
        }
        for image in tags where image.name == "img" {
            #expect(image.value("alt") != nil && image.value("width") != nil && image.value("height") != nil)
        }
    }

    @Test(arguments: everyPage) func `holds no style or handler in an attribute`(page: RenderedPage) {
        for tag in ScannedDocument(page.text).tags {
            #expect(tag.value("style") == nil)
            #expect(tag.attributes.allSatisfy { !$0.name.hasPrefix("on") })
        }
    }

    @Test(arguments: everyPage) func `runs only scripts that carry the nonce`(page: RenderedPage) {
        for script in ScannedDocument(page.text).tags where script.name == "script" || script.name == "style" {
            if script.value("type") == "application/json" {
                #expect(!script.text.contains { "<>&\u{2028}\u{2029}".contains($0) })
            } else {
                #expect(script.value("nonce") == Samples.nonce.text)
            }
        }
    }

    @Test(arguments: everyPage) func `asks for nothing but its own files and the checkout script`(page: RenderedPage) {
        for tag in ScannedDocument(page.text).tags where ["img", "script", "link"].contains(tag.name) {
            guard let address = tag.value("src") ?? tag.value("href") else { continue }
            let isOwn = address.hasPrefix("/static/") || address == "data:,"
            let isCheckout = address == Samples.site.checkoutScript.text
            #expect(isOwn || (isCheckout && (page.name.hasPrefix("button") || page.name.hasPrefix("confirm"))))
        }
    }

    @Test(arguments: everyPage) func `shows an automatic step as a control too`(page: RenderedPage) {
        let tags = ScannedDocument(page.text).tags
        guard tags.contains(where: { $0.value("class") == "spinner" && $0.value("hidden") == nil }) else { return }
        let controls = tags.filter { ($0.name == "button" || $0.name == "a") && $0.value("href") != "" }
        #expect(!controls.isEmpty)
    }

    @Test func `differs from the same page in the other language`() {
        for (japanese, english) in zip(everyPage.filter { $0.language == .ja }, everyPage.filter { $0.language == .en })
        {
            #expect(japanese.bytes != english.bytes)
            #expect(!english.text.contains { "ぁ"..."ん" ~= $0 }, "\(english.name) holds hiragana")
        }
    }
}
