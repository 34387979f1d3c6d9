import Cryptography
import Primitives
import Testing
import Webhooks

@Suite("The keys of questions for the postage")
struct PostageKeysTests {
    private static let secret = Array("a secret of the tests, long enough for what it is for".utf8)

    private static func key(
        _ origin: String = "https://shop.example",
        _ number: String = "1",
        _ secret: [UInt8] = secret
    ) throws -> WebhookKey {
        try PostageKeys(Keyring(secret)).key(for: origin, number: try #require(PostageKeyNumber(number)))
    }

    @Test func `are those that RFC 5869 yields, in every process`() throws {
        #expect(try Self.key().id == "whk_kJl9IYJk5urqUMZa")
        #expect(try Self.key().text.reveal() == "whsec_DDTro5UseqWwAS+8dXqcI3esGyp+jMJBkfPLNafzhmw=")
        #expect(WebhookKey.secret(try Self.key().text.reveal())?.reveal() == (try Self.key().secret.reveal()))
    }

    @Test func `differ by secret, origin and number`() throws {
        let keys = [
            try Self.key(), try Self.key("https://shop.example:8443"), try Self.key("https://shop.example", "2"),
            try Self.key("https://shop.example", "11"), try Self.key("https://shop.example", "1", Self.secret + [0]),
        ]
        #expect(Set(keys.map(\.id)).count == keys.count)
        #expect(Set(keys.map { $0.text.reveal() }).count == keys.count)
    }

    @Test func `stay as they are when another secret comes, and go with their own`() throws {
        let first = "1 " + Hex.encode(Self.secret)
        let second = "2 " + String(repeating: "5a", count: 32)
        let both = Array("\(first)\n\(second)\n".utf8)
        #expect(try Self.key("https://shop.example", "1", both).id == Self.key().id)
        let next = try Self.key("https://shop.example", "2.1", both)
        #expect(next.id != (try Self.key().id))
        #expect(try Self.key("https://shop.example", "2.1", Array(second.utf8)).id == next.id)
        let error = #expect(throws: CryptographyError.self) {
            try Self.key("https://shop.example", "1", Array(second.utf8))
        }
        #expect(error?.code == .unknownKey && error?.detail.contains("key 1 ") == true)
    }

    @Test(arguments: ["", "0", "1.0", "0.1", "2.", ".1", "1.2.3", "65536.1", "1.1000001", "a", "1 .1", "-1", "２.1"])
    func `have numbers of their own`(text: String) {
        #expect(PostageKeyNumber(text) == nil)
    }
}
