package import HTTPCore

/// One webview session as its two cookie jars and the buyer's browser know it.
package struct Crossing: Sendable {
    /// The webview session's id.
    package var webviewSession = ""
    /// A, in the memory of the app.
    package var launchTicket = ""
    /// P, in the jar of the app.
    package var appProof = ""
    /// B, in the jar of the tab.
    package var tabToken = ""
    /// C, from the confirm page.
    package var returnTicket = ""
    /// What the confirm page shows, with commas.
    package var shownTotal = ""
    /// The checkout session.
    package var session = ""
    /// The cookie of the provider's pages.
    var providerJar: [(String, String)] = []

    /// A crossing that has not begun.
    package init() {}

    /// The displayed total as a number of yen.
    package var total: Int? { Int(shownTotal.filter { $0 != "," }) }

    /// The cookies of the tab.
    package var tabJar: [(String, String)] { [(CookieName.tab, tabToken), (CookieName.launch, launchTicket)] }

    /// What the app sends for the purchase.
    package var purchaseForm: [(String, String)] {
        [
            ("secureWebviewSessionId", returnTicket), ("orderReferenceId", session),
            ("accessToken", "sealed"), ("old_secureWebviewSessionId", launchTicket),
        ]
    }
}

/// An answer that ends a crossing.
package struct UnexpectedAnswer: Error, Sendable, CustomStringConvertible {
    /// What was asked.
    package let step: String
    /// What came.
    package let status: Int
    /// How the body begins.
    package let body: String

    package var description: String { "\(step): \(status) \(body)" }

    /// The given answer to what was asked.
    package init(_ step: String, _ answer: InboundResponse) {
        self.step = step
        status = answer.status
        body = String(answer.text.prefix(300))
    }
}
