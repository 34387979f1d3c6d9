import Primitives
import TestKit
import Testing
import Webhooks

@Suite("The signature of an event")
struct SignerTests {
    private let id = UUIDBytes(high: 0x0195_923F_6C00_7000, low: 0x8000_0000_0000_0001)
    private let now = WallTime(seconds: 1_773_453_566)
    private let body = Array(#"{"a":1}"#.utf8)
    private let first = WebhookKey(id: "whk_1", secret: Secret(Array(UInt8(0)..<32)))
    private let second = WebhookKey(id: "whk_2", secret: Secret([UInt8](repeating: 0, count: 32)))

    private func fields(_ keys: [WebhookKey]) throws -> [(String, String)] {
        try WebhookSigner().fields(event: id, at: now, body: body, keys: keys)
    }

    private func value(_ name: String, _ fields: [(String, String)]) -> String? {
        fields.first { $0.0 == name }?.1
    }

    /// The sample of the test suites of Standard Webhooks' own libraries.
    @Test func `is the one of the standard's sample`() throws {
        let secret = "31f290f6bf06298aab4f08d43c3f082cf648a362da2da4b0"
        let signature = try WebhookSigner().signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            seconds: "1614265330",
            body: Array(#"{"test": 2432232314}"#.utf8),
            secret: Secret(try #require(Hex.decode(secret)))
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    /// Computed by Python's `hmac`.
    @Test func `goes out with the event's id, the time of the try and the key's name`() throws {
        let fields = try fields([first])
        #expect(fields.map(\.0) == ["webhook-id", "webhook-timestamp", "webhook-signature", "webhook-key-id"])
        #expect(
            fields.map(\.1) == [
                "evt_0195923f-6c00-7000-8000-000000000001", "1773453566",
                "v1,pjR7N+tiFNVsDNCpSsy4mGcrwwmbLfROSnd+UXPwnt8=", "whk_1",
            ]
        )
    }

    @Test func `is made with both keys while one follows the other`() throws {
        let fields = try fields([second, first])
        #expect(
            value("webhook-signature", fields)
                == "v1,3GLm9bZ0bkhcmBVTP9KSTegYodelRSlnA1dremcPzHo= v1,pjR7N+tiFNVsDNCpSsy4mGcrwwmbLfROSnd+UXPwnt8="
        )
        #expect(value("webhook-key-id", fields) == "whk_2 whk_1")
        for key in [first, second] {
            #expect(try WebhookSigner().verify(fields, body: body, secrets: [key.secret], now: now))
        }
    }

    @Test func `verifies, whatever the case of the fields' names`() throws {
        let fields = try fields([first]).map { ($0.0.uppercased(), $0.1) }
        #expect(try WebhookSigner().verify(fields, body: body, secrets: [second.secret, first.secret], now: now))
    }

    @Test(arguments: [
        (Duration.seconds(300), true), (.microseconds(300_000_001), false), (.seconds(-300), true),
        (.microseconds(-300_000_001), false),
    ])
    func `counts for five minutes around its time`(late: Duration, isGood: Bool) throws {
        let fields = try fields([first])
        #expect(try WebhookSigner().verify(fields, body: body, secrets: [first.secret], now: now + late) == isGood)
    }

    @Test func `is refused when anything that it covers is another, and without it`() throws {
        let signer = try WebhookSigner()
        let good = try fields([first])
        #expect(!signer.verify(good, body: body + [0x20], secrets: [first.secret], now: now))
        #expect(!signer.verify(good, body: body, secrets: [second.secret], now: now))
        #expect(!signer.verify(good, body: body, secrets: [], now: now))
        for (index, other) in [(0, "evt_other"), (1, "1773453567"), (2, "v1,AAAA")] {
            for value in [other, "", good[index].1 + " ", "\u{FF11}"] where !(index == 2 && value.hasPrefix("v1,p")) {
                var fields = good
                fields[index].1 = value
                #expect(!signer.verify(fields, body: body, secrets: [first.secret], now: now), "\(fields[index])")
            }
            var fields = good
            fields.remove(at: index)
            #expect(!signer.verify(fields, body: body, secrets: [first.secret], now: now))
        }
    }

    @Test(arguments: ["v2,", "v1a,", "", "v1:"])
    func `of another version does not count`(version: String) throws {
        var fields = try fields([first])
        fields[2].1 = fields[2].1.replacing("v1,", with: version)
        #expect(try !WebhookSigner().verify(fields, body: body, secrets: [first.secret], now: now))
    }

    @Test func `is looked for among eight at most`() throws {
        var fields = try fields([first])
        let signature = fields[2].1
        for (count, isGood) in [(7, true), (8, false)] {
            fields[2].1 = [String](repeating: "v1,AAAA ", count: count).joined() + signature
            #expect(try WebhookSigner().verify(fields, body: body, secrets: [first.secret], now: now) == isGood)
        }
    }
}
