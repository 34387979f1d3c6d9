/// One buyer on the way through one webview session: an app with its jar, and a tab with another (client `browser`: the same).
package struct Shopper: Sendable {
    /// The page in the app's web view.
    package let cart: CartPage
    /// The secure tab.
    package var tab: SecureTab
    /// The launch ticket, A.
    package let ticket: String
    /// The webview session's id.
    package let webviewSession: String

    /// The jar of the app.
    package var app: TestBrowser { cart.browser }

    /// What the app opens in the tab.
    package var launchPath: String { "/button?secureWebviewSessionId=" + ticket }

    /// Opens the tab.
    package func toButton() async throws -> Page {
        try await tab.open(launchPath)
    }

    /// Goes on to the page where the buyer agrees.
    package func toConfirm() async throws -> Page {
        let page = try await tab.choose(try await toButton())
        guard page.form(to: "/confirm_order") != nil else { throw UnexpectedPage(page) }
        return page
    }

    /// Goes on to the page with the way back.
    package func toReturn() async throws -> ReturnFields {
        try ReturnFields(try await tab.agree(try await toConfirm()))
    }

    /// Purchases as the page does: from the app, or for client `browser` from the tab.
    package func purchase(_ fields: ReturnFields) async throws -> Page {
        try await cart.purchase(fields.ticket, fields.accessToken, fields.order)
    }
}

/// What the link into the app, or the form of client `browser`, carries.
package struct ReturnFields: Sendable {
    /// The return ticket, C.
    package let ticket: String
    /// The launch ticket, A, for the comparison.
    package let launch: String
    /// A placeholder.
    package let accessToken: String
    /// The checkout session.
    package let order: String
    /// The link, or an empty text.
    package let link: String

    /// Reads a result page.
    package init(_ page: Page) throws(UnexpectedPage) {
        let link = page.link("purchase_link") ?? ""
        var fields = page.form(to: "/purchase")?.fields ?? []
        for pair in link.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields.append((String(parts[0]), String(parts[1]))) }
        }
        let values = Dictionary(fields) { first, _ in first }
        guard let ticket = values["secureWebviewSessionId"], let launch = values["old_secureWebviewSessionId"],
            let token = values["accessToken"], let order = values["orderReferenceId"]
        else { throw UnexpectedPage(page) }
        self.ticket = ticket
        self.launch = launch
        accessToken = token
        self.order = order
        self.link = link
    }

    /// The body of `/purchase` without anything the page adds.
    package var form: [(String, String)] {
        [("secureWebviewSessionId", ticket), ("accessToken", accessToken), ("orderReferenceId", order)]
    }
}

extension Shop {
    /// Purchases when the lease of an earlier try is over.
    package func purchaseAfterLease(_ shopper: Shopper, _ fields: ReturnFields) async throws -> Page {
        try await afterLease(
            of: shopper.webviewSession,
            ask: { try await shopper.purchase(fields) },
            while: { $0.error == "purchase_in_progress" }
        )
    }

    /// A buyer who has just tapped the button of the cart.
    ///
    /// - Parameter client: `iosApp`, `androidApp` or `browser`.
    package func shopper(_ client: String = "iosApp", hd8: Int = 1, hd10: Int = 1) async throws -> Shopper {
        let app = browser()
        let cart = try await CartPage.load(client, in: app)
        let answer = try await cart.checkOut(hd8: hd8, hd10: hd10)
        return Shopper(
            cart: cart,
            tab: tab(in: client == "browser" ? app : nil),
            ticket: cart.ticket ?? "",
            webviewSession: answer.webviewSession
        )
    }

    /// How many completions took effect at Amazon.
    package func effectiveCompletions() async throws -> Int {
        try await control.calls("CompleteCheckoutSession").filter(\.isEffective).count
    }
}
