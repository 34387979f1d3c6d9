import Primitives
import TestKit

/// A client that behaves like a browser: a cookie jar with the rules for `SameSite` and `__Host-`, redirects, Fetch Metadata.
///
/// One stands for one jar: an app's web view has one, the tab that the app opens another.
package final class TestBrowser: Sendable {
    private struct State {
        var jar = CookieJar()
        var visited: [String] = []
        var received: [String] = []
    }

    private let state = Lock(State())
    private let client: TestClient
    private let home: String
    private let language: String
    private let isPatient: Bool

    /// A browser with an empty jar, which asks again after 429, as its buyer would, where it is patient.
    package init(_ hosts: HostTable, home: String, language: String, isPatient: Bool = false) {
        client = TestClient(hosts, home: home)
        self.home = home
        self.language = language
        self.isPatient = isPatient
    }

    /// Every URL that was asked for, in order.
    package var visited: [String] { state.withLock { $0.visited } }

    /// Every body that was received, in order.
    package var received: [String] { state.withLock { $0.received } }

    /// The cookies of the shop.
    package var cookies: [StoredCookie] {
        state.withLock { $0.jar.cookies[URLParts("/", base: home).host] ?? [] }
    }

    /// The value of a cookie of the shop, with or without `__Host-` in front of the name, or `nil`.
    package func cookie(_ name: String) -> String? {
        cookies.first { $0.name == name || $0.name == "__Host-" + name }?.value
    }

    /// Puts a cookie of a whole name into the jar as if it had come from the shop.
    package func plant(_ name: String, _ value: String) {
        let cookie = StoredCookie(name: name, value: value, attributes: "Path=/; Secure")
        state.withLock { $0.jar.plant(cookie, on: URLParts("/", base: home).host) }
    }

    /// Forgets all cookies.
    package func forgetCookies() {
        state.withLock { $0.jar.removeAll() }
    }

    // MARK: As the buyer

    /// Goes to an address, or a path of the shop, and follows redirects to the page at the end.
    ///
    /// - Parameter page: The page with the link that was followed; `nil` where the address was typed, or came from an app.
    package func open(_ url: String, from page: Page? = nil) async throws -> Page {
        try await navigate(Visit(URLParts(url, base: home)), from: page)
    }

    /// Sends a form of a page and follows redirects to the page at the end.
    package func submit(_ form: Form, on page: Page) async throws -> Page {
        let target = URLParts(form.action, base: page.url.origin)
        return try await navigate(Visit(target, form: form.fields), from: page)
    }

    private func navigate(_ first: Visit, from page: Page?) async throws -> Page {
        var visit = first
        var hops: [String] = []
        var origin = page?.url.origin
        var isCrossSite = false
        while hops.count < 20 {
            isCrossSite = isCrossSite || origin.map { URLParts($0, base: "").host != visit.url.host } ?? false
            visit.isCrossSite = isCrossSite
            visit.fields = Self.metadata(visit, origin)
            var answer = try await send(visit)
            guard answer.status == 303, let location = answer[field: "location"] else {
                answer.hops = hops
                return answer
            }
            hops.append(location)
            origin = visit.url.origin
            visit = Visit(URLParts(location, base: visit.url.origin))
        }
        throw RedirectLoop(hops: hops)
    }

    private static func metadata(_ visit: Visit, _ origin: String?) -> [(String, String)] {
        let site = origin == nil ? "none" : visit.isCrossSite ? "cross-site" : "same-origin"
        var fields = [
            ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
            ("Accept", "text/html,application/xhtml+xml"),
        ]
        if visit.form != nil, let origin { fields.append(("Origin", origin)) }
        return fields
    }

    // MARK: As a script of a page of the shop

    /// Posts a form to a path of the shop as `fetch` does.
    package func fetch(_ path: String, _ form: [(String, String)]) async throws -> Page {
        var visit = Visit(URLParts(path, base: home), form: form)
        visit.fields = [
            ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty"),
            ("Accept", "application/json"), ("Origin", home),
        ]
        return try await send(visit)
    }

    // MARK: One request

    /// One request without redirects and without any field that a browser adds, beside cookies and language.
    ///
    /// - Parameter fields: Further fields, the media type of a body among them; `Host` and `Cookie` replace the browser's own.
    package func request(
        _ method: String = "GET",
        _ url: String,
        fields: [(String, String)] = [],
        form: [(String, String)]? = nil,
        body: [UInt8] = []
    ) async throws -> Page {
        var visit = Visit(URLParts(url, base: home), form: form)
        visit.method = method
        visit.fields = fields
        visit.body = body
        return try await send(visit)
    }

    private func send(_ visit: Visit) async throws -> Page {
        var page = try await sendOnce(visit)
        let patience = Patience()
        while isPatient, page.status == 429, patience.isLeft { page = try await sendOnce(visit) }
        return page
    }

    private func sendOnce(_ visit: Visit) async throws -> Page {
        let isSafe = visit.method == "GET" || visit.method == "HEAD"
        let cookies = state.withLock { state in
            state.visited.append(visit.url.text)
            return state.jar.field(for: visit.url, isCrossSite: visit.isCrossSite, isSafe: isSafe)
        }
        var fields = visit.fields
        func add(_ name: String, _ value: String?) {
            guard let value, !fields.contains(where: { $0.0 == name }) else { return }
            fields.append((name, value))
        }
        add("Cookie", cookies)
        add("Accept-Language", language)
        add("User-Agent", "Mozilla/5.0 (test)")
        let url = visit.url.text
        let page = try await client.send(visit.method, url, fields: fields, form: visit.form, body: visit.body)
        state.withLock { state in
            state.received.append(page.text)
            for line in page.all("set-cookie") { state.jar.store(line, from: visit.url) }
        }
        return page
    }
}

/// One request of a browser.
private struct Visit {
    let url: URLParts
    var method: String
    var form: [(String, String)]?
    var body: [UInt8] = []
    var fields: [(String, String)] = []
    var isCrossSite = false

    init(_ url: URLParts, form: [(String, String)]? = nil) {
        self.url = url
        self.form = form
        method = form == nil ? "GET" : "POST"
    }
}

/// The browser was sent in circles.
package struct RedirectLoop: Error, Sendable {
    /// Where to.
    package let hops: [String]
}
