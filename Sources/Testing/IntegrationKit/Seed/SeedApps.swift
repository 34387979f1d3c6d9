import Primitives

/// What an unmodified sample app did with a return link.
package enum SeedOutcome: Sendable {
    /// It called `purchase` in the web view; this is the answer.
    case purchased(Page)
    /// The ids did not fit: it shows the error page.
    case error(Page)
    /// It crashed, as the sample does on links that it cannot read.
    case crashed
}

/// The sample app for iOS, unmodified: remembers the id that the page posts, and compares it with the link's.
package final class SeedIOSApp: Sendable {
    /// The page in its web view.
    package let page: CartPage
    /// Starts as the empty text, as in the sample.
    private let remembered = Lock("")

    /// Starts the app with an empty jar.
    package init(_ shop: Shop) async throws {
        page = try await CartPage.load("iosApp", in: shop.browser())
    }

    /// A tap on the button.
    ///
    /// - Returns: The path that it opens in the tab.
    package func tapButton() async throws -> String {
        receive(try await page.checkOut())
    }

    /// `webkit.messageHandlers.iosApp.postMessage(data)`: the whole object.
    ///
    /// - Returns: The path that it opens in the tab.
    package func receive(_ message: Page) -> String {
        let id = message.member("secureWebviewSessionId") ?? ""
        remembered.withLock { $0 = id }
        return "/button?secureWebviewSessionId=" + id
    }

    /// The system hands the Universal Link over.
    package func openLink(_ link: String) async throws -> SeedOutcome {
        var values: [String: String] = [:]
        for pair in link.drop(while: { $0 != "?" }).dropFirst().split(separator: "&", omittingEmptySubsequences: false)
        {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count > 1 else { return .crashed }
            values[String(parts[0])] = FormCoding.unescape(String(parts[1]))
        }
        guard values["old_secureWebviewSessionId"] == remembered.withLock({ $0 }) else {
            return .error(try await page.browser.open("/error"))
        }
        guard let id = values["secureWebviewSessionId"], let token = values["accessToken"],
            let reference = values["orderReferenceId"]
        else { return .crashed }
        return .purchased(try await page.purchase(id, token, reference))
    }
}

/// The sample app for Android, unmodified: takes values as they stand, and crashes on an empty one.
package final class SeedAndroidApp: Sendable {
    /// The page in its web view.
    package let page: CartPage
    private let remembered = Lock("")

    /// Starts the app with an empty jar.
    package init(_ shop: Shop) async throws {
        page = try await CartPage.load("androidApp", in: shop.browser())
    }

    /// A tap on the button.
    ///
    /// - Returns: The path that it opens in the tab.
    package func tapButton() async throws -> String {
        handle(try await page.checkOut().member("secureWebviewSessionId") ?? "")
    }

    /// `androidApp.handle(id)`.
    ///
    /// - Returns: The path that it opens in the tab.
    package func handle(_ id: String) -> String {
        remembered.withLock { $0 = id }
        return "/button?secureWebviewSessionId=" + id
    }

    /// The system hands the App Link over.
    package func openLink(_ link: String) async throws -> SeedOutcome {
        var values: [String: String] = [:]
        for pair in link.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            // `split("=")` of Java drops empty parts at the end, so that index 1 is out of bounds.
            let parts = pair.split(separator: "=")
            guard parts.count > 1 else { return .crashed }
            values[String(parts[0])] = String(parts[1])
        }
        guard let id = values["secureWebviewSessionId"], let old = values["old_secureWebviewSessionId"],
            let token = values["accessToken"], let reference = values["orderReferenceId"]
        else { return .crashed }
        guard old == remembered.withLock({ $0 }) else { return .error(try await page.browser.open("/error")) }
        return .purchased(try await page.purchase(id, token, reference))
    }
}

extension SeedOutcome {
    /// The answer to `purchase`, or `nil` where it was not called.
    package var answer: Page? {
        if case .purchased(let page) = self { page } else { nil }
    }
}
