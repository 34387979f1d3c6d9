package import HTTPCore

/// Apps and tabs of any number of buyers as single requests, whose tokens are values: for load, for races and for repeats.
package struct ShopClient: Sendable {
    private let client: TestClient
    private let host: String
    /// Where the provider is.
    private let simulator: String

    /// A role of a client.
    package init(_ client: TestClient, simulator: String, host: String = ServerProcess.host) {
        self.client = client
        self.simulator = simulator
        self.host = host
    }

    /// Sends a request to an absolute URL with cookies by their names; one without a value does not go out.
    package func send(
        _ method: String,
        _ url: String,
        form: [(String, String)]? = nil,
        cookies: [(String, String)] = []
    ) async throws -> InboundResponse {
        try await page(method, url, form: form, cookies: cookies).response
    }

    private func page(
        _ method: String,
        _ url: String,
        form: [(String, String)]? = nil,
        cookies: [(String, String)] = [],
        fields more: [(String, String)] = []
    ) async throws -> Page {
        var fields = url.hasPrefix(simulator) ? [] : [("Host", host)] + more
        let jar = cookies.filter { !$0.1.isEmpty }.map { "\($0.0)=\($0.1)" }.joined(separator: "; ")
        if !jar.isEmpty { fields.append(("Cookie", jar)) }
        return try await client.send(method, url, fields: fields, form: form)
    }

    // MARK: Steps, each at the server whose URL is given

    /// The app asks for a launch ticket.
    package func issue(_ server: String) async throws -> Crossing {
        let form = [("client", "iosApp"), ("hd8", "1"), ("hd10", "1")]
        let answer = try await page("POST", server + "/secureWebviewSession", form: form)
        guard answer.status == 200, let ticket = answer.member("secureWebviewSessionId") else {
            throw UnexpectedAnswer("issue", answer.response)
        }
        var crossing = Crossing()
        crossing.webviewSession = answer.webviewSession
        crossing.launchTicket = ticket
        crossing.appProof = answer.response.cookie(CookieName.app) ?? ""
        return crossing
    }

    /// Asks for the opening of the tab, without any cookie, and once more where a page asks for it: a redirect with the tab's
    /// cookie when it was opened.
    package func tryOpen(_ crossing: Crossing, _ server: String) async throws -> InboundResponse {
        let first = try await page("GET", server + "/button?secureWebviewSessionId=" + crossing.launchTicket)
        guard first.status == 200, let form = first.form(to: "/button") else { return first.response }
        let fields = [("Sec-Fetch-Site", "same-origin")]
        return try await page("POST", server + form.action, form: form.fields, fields: fields).response
    }

    /// The tab opens; the crossing gets its tab token.
    package func open(_ crossing: inout Crossing, _ server: String) async throws {
        let answer = try await tryOpen(crossing, server)
        guard answer.status == 303, let token = answer.cookie(CookieName.tab) else {
            throw UnexpectedAnswer("open", answer)
        }
        crossing.tabToken = token
    }

    /// The buyer presses the button, and signs in and chooses at the provider, whose autopilot has to be on; the crossing gets its
    /// checkout session.
    package func choose(_ crossing: inout Crossing, _ server: String) async throws {
        let button = try await page("GET", server + "/button", cookies: crossing.tabJar)
        guard button.status == 200, let form = button.form(to: "/checkout/start") else {
            throw UnexpectedAnswer("button", button.response)
        }
        let start = try await send("POST", simulator + "/checkout/start", form: form.fields)
        let back = try await leaveProvider(start, &crossing)
        crossing.session = MerchantClient.checkoutSession(of: back)
        guard !crossing.session.isEmpty else { throw ProgramFailure("no session in \(back)") }
    }

    /// The buyer comes back for review and sees what is to be paid; the crossing gets its return ticket and the total.
    package func review(_ crossing: inout Crossing, _ server: String) async throws {
        let url = server + "/confirm_order"
        let back = url + "?amazonCheckoutSessionId=" + crossing.session
        let answer = try await send("GET", back, cookies: crossing.tabJar)
        guard answer.status == 303 else { throw UnexpectedAnswer("review", answer) }
        let confirm = try await page("GET", url, cookies: crossing.tabJar)
        let form = confirm.form(to: "/confirm_order")
        guard confirm.status == 200, let ticket = form?["secureWebviewSessionId"], let total = form?["totalPrice"]
        else {
            throw UnexpectedAnswer("confirm", confirm.response)
        }
        crossing.returnTicket = ticket
        crossing.shownTotal = total
    }

    /// The buyer agrees: a redirect to the provider when the order is placed there too.
    package func tryAgree(_ crossing: Crossing, _ server: String) async throws -> InboundResponse {
        let form = [("secureWebviewSessionId", crossing.returnTicket), ("totalPrice", crossing.shownTotal)]
        return try await send("POST", server + "/confirm_order", form: form, cookies: crossing.tabJar)
    }

    /// The buyer agrees, and the provider puts a hold on the card: all is ready for the purchase.
    package func agree(_ crossing: inout Crossing, _ server: String) async throws {
        let answer = try await tryAgree(crossing, server)
        guard answer.status == 303, let target = answer.first("Location"), target.hasPrefix(simulator) else {
            throw UnexpectedAnswer("agree", answer)
        }
        let back = try await leaveProvider(try await send("GET", target, cookies: crossing.providerJar), &crossing)
        guard back.contains("/checkout_result") else { throw ProgramFailure("the provider sends to \(back)") }
    }

    /// The app presents both secrets.
    package func purchase(_ crossing: Crossing, _ server: String) async throws -> InboundResponse {
        let jar = [(CookieName.app, crossing.appProof)]
        return try await send("POST", server + "/purchase", form: crossing.purchaseForm, cookies: jar)
    }

    /// Follows the provider's redirects until they lead elsewhere.
    private func leaveProvider(_ first: InboundResponse, _ crossing: inout Crossing) async throws -> String {
        var answer = first
        for _ in 0..<12 {
            if let cookie = answer.first("Set-Cookie") {
                let pair = cookie.prefix { $0 != ";" }
                crossing.providerJar = [
                    (String(pair.prefix { $0 != "=" }), String(pair.drop { $0 != "=" }.dropFirst()))
                ]
            }
            guard answer.status == 303, let target = answer.first("Location") else {
                throw UnexpectedAnswer("provider", answer)
            }
            guard target.hasPrefix("/") || target.hasPrefix(simulator) else { return target }
            let next = target.hasPrefix("/") ? simulator + target : target
            answer = try await send("GET", next, cookies: crossing.providerJar)
        }
        throw ProgramFailure("the provider goes round in circles")
    }
}

/// The cookies' names in the standard profile.
package enum CookieName {
    /// B.
    package static let tab = "__Host-secureWebviewSessionId"
    /// A, in the tab.
    package static let launch = "__Host-old_secureWebviewSessionId"
    /// P.
    package static let app = "__Host-swv-app"
    /// C, in the jar that completed the purchase.
    package static let receipt = "__Host-swv-receipt"
}
