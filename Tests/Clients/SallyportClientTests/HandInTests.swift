import Foundation
import Primitives
import SallyportClient
import TestKit
import Testing

/// What an app does with each answer, and when it asks again.
@Suite("Handing a purchase in") struct HandInTests {
    private static let granted =
        #"{"outcome":"granted","environment":"Sandbox","transactionId":"1","productId":"t","units":1,"balance":1,"finish":true}"#

    @Test(arguments: [
        (200, granted, true),
        (200, granted.replacingOccurrences(of: #""finish":true"#, with: #""finish":false"#), false),
        (200, "<html>", false), (200, "{}", false), (410, #"{"code":"purchase_revoked","finish":true}"#, true),
        (409, #"{"code":"product_unknown","finish":false}"#, false), (409, #"{"code":"x","finish":"true"}"#, false),
        (409, #"{"code":"x","finish":1}"#, false),
        (422, #"{"code":"signed_text_refused","reason":"signature"}"#, false),
        (503, #"{"code":"app_store_unavailable"}"#, false), (302, "", false), (0, "", false),
    ])
    func `finishes the transaction where the answer says so, and nowhere else`(
        status: Int,
        body: String,
        isFinished: Bool
    ) async throws {
        let script = Script([(status, body)])
        let count = Lock(0)
        let purchases = try script.purchases()
        let outcome = await purchases.handIn(
            SignedTransaction(id: "1", text: "a.b.c") { count.withLock { $0 += 1 } }
        )
        #expect(outcome.isFinal == isFinished)
        #expect(count.withLock { $0 } == (isFinished ? 1 : 0))
    }

    @Test func `is tried again after pauses that grow, until it is decided`() async throws {
        let script = Script(Array(repeating: (503, "{}"), count: 4) + [(200, Self.granted)])
        let purchases = try script.purchases(with: ["1"])
        let outcomes = await purchases.outcomes()
        await purchases.start()
        var seen = 0
        for await outcome in outcomes {
            seen += 1
            if outcome.isFinal { break }
        }
        #expect(seen == 5)
        let pauses = script.pauses.withLock { $0 }
        #expect(pauses.count == 4)
        for (number, seconds) in pauses.enumerated() { #expect(seconds <= Double(1 << number)) }
        await purchases.stop()
    }

    @Test func `is left to the next start after some tries`() async throws {
        let script = Script(Array(repeating: (503, "{}"), count: 100))
        let purchases = try script.purchases(with: ["1"])
        let outcomes = await purchases.outcomes()
        await purchases.start()
        var seen = 0
        for await _ in outcomes {
            seen += 1
            if seen == 11 { break }
        }
        await purchases.stop()
        #expect(script.pauses.withLock { $0.count } == 10)
        #expect(script.pauses.withLock { $0.max() ?? 0 } <= 300)
    }

    @Test func `asks for a new token once for all where one is refused`() async throws {
        let script = Script([])
        script.refused.withLock { $0 = ["token-1"] }
        let purchases = try script.purchases()
        await withTaskGroup(of: Void.self) { group in
            for id in 0..<8 {
                group.addTask { _ = await purchases.handIn(SignedTransaction(id: "\(id)", text: "\(id)") {}) }
            }
        }
        #expect(script.tokens.withLock { $0 } == 2)
    }
}

@Suite("An offer") struct OfferRequestTests {
    @Test func `is asked for by its name, and its signed text is for StoreKit`() async throws {
        let script = Script([(200, #"{"signedOffer":"a.b.c"}"#), (200, #"{"signedOffer":"d.e.f"}"#), (403, "{}")])
        let purchases = try script.purchases()
        #expect(try await purchases.promotionalOffer("back", of: "premium", transactionID: "7") == "a.b.c")
        #expect(try await purchases.introductoryOffer(of: "premium", transactionID: "7") == "d.e.f")
        await #expect(throws: AccountError.self) { try await purchases.promotionalOffer("other", of: "premium") }
        let place = "POST /app/v1/app-store/offers "
        #expect(
            script.sent.withLock { $0 } == [
                place + #"{"kind":"promotional","offerId":"back","productId":"premium","transactionId":"7"}"#,
                place + #"{"kind":"introductory","productId":"premium","transactionId":"7"}"#,
                place + #"{"kind":"promotional","offerId":"other","productId":"premium"}"#,
            ]
        )
    }
}

/// A server that answers as it is told, with StoreKit and a clock beside it.
private final class Script: Transport, TransactionSource {
    private let answers: Lock<[(Int, String)]>
    /// Tokens that are answered with 401.
    let refused = Lock<Set<String>>([])
    /// What it was asked.
    let sent = Lock<[String]>([])
    /// How many tokens the app was given.
    let tokens = Lock(0)
    /// How long was waited.
    let pauses = Lock<[TimeInterval]>([])
    private let ids = Lock<[String]>([])

    init(_ answers: [(Int, String)]) { self.answers = Lock(answers) }

    func purchases(with unfinished: [String] = []) throws -> Purchases {
        ids.withLock { $0 = unfinished }
        let account = try AppAccount(at: try #require(URL(string: "https://shop.example.com")), transport: self) {
            let number = self.tokens.withLock { count in
                count += 1
                return count
            }
            return "token-\(number)"
        }
        return Purchases(of: account, from: self, spends: MemorySpendStore()) { seconds in
            self.pauses.withLock { $0.append(seconds) }
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let token = request.fields.first { $0.name == "Authorization" }?.value.dropFirst("Bearer ".count) ?? ""
        if refused.withLock({ $0.contains(String(token)) }) { return TransportResponse(status: 401, body: Data()) }
        let content = String(decoding: request.body, as: UTF8.self)
        sent.withLock { $0.append(request.method + " " + request.url.path + " " + content) }
        let (status, body) = answers.withLock { $0.isEmpty ? (500, "") : $0.removeFirst() }
        guard status > 0 else { throw CheckoutError("the answer was lost") }
        return TransportResponse(status: status, body: Data(body.utf8))
    }

    func updates() -> AsyncStream<SignedTransaction> { AsyncStream { _ in } }
    func unfinished() async -> [SignedTransaction] {
        ids.withLock { $0 }.map { SignedTransaction(id: $0, text: $0) {} }
    }
    func environment() async -> String? { nil }
    var deviceVerificationID: UUID? { nil }
}
