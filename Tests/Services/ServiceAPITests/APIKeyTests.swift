import Cryptography
import Primitives
import ServiceAPI
import TestKit
import Testing

@Suite("A merchant's key")
struct APIKeyTests {
    private let random = SeededRandom(seed: 11)

    @Test func `is a tag and 64 characters that carry its id in front`() throws {
        let (key, record) = APIKey.mint(random: random)
        #expect(key.text.hasPrefix("swk_"))
        #expect(key.text.utf8.count == APIKey.characterCount)
        #expect(key.text.dropFirst(4).utf8.allSatisfy { Base64URL.contains($0) })
        #expect(Base64URL.decode(String(key.text.dropFirst(4)))?.prefix(16) == key.id.bytes[...])
        #expect(record.id == key.id)
        let again = try #require(APIKey.parse(key.text))
        #expect(again.id == key.id)
        #expect(again.text == key.text)
    }

    @Test func `is stored as the hash of its whole text and nothing else`() throws {
        let (key, record) = APIKey.mint(random: random)
        #expect(record.hash == SHA256.digest(of: Array(key.text.utf8)))
        #expect(record.hash == key.hash)
        #expect(try key.hash(SHA256()) == record.hash)
        #expect(!"\(record)".contains(key.text.suffix(43)))
    }

    @Test func `is a fresh one each time, with an id of version 4`() {
        let keys = (0..<200).map { _ in APIKey.mint(random: random).key }
        #expect(Set(keys.map(\.id)).count == 200)
        #expect(Set(keys.map(\.hash)).count == 200)
        for key in keys {
            let text = Array(key.id.description)
            #expect(text[14] == "4")
            #expect("89ab".contains(text[19]))
        }
    }

    @Test func `keeps its id when its secret is replaced`() {
        let (key, record) = APIKey.mint(random: random)
        let (other, otherRecord) = APIKey.rotate(key.id, random: random)
        #expect(other.id == key.id)
        #expect(otherRecord.id == record.id)
        #expect(otherRecord.hash != record.hash)
        #expect(other.text != key.text)
    }

    @Test func `prints as eight digits of its hash`() {
        let (key, _) = APIKey.mint(random: random)
        for text in ["\(key)", String(reflecting: key), "\([key])"] {
            #expect(text.contains("swk_<\(key.hash)>"))
            #expect(!text.contains(key.text.dropFirst(4).prefix(12)))
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test(
        arguments: [
            "", "swk_", "swk_" + String(repeating: "A", count: 63), "swk_" + String(repeating: "A", count: 65),
            "swa_" + String(repeating: "A", count: 64), "SWK_" + String(repeating: "A", count: 64),
            "swk-" + String(repeating: "A", count: 64), "swk_" + String(repeating: "A", count: 63) + "=",
            "swk_" + String(repeating: "A", count: 63) + "+", "swk_" + String(repeating: "A", count: 63) + " ",
            "swk_" + String(repeating: "A", count: 63) + "\n", "swk_" + String(repeating: "A", count: 62) + "é",
            " swk_" + String(repeating: "A", count: 63), "Bearer swk_" + String(repeating: "A", count: 64),
        ]
    )
    func `of another form is none`(text: String) {
        #expect(APIKey.parse(text) == nil)
    }

    @Test func `grants what its scopes say, and none includes another`() {
        let grant = KeyGrant(id: APIKey.mint(random: random).key.id, name: "shop", scopes: [Scope("notes:write")])
        #expect(grant.allows(Scope("notes:write")))
        #expect(!grant.allows(Scope("notes:read")))
        #expect(!grant.allows(Scope("passes:write")))
        #expect(!grant.allows(Scope("passes:read")))
    }

    @Test(
        arguments: [
            ("shop", true), ("店 1", true), ("", false), (" shop", false), ("a\nb", false),
            (String(repeating: "x", count: 100), true), (String(repeating: "x", count: 101), false),
        ]
    )
    func `has a name that can be shown in a line`(name: String, isGood: Bool) {
        #expect(KeyGrant.isName(name) == isGood)
    }
}
