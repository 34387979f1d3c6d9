import Primitives
import Testing
import Webhooks

@Suite("The keys of questions for the postage")
struct PostageKeysTests {
    private static let secret = Array("a secret of the tests, long enough for what it is for".utf8)

    private static func key(
        _ origin: String = "https://shop.example",
        _ number: Int = 1,
        _ secret: [UInt8] = secret
    ) throws -> WebhookKey {
        try PostageKeys(secret: Secret(secret)).key(for: origin, number: number)
    }

    @Test func `are those that RFC 5869 yields, in every process`() throws {
        #expect(try Self.key().id == "whk_kJl9IYJk5urqUMZa")
        #expect(try Self.key().text.reveal() == "whsec_DDTro5UseqWwAS+8dXqcI3esGyp+jMJBkfPLNafzhmw=")
        #expect(WebhookKey.secret(try Self.key().text.reveal())?.reveal() == (try Self.key().secret.reveal()))
    }

    @Test func `differ by secret, origin and number`() throws {
        let keys = [
            try Self.key(), try Self.key("https://shop.example:8443"), try Self.key("https://shop.example", 2),
            try Self.key("https://shop.example", 11), try Self.key("https://shop.example", 1, Self.secret + [0]),
        ]
        #expect(Set(keys.map(\.id)).count == keys.count)
        #expect(Set(keys.map { $0.text.reveal() }).count == keys.count)
    }
}
