import AmazonPay
import AmazonPaySimulator
import Commerce
import EventIO
import HTTPCore
import StrictJSON
import Testing

@Suite("A crowd of buyers")
struct CrowdTests {
    private static let buyers = [
        (email: "tokyo@example.test", address: "tokyo", prefecture: "東京都"),
        (email: "hokkaido@example.test", address: "hokkaido", prefecture: "北海道"),
        (email: "okinawa@example.test", address: "okinawa", prefecture: "沖縄県"),
    ]

    @Test func `of a thousand loses and mixes up nothing`() async throws {
        try await withSimulator { bench in
            let shop = try ClientShop(bench)
            let payload = CheckoutPayload(reviewURL: Bench.review, cancelURL: Bench.cancel, storeID: Bench.storeID)
            let button = try await shop.sign(payload)
            let crowd = Crowd(count: 1_000)
            for _ in 0..<64 {
                bench.reactor.startTask { await crowd.work { try await Self.buy($0, button, shop) } }
            }
            await suspend { crowd.waiting = $0 }
            #expect(crowd.failures.isEmpty, "\(crowd.failures.prefix(3))")
            #expect(Set(crowd.charges.map(\.text)).count == 1_000)
            // Every complete that takes effect makes a permission and a charge.
            let counts = try await bench.control("GET", "state")["counts"]
            for kind in ["checkoutSessions", "chargePermissions", "charges"] {
                #expect(counts?[kind]?.integer == 1_000, "\(kind)")
            }
        }
    }

    /// One purchase from the button to the charge; every buyer, address and amount in its place.
    private static func buy(_ number: Int, _ button: ButtonSignature, _ shop: ClientShop) async throws -> ChargeID {
        let buyer = buyers[number % buyers.count]
        let amount = Money(Yen(UInt32(1_000 + number)))
        var visit = Visit(bench: shop.bench)
        let form = Bench.startForm(changing: [
            "payloadJSON": button.payloadJSON, "signature": button.signature, "algorithm": button.algorithm.label,
        ])
        var place = try await visit.post("/checkout/start", form)
        place = try await visit.post(place, [("email", buyer.email), ("password", "x"), ("action", "signin")])
        if place == "/ap/consent" { place = try await visit.post(place, [("action", "agree")]) }
        let choice = [("addressId", buyer.address), ("cardId", "card-1111"), ("action", "continue")]
        let id = try #require(CheckoutSessionID(Bench.sessionID(in: try await visit.post(place, choice))))
        #expect(try await shop.client.session(id).shippingAddress?[.stateOrRegion] == buyer.prefecture)
        let marks = MerchantMetadata(merchantReferenceId: "order-\(number)")
        let update = CheckoutUpdate(resultURL: Bench.result, payment: PaymentDetails(amount: amount), metadata: marks)
        let processing = try #require(try await shop.client.update(id, update).redirectURL)
        #expect(try await visit.get(processing) == Bench.result + "?amazonCheckoutSessionId=" + id.text)
        let session = try #require(await shop.complete(id, amount).session)
        #expect(session.id == id && session.isFor(amount))
        #expect(session.merchantReferenceID == "order-\(number)")
        return try #require(ChargeID(session.chargeID ?? ""))
    }
}

/// A browser that fills in one page after the other.
private struct Visit {
    let bench: WireBench
    var browser = Browser()

    init(bench: WireBench) {
        self.bench = bench
    }

    /// - Returns: Where the page leads to.
    mutating func post(_ target: String, _ form: [(String, String)]) async throws -> String {
        try await go("POST", target, [("content-type", "application/x-www-form-urlencoded")], Bench.encoded(form))
    }

    mutating func get(_ target: String) async throws -> String {
        try await go("GET", target, [], [])
    }

    private mutating func go(
        _ method: String,
        _ target: String,
        _ fields: [(String, String)],
        _ body: [UInt8]
    ) async throws -> String {
        let known = browser.fields.map { ($0.name, $0.value) }
        let answer = try await bench.send(method, target, fields: known + fields, body: body)
        if let line = answer.first("set-cookie") { browser.take(line) }
        return answer.first("location") ?? "\(answer.status)"
    }
}

/// Hands out numbers to those who work at the same time, and keeps what comes of them.
private final class Crowd {
    private let count: Int
    private var taken = 0
    private var ended = 0
    private(set) var charges: [ChargeID] = []
    private(set) var failures: [String] = []
    var waiting: Suspension<Void>?

    init(count: Int) {
        self.count = count
    }

    func work(_ buy: (Int) async throws -> ChargeID) async {
        while taken < count {
            taken += 1
            let number = taken
            do {
                charges.append(try await buy(number))
            } catch {
                failures.append("\(number): \(error)")
            }
            ended += 1
            if ended == count { waiting?.resume() }
        }
    }
}
