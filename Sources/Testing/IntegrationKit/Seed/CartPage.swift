import Cryptography
import EventIO
import Primitives

/// The cart page's script, played in Swift: what `cart.js` and `purchase.js` send, in the app's jar.
package final class CartPage: Sendable {
    private struct Pending {
        var ticket: String?
        var verifier: String?
    }

    /// The jar of the web view.
    package let browser: TestBrowser
    private let client: String
    private let needsVerifier: Bool
    private let pending = Lock(Pending())

    /// Loads the page.
    ///
    /// - Parameters:
    ///   - client: `iosApp`, `androidApp` or `browser`.
    ///   - origin: The page with the link that was followed; `nil` where there was none.
    package static func load(
        _ client: String,
        in browser: TestBrowser,
        from origin: Page? = nil
    ) async throws -> CartPage {
        let page = try await browser.open("/\(client)/cart", from: origin)
        guard page.status == 200, page.text.contains("\"client\":\"\(client)\"") else { throw UnexpectedPage(page) }
        return CartPage(client, browser, needsVerifier: page.text.contains("\"verifier\":true"))
    }

    private init(_ client: String, _ browser: TestBrowser, needsVerifier: Bool) {
        self.client = client
        self.browser = browser
        self.needsVerifier = needsVerifier
    }

    /// The launch ticket that the page remembers.
    package var ticket: String? { pending.withLock(\.ticket) }

    /// A tap on the button: asks for a launch ticket.
    package func checkOut(hd8: Int = 1, hd10: Int = 1) async throws -> Page {
        var fields = [("client", client), ("hd8", "\(hd8)"), ("hd10", "\(hd10)")]
        var verifier: String?
        if needsVerifier {
            let text = Base64URL.encode(KernelRandom().bytes(32))
            verifier = text
            let challenge = Base64URL.encode(SHA256.digest(of: Array(text.utf8)).bytes)
            fields += [("code_challenge", challenge), ("code_challenge_method", "S256")]
        }
        let answer = try await browser.fetch("/secureWebviewSession", fields)
        guard answer.status == 200, let ticket = answer.member("secureWebviewSessionId") else {
            throw UnexpectedPage(answer)
        }
        let made = Pending(ticket: ticket, verifier: verifier)
        pending.withLock { $0 = made }
        return answer
    }

    /// The global function `purchase` that the apps call.
    ///
    /// - Returns: The answer; after 202 the page remembers the new ticket.
    package func purchase(
        _ secureWebviewSessionID: String,
        _ accessToken: String,
        _ orderReferenceID: String
    ) async throws -> Page {
        let started = pending.withLock { $0 }
        var fields = [
            ("secureWebviewSessionId", secureWebviewSessionID), ("accessToken", accessToken),
            ("orderReferenceId", orderReferenceID),
        ]
        if let ticket = started.ticket { fields.append(("old_secureWebviewSessionId", ticket)) }
        if let verifier = started.verifier { fields.append(("code_verifier", verifier)) }
        let answer = try await browser.fetch("/purchase", fields)
        if answer.status == 202, let ticket = answer.member("secureWebviewSessionId") {
            pending.withLock { $0.ticket = ticket }
        }
        return answer
    }

    /// Where the script goes when the purchase is done.
    package func thanks() async throws -> Page {
        try await browser.open("/thanks", from: try await browser.open("/\(client)/cart"))
    }

    /// Forgets what native memory and the page held; the jar stays.
    package func forget() {
        pending.withLock { $0 = Pending() }
    }
}

/// A page is not the one that the player can go on with.
package struct UnexpectedPage: Error, Sendable, CustomStringConvertible {
    /// Status, code and address.
    package let description: String

    /// The error for a page.
    package init(_ page: Page) {
        let title = page.text.firstRange(of: "<title>").map { String(page.text[$0.upperBound...].prefix(60)) } ?? ""
        description = "\(page.url.text): \(page.status) \(page.error) \(title) via \(page.hops)"
    }
}
