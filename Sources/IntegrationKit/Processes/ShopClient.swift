package import EventIO
package import HTTPClient
package import HTTPCore
import Primitives

/// Both browsers of any number of buyers, as requests: made for load, keeps no state but connections.
package final class ShopClient {
    /// For the provider, which speaks HTTP/1.1.
    private let curl: CurlClient
    /// For the servers.
    private let serverCurl: CurlClient
    private let host: String
    /// Where the provider is.
    package let simulator: String

    /// A client.
    ///
    /// - Parameters:
    ///   - reactor: The loop of the caller.
    ///   - simulator: Where the provider is.
    ///   - host: What the servers believe they are.
    ///   - trust: Who signed the provider's certificate, where it speaks TLS.
    ///   - version: What is spoken with the servers.
    package init(
        _ reactor: Reactor,
        simulator: String,
        host: String = ServerProcess.host,
        trust: ClientConfiguration.Trust = .system,
        version: ClientConfiguration.Version = .http1
    ) {
        self.host = host
        var configuration = ClientConfiguration.patient
        configuration.trust = trust
        configuration.concurrencyLimit = 4_096
        configuration.idleConnections = 512
        curl = CurlClient(reactor, configuration: configuration)
        configuration.version = version
        serverCurl = version == .http1 ? curl : CurlClient(reactor, configuration: configuration)
        self.simulator = simulator
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - method: For example `GET`.
    ///   - url: Absolute.
    ///   - form: Encoded as the body, where there is one.
    ///   - cookies: Name to value.
    /// - Returns: Whatever comes.
    /// - Throws: `HTTPExchangeError`.
    package func send(
        _ method: String,
        _ url: String,
        form: [(String, String)]? = nil,
        cookies: [(String, String)] = []
    ) async throws(HTTPExchangeError) -> InboundResponse {
        var fields: [(String, String)] = []
        let isServer = !url.hasPrefix(simulator)
        if isServer { fields.append(("Host", host)) }
        let jar = cookies.filter { !$0.1.isEmpty }.map { "\($0.0)=\($0.1)" }.joined(separator: "; ")
        if !jar.isEmpty { fields.append(("Cookie", jar)) }
        var body: [UInt8] = []
        if let form {
            fields.append(("Content-Type", "application/x-www-form-urlencoded"))
            body = Array(FormText.encode(form).utf8)
        }
        return try await (isServer ? serverCurl : curl).send(
            OutboundRequest(method: method, url: url, fields: fields, body: body).patient
        )
    }

    /// Sends JSON to the simulator's control interface or reads from it.
    ///
    /// - Parameters:
    ///   - path: Below `/_sim/`.
    ///   - body: JSON to post; `nil` for a GET.
    /// - Returns: The body of the answer.
    /// - Throws: `HTTPExchangeError`, `UnexpectedAnswer`.
    package func control(_ path: String, _ body: String? = nil) async throws -> [UInt8] {
        let request = OutboundRequest(
            method: body == nil ? "GET" : "POST",
            url: simulator + "/_sim/" + path,
            body: Array((body ?? "").utf8)
        )
        let answer = try await curl.send(request.patient)
        guard answer.status == 200 else { throw UnexpectedAnswer(path, answer) }
        return answer.body
    }

    // MARK: Steps

    /// The app asks for a launch ticket.
    ///
    /// - Parameter server: Whom to ask.
    /// - Returns: A crossing in state issued.
    /// - Throws: As `send`, and `UnexpectedAnswer`.
    package func issue(_ server: String) async throws -> Crossing {
        let form = [("client", "iosApp"), ("hd8", "1"), ("hd10", "1")]
        let answer = try await send("POST", server + "/secureWebviewSession", form: form)
        var crossing = Crossing()
        guard answer.status == 200, let webviewSession = answer.first("X-Flow-Id"),
            let ticket = PageText.between("\"secureWebviewSessionId\":\"", "\"", in: answer.text)
        else { throw UnexpectedAnswer("issue", answer) }
        crossing.webviewSession = webviewSession
        crossing.launchTicket = ticket
        crossing.appProof = answer.cookie(CookieName.app) ?? ""
        return crossing
    }

    /// Asks for the opening of the tab, without any cookie.
    ///
    /// - Parameters:
    ///   - crossing: With a launch ticket.
    ///   - server: Whom to ask.
    /// - Returns: The answer; a redirect with the tab's cookie when it was opened.
    /// - Throws: `HTTPExchangeError`.
    package func tryOpen(_ crossing: Crossing, _ server: String) async throws(HTTPExchangeError) -> InboundResponse {
        try await send("GET", server + "/button?secureWebviewSessionId=" + crossing.launchTicket)
    }

    /// The tab opens.
    ///
    /// - Parameters:
    ///   - crossing: In state issued; gets its tab token.
    ///   - server: Whom to ask.
    /// - Throws: As `send`, and `UnexpectedAnswer`.
    package func open(_ crossing: inout Crossing, _ server: String) async throws {
        let answer = try await tryOpen(crossing, server)
        guard answer.status == 303, let token = answer.cookie(CookieName.tab) else {
            throw UnexpectedAnswer("open", answer)
        }
        crossing.tabToken = token
    }

    /// The buyer presses the button, and signs in and chooses at the provider, whose autopilot has to be on.
    ///
    /// - Parameters:
    ///   - crossing: In state opened; gets its checkout session.
    ///   - server: Whom to ask.
    /// - Throws: As `send`, and `UnexpectedAnswer`.
    package func choose(_ crossing: inout Crossing, _ server: String) async throws {
        let page = try await send("GET", server + "/button", cookies: tabJar(crossing))
        guard page.status == 200 else { throw UnexpectedAnswer("button", page) }
        let names = [
            "merchantId", "publicKeyId", "ledgerCurrency", "checkoutLanguage", "productType", "placement",
            "payloadJSON", "signature", "algorithm",
        ]
        let html = page.text
        let form = names.map { ($0, PageText.field($0, in: html) ?? "") }
        let start = try await send("POST", simulator + "/checkout/start", form: form)
        let back = try await leaveProvider(start, &crossing)
        guard let session = PageText.between("amazonCheckoutSessionId=", "&", in: back + "&") else {
            throw ProgramFailure("no session in \(back)")
        }
        crossing.session = session
    }

    /// The buyer comes back for review and sees what is to be paid.
    ///
    /// - Parameters:
    ///   - crossing: With a checkout session; gets its return ticket and the total.
    ///   - server: Whom to ask.
    /// - Throws: As `send`, and `UnexpectedAnswer`.
    package func review(_ crossing: inout Crossing, _ server: String) async throws {
        let url = server + "/confirm_order"
        let jar = tabJar(crossing)
        let answer = try await send("GET", url + "?amazonCheckoutSessionId=" + crossing.session, cookies: jar)
        guard answer.status == 303 else { throw UnexpectedAnswer("review", answer) }
        let page = try await send("GET", url, cookies: jar)
        guard page.status == 200, let ticket = PageText.field("secureWebviewSessionId", in: page.text),
            let total = PageText.field("totalPrice", in: page.text)
        else { throw UnexpectedAnswer("confirm", page) }
        crossing.returnTicket = ticket
        crossing.shownTotal = total
    }

    /// The buyer agrees; says nothing about the answer.
    ///
    /// - Parameters:
    ///   - crossing: In state reviewed.
    ///   - server: Whom to ask.
    /// - Returns: The answer; a redirect to the provider when the order is placed there too.
    /// - Throws: `HTTPExchangeError`.
    package func tryAgree(_ crossing: Crossing, _ server: String) async throws(HTTPExchangeError) -> InboundResponse {
        let form = [("secureWebviewSessionId", crossing.returnTicket), ("totalPrice", crossing.shownTotal)]
        return try await send("POST", server + "/confirm_order", form: form, cookies: tabJar(crossing))
    }

    /// The buyer agrees, and the provider puts a hold on the card.
    ///
    /// - Parameters:
    ///   - crossing: In state reviewed; is then ready for the purchase.
    ///   - server: Whom to ask.
    /// - Throws: As `send`, and `UnexpectedAnswer`.
    package func agree(_ crossing: inout Crossing, _ server: String) async throws {
        let answer = try await tryAgree(crossing, server)
        guard answer.status == 303, let target = answer.first("Location"), target.hasPrefix(simulator) else {
            throw UnexpectedAnswer("agree", answer)
        }
        crossing.processingURL = target
        let jar = [(crossing.providerCookieName, crossing.providerCookieValue)]
        let back = try await leaveProvider(try await send("GET", target, cookies: jar), &crossing)
        guard back.contains("/checkout_result") else { throw ProgramFailure("the provider sends to \(back)") }
    }

    /// The two halves meet.
    ///
    /// - Parameters:
    ///   - crossing: In state placed, or later.
    ///   - server: Whom to ask.
    /// - Returns: The answer.
    /// - Throws: `HTTPExchangeError`.
    package func purchase(_ crossing: Crossing, _ server: String) async throws(HTTPExchangeError) -> InboundResponse {
        let jar = [(CookieName.app, crossing.appProof)]
        return try await send("POST", server + "/purchase", form: purchaseForm(crossing), cookies: jar)
    }

    /// What the app sends for the purchase.
    ///
    /// - Parameter crossing: In state placed, or later.
    /// - Returns: The fields of the form.
    package func purchaseForm(_ crossing: Crossing) -> [(String, String)] {
        [
            ("secureWebviewSessionId", crossing.returnTicket), ("orderReferenceId", crossing.session),
            ("accessToken", "sealed"), ("old_secureWebviewSessionId", crossing.launchTicket),
        ]
    }

    // MARK: Parts

    private func tabJar(_ crossing: Crossing) -> [(String, String)] {
        [(CookieName.tab, crossing.tabToken), (CookieName.launch, crossing.launchTicket)]
    }

    /// Follows the provider's redirects until they lead elsewhere.
    private func leaveProvider(_ first: InboundResponse, _ crossing: inout Crossing) async throws -> String {
        var answer = first
        for _ in 0..<12 {
            if let cookie = answer.first("Set-Cookie") { crossing.providerCookie = String(cookie.prefix { $0 != ";" }) }
            guard answer.status == 303, let target = answer.first("Location") else {
                throw UnexpectedAnswer("provider", answer)
            }
            guard target.hasPrefix("/") || target.hasPrefix(simulator) else { return target }
            let jar = [(crossing.providerCookieName, crossing.providerCookieValue)]
            answer = try await send("GET", target.hasPrefix("/") ? simulator + target : target, cookies: jar)
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

extension Crossing {
    fileprivate var providerCookieName: String { String(providerCookie.prefix { $0 != "=" }) }
    fileprivate var providerCookieValue: String { String(providerCookie.drop { $0 != "=" }.dropFirst()) }
}
