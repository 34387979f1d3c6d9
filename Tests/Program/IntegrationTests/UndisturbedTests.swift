import HTTPClient
import IntegrationKit
import Primitives
import StrictJSON
import Testing

/// Whatever one address, page or buyer does in vain, the others go on being served.
@Suite("Others go on being served", .tags(.database, .slow), .serialized)
struct UndisturbedTests {
    private static let often = 1_000
    /// Who is not refused by then never is, however slow the machine and however much its limits let through meanwhile.
    private static let tooOften = 10_000

    /// A shop with the usual limits, at which everybody comes from one address.
    private static func options(_ setup: ProcessSetup) -> ShopOptions {
        var options = ShopOptions.merchants([
            "limits.unknown_per_minute": "20", "merchant.requests_per_minute": "600",
        ])
        options.version = setup.version
        options.isSecure = setup.version == .http2
        options.processes = setup.processes
        // A process knows what it has issued; what another has issued is looked up a few times a second beside a guesser.
        options.isPatient = setup.processes > 1
        return options
    }

    @Test(arguments: ProcessSetup.all)
    func `while a merchant's server relays spoilt tickets`(setup: ProcessSetup) async throws {
        try await withShop(Self.options(setup)) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            let ticket = MerchantClient.parameter("secureWebviewSessionId", of: back)
            var answers: [Int: Int] = [:]
            var sent = 0
            // What a limit lets through grows with the time that this takes, so the refused ones are counted.
            while sent < Self.often || (answers[429, default: 0] < Self.often / 2 && sent < Self.tooOften) {
                // The session's id in front is right, what follows is not; every third one has not even the form.
                let spoilt = sent % 3 == 0 ? "swc_\(sent)" : shop.guess("swc_", of: ticket)
                let answer = try await merchant.relay(spoilt, of: session, back)
                answers[answer.status, default: 0] += 1
                sent += 1
                if answer.status == 429 { #expect(answer.page[field: "retry-after"] != nil) }
            }
            #expect(answers[404, default: 0] > 0 && answers[429, default: 0] >= Self.often / 2, "\(answers)")
            #expect(answers.keys.allSatisfy { [404, 409, 422, 429].contains($0) }, "\(answers)")
            try await shop.expectSale(merchant)
        }
    }

    @Test(arguments: ProcessSetup.all)
    func `while a page of somebody else's has images with our addresses`(setup: ProcessSetup) async throws {
        try await withShop(Self.options(setup)) { shop in
            let visitor = shop.browser()
            let image = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "image")]
            var statuses: Set<Int> = []
            for index in 0..<Self.often {
                let path = index % 2 == 0 ? "/button" : "/thanks"
                let ticket = shop.guess(index % 2 == 0 ? "swa_" : "swc_")
                let address = path + "?secureWebviewSessionId=" + ticket
                statuses.insert(try await visitor.request("GET", address, fields: image).status)
            }
            #expect(statuses == [404, 503])
            // Nothing of it counts: a ticket that nobody has is unknown, as from any other address.
            #expect(try await shop.open(shop.guess("swa_")) == 404)
            try await shop.expectSale(try await shop.merchant())
        }
    }

    @Test(arguments: ProcessSetup.all)
    func `while somebody guesses at the same address`(setup: ProcessSetup) async throws {
        try await withShop(Self.options(setup)) { shop in
            let merchant = try await shop.merchant()
            var limited = 0
            for _ in 0..<Self.tooOften where limited < Self.often {
                limited += try await shop.tryGuess() == 429 ? 1 : 0
            }
            #expect(limited == Self.often)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { while !Task.isCancelled { _ = try await shop.tryGuess() } }
                defer { group.cancelAll() }
                try await shop.expectSale(merchant)
            }
        }
    }
}

extension Shop {
    /// A token of a kind that nobody has; of the session of another token, where one is given.
    fileprivate func guess(_ tag: String, of token: String? = nil) -> String {
        let made = Base64URL.encode((0..<48).map { _ in UInt8.random(in: 0...255) })
        // 16 bytes are 21 characters and a third: the characters behind them belong to the secret alone.
        let front = token.map { String($0.dropFirst(4)) } ?? made
        return tag + String(front.prefix(22)) + String(made.suffix(42))
    }

    /// The status of an opening by somebody without a jar who does not ask twice.
    fileprivate func open(_ ticket: String) async throws -> Int {
        let browser = TestBrowser(hosts, home: web, language: "en")
        return try await browser.request("GET", "/button?secureWebviewSessionId=" + ticket).status
    }

    /// Tries a ticket of a session that is not there.
    fileprivate func tryGuess() async throws -> Int { try await open(guess("swa_")) }

    /// Sells by the interface and by the pages, and takes the money.
    fileprivate func expectSale(_ merchant: MerchantClient) async throws {
        for _ in 0..<20 { #expect(try await merchant.get("/v1/sessions").status == 200) }
        let session = try await merchant.open()
        let back = try #require(try await tab().cross(session.url).link("purchase_link"))
        let paid = try await merchant.complete(session, back)
        #expect(paid.status == 200, "\(paid.text)")
        let charge = paid["charges"]?.elements.first?["id"]?.text ?? ""
        let taken = try await merchant.post("/v1/charges/\(charge)/capture", ["amount": MerchantClient.yen(3_180)])
        #expect(taken.status == 200, "\(taken.text)")
        let shopper = try await shopper()
        let answer = try await shopper.purchase(try await shopper.toReturn())
        #expect(answer.status == 200, "\(answer.text)")
        let fresh = try await self.shopper()
        #expect(try await fresh.toButton().status == 200)
    }
}

extension MerchantClient {
    /// Completes a session with what its buyer came back with, as a merchant's server does that does not look at it.
    fileprivate func relay(_ ticket: String, of session: OpenSession, _ back: String) async throws -> MerchantReply {
        let reference = MerchantClient.parameter("orderReferenceId", of: back)
        let body: JSONValue = [
            "returnTicket": .string(ticket), "orderReferenceId": .string(reference), "appProof": .string(session.proof),
        ]
        return try await post("/v1/sessions/\(session.id)/complete", body)
    }
}
