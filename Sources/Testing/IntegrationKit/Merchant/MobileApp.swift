package import StrictJSON

/// A merchant's app with the provider's library in it, as far as its buyer goes to the provider's pages and comes back by a
/// link.
package struct MobileApp: Sendable {
    private let browser: TestBrowser
    private let control: SimulatorControl
    /// Who the buyer is at the provider, and the card.
    package var buyer = (email: "tokyo@example.test", card: "card-1111")

    /// An app on a phone of its own.
    package init<Place>(_ shop: TestShop<Place>) {
        browser = shop.browser()
        control = shop.control
    }

    /// Hands the signed payload to the library, and follows the buyer through the pages, which answer themselves.
    ///
    /// - Parameter launch: The member `launch.mobile` of a session.
    /// - Returns: The link by which the buyer comes back.
    package func checkOut(_ launch: JSONValue) async throws -> String {
        try await control.nextBuyer(buyer.email, card: buyer.card)
        let form = launch.members.map { ($0.name, $0.value.text ?? ($0.value.flag == true ? "true" : "false")) }
        let start = control.url + "/checkout/start"
        var page = try await browser.request(
            "POST",
            start,
            form: form + [("checkoutLanguage", "ja_JP"), ("placement", "Cart")]
        )
        for _ in 0..<20 {
            guard page.status == 303, let location = page[field: "location"] else { throw UnexpectedPage(page) }
            let isHosted = location.hasPrefix("/") || location.hasPrefix(control.url)
            guard isHosted else { return location }
            page = try await browser.request("GET", location.hasPrefix("/") ? control.url + location : location)
        }
        throw UnexpectedPage(page)
    }
}

/// A session that a merchant's server has opened for its app.
package struct MobileSession: Sendable {
    /// Names the session.
    package let id: String
    /// What the server keeps.
    package let proof: String
    /// What the app gets.
    package let launch: JSONValue
    /// The whole answer.
    package let reply: MerchantReply

    init(_ reply: MerchantReply) throws(MerchantRefused) {
        guard reply.status == 201, let id = reply["id"]?.text, let launch = reply["launch"]?["mobile"],
            let proof = reply["launch"]?["appProof"]?.text
        else { throw MerchantRefused(status: reply.status, body: reply.text) }
        self.id = id
        self.launch = launch
        self.proof = proof
        self.reply = reply
    }
}

extension MerchantClient {
    /// The links of the app in tests.
    package static let appLinks: [JSONMember] = [
        JSONMember("resultUrl", "com.example.shop://paid?cart=7"), JSONMember("cancelUrl", "com.example.shop://cart"),
        JSONMember("errorUrl", "https://shop.example.com/app/error"),
    ]

    /// An address in Tokyo.
    package static let delivery: JSONValue = [
        "name": "東京 花子", "addressLine1": "千代田区丸の内1-1-1", "stateOrRegion": "東京都", "postalCode": "100-0005",
        "countryCode": "JP", "phoneNumber": "0312345678",
    ]

    /// Two packs of tea for the buyer of an app.
    ///
    /// - Parameters:
    ///   - address: Where to; `nil` where nothing is sent.
    ///   - changes: Members that replace those of the order; `null` takes one out.
    package static func appOrder(_ address: JSONValue? = nil, _ changes: [JSONMember] = []) -> JSONValue {
        let mobile = appLinks + (address.map { [JSONMember("shippingAddress", $0)] } ?? [])
        return order(
            client: "mobileApp",
            [JSONMember("returnUrl", .null), JSONMember("mobile", .object(mobile))] + changes
        )
    }

    /// Opens a session for an app.
    ///
    /// - Parameters:
    ///   - order: What to sell; nothing that is sent, by default.
    ///   - word: Names the request; a fresh one by default.
    package func openApp(
        _ order: JSONValue = MerchantClient.appOrder(),
        word: String? = nil
    ) async throws -> MobileSession {
        try MobileSession(try await post("/v1/sessions", order, word: word))
    }

    /// Finalizes a session as the merchant's server does when the buyer is back in the app.
    ///
    /// - Parameter proof: Another proof than the session's, for who has the wrong one.
    package func finalize(
        _ session: MobileSession,
        _ link: String,
        _ address: JSONValue? = nil,
        proof: String? = nil,
        _ more: [JSONMember] = []
    ) async throws -> MerchantReply {
        var members = [
            JSONMember("checkoutSessionId", .string(MerchantClient.checkoutSession(of: link))),
            JSONMember("appProof", .string(proof ?? session.proof)),
        ]
        if let address { members.append(JSONMember("shippingAddress", address)) }
        return try await post("/v1/sessions/\(session.id)/finalize", .object(members + more))
    }

    /// The checkout session that a link into an app names.
    ///
    /// - Returns: Empty where it names none.
    package static func checkoutSession(of link: String) -> String {
        parameter("amazonCheckoutSessionId", of: link)
    }
}
