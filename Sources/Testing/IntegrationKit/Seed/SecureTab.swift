/// The secure tab with the buyer in front of it.
package struct SecureTab: Sendable {
    /// The tab's jar.
    package let browser: TestBrowser
    private let control: SimulatorControl
    /// Who the buyer is at Amazon, and the card.
    package var buyer = (email: "tokyo@example.test", card: "card-1111")

    /// A tab.
    package init(_ browser: TestBrowser, _ control: SimulatorControl) {
        self.browser = browser
        self.control = control
    }

    /// Opens the address that the app hands over, and taps where a page asks for a tap.
    ///
    /// - Parameter page: Where a link was followed; `nil` from an app.
    package func open(_ url: String, from page: Page? = nil) async throws -> Page {
        var page = try await browser.open(url, from: page)
        // The second page is that of an address that was opened twice.
        for _ in 0..<2 {
            guard page.status == 200, let tap = page.form(to: "/button") else { return page }
            page = try await browser.submit(tap, on: page)
        }
        return page
    }

    /// Goes to Amazon from the button page, signs in, chooses, and comes back.
    package func choose(_ button: Page) async throws -> Page {
        guard let start = button.form(to: "/checkout/start") else { throw UnexpectedPage(button) }
        try await control.nextBuyer(buyer.email, card: buyer.card)
        return try await browser.submit(start, on: button)
    }

    /// Agrees on the confirm page; Amazon holds the money and sends the buyer back.
    package func agree(_ confirm: Page) async throws -> Page {
        guard let form = confirm.form(to: "/confirm_order") else { throw UnexpectedPage(confirm) }
        return try await browser.submit(form, on: confirm)
    }

    /// Everything from the address to the page with the link.
    ///
    /// - Returns: The page with the link into the app, or with the form of client `browser`.
    package func cross(_ url: String) async throws -> Page {
        var page = try await open(url)
        if page.form(to: "/checkout/start") != nil { page = try await choose(page) }
        if page.form(to: "/confirm_order") != nil { page = try await agree(page) }
        return page
    }
}

extension Shop {
    /// A tab with a jar of its own.
    package func tab(in browser: TestBrowser? = nil) -> SecureTab {
        SecureTab(browser ?? self.browser(), control)
    }
}
