import Cryptography
import Primitives
import ServiceAPI
import TestKit
import Testing

private let subject = UUIDBytes(high: 7, low: 1)

@Suite("The seal of an answer")
struct AnswerSealTests {
    private let random = SeededRandom(seed: 5)
    private let body = Array(#"{"launch":{"ticket":"swa_x"}}"#.utf8)

    private func claim(_ key: APIKey, _ text: String = "word") throws -> IdempotencyClaim {
        try #require(IdempotencyClaim(scope: subject, key: key.id, text: text, fingerprint: key.hash))
    }

    @Test func `opens under the key and the word it was made with`() throws {
        let key = APIKey.mint(random: random).key
        let seal = try AnswerSeal()
        let sealed = try seal.seal(body, for: claim(key), under: key, random: random)
        #expect(try seal.open(sealed, for: claim(key), under: key) == body)
        #expect(!String(decoding: sealed, as: UTF8.self).contains("swa_"))
    }

    @Test func `opens under no other secret of the key, and in no other row`() throws {
        let key = APIKey.mint(random: random).key
        let rotated = APIKey.rotate(key.id, random: random).key
        let seal = try AnswerSeal()
        let sealed = try seal.seal(body, for: claim(key), under: key, random: random)
        #expect(try seal.open(sealed, for: claim(key), under: rotated) == nil)
        #expect(try seal.open(sealed, for: claim(key, "other"), under: key) == nil)
        #expect(try seal.open(Array(sealed.dropLast()), for: claim(key), under: key) == nil)
    }
}

@Suite("The claim of a request")
struct IdempotencyClaimTests {
    private let key = APIKey.mint(random: SeededRandom(seed: 6)).key

    @Test(arguments: ["a", "A-z_9", String(repeating: "x", count: 64)])
    func `has a word of letters, digits, dash and underscore`(_ text: String) {
        #expect(IdempotencyClaim(scope: subject, key: key.id, text: text, fingerprint: key.hash) != nil)
    }

    @Test(arguments: ["", "a b", "ä", "a.b", "a/b", String(repeating: "x", count: 65)])
    func `has no other word`(_ text: String) {
        #expect(IdempotencyClaim(scope: subject, key: key.id, text: text, fingerprint: key.hash) == nil)
    }

    @Test func `sorts twins together and others apart`() throws {
        let one = try #require(IdempotencyClaim(scope: subject, key: key.id, text: "a", fingerprint: key.hash))
        let digest = SHA256.digest(of: [1])
        let twin = try #require(IdempotencyClaim(scope: subject, key: key.id, text: "a", fingerprint: digest))
        let other = try #require(IdempotencyClaim(scope: subject, key: key.id, text: "b", fingerprint: key.hash))
        #expect(one.lockKey == twin.lockKey)
        #expect(one.lockKey != other.lockKey)
    }
}
