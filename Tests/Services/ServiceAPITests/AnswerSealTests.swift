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
        let word = try #require(IdempotencyWord(text))
        return IdempotencyClaim(scope: subject, key: key.id, word: word, fingerprint: RequestFingerprint(key.hash))
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

    private func claim(_ text: String, _ digest: Digest32) throws -> IdempotencyClaim {
        let word = try #require(IdempotencyWord(text))
        return IdempotencyClaim(scope: subject, key: key.id, word: word, fingerprint: RequestFingerprint(digest))
    }

    @Test func `sorts twins together and others apart`() throws {
        let one = try claim("a", key.hash)
        let twin = try claim("a", SHA256.digest(of: [1]))
        let other = try claim("b", key.hash)
        #expect(one.lockKey == twin.lockKey)
        #expect(one.lockKey != other.lockKey)
    }
}

@Suite("The word of a request")
struct IdempotencyWordTests {
    @Test(arguments: [
        ("a", "a"), ("A-z_9", "A-z_9"), ("order:123", "order:123"), ("a.b/c", "a.b/c"),
        (#"a"b"#, #"a"b"#), (#"a\b"#, #"a\b"#),
        (#""order:123""#, "order:123"), (#""a\"b\\c""#, #"a"b\c"#), (#""'""#, "'"), ("!~", "!~"),
        (String(repeating: "x", count: 255), String(repeating: "x", count: 255)),
        ("\"\(String(repeating: "x", count: 255))\"", String(repeating: "x", count: 255)),
        ("\"\(String(repeating: #"\""#, count: 255))\"", String(repeating: "\"", count: 255)),
    ])
    func `is what stands bare or between quotation marks`(value: String, word: String) {
        #expect(IdempotencyWord(value)?.text == word)
    }

    @Test(arguments: [
        "", "\"", "\"\"", "a b", "\"a b\"", " a", "a ", "\"a", "\"a\\\"", "\"a\\", #""a\b""#, #""a"b""#, #""a";p=1"#,
        #""a", "b""#,
        "a\tb", "a\u{0}", "\u{1B}[31m", "a\u{7F}", "\"a\u{7F}\"", "ä", "\"ä\"", "a\u{301}", "\u{FFFD}", "🍣",
        String(repeating: "x", count: 256), "\"\(String(repeating: "x", count: 256))\"",
        String(repeating: "x", count: 100_000), String(repeating: "\"", count: 1_000),
        String(repeating: "\\", count: 1_000),
    ])
    func `is nothing else`(value: String) {
        #expect(IdempotencyWord(value) == nil)
    }

    @Test(
        arguments: [
            ("", .empty), ("\"\"", .empty), (String(repeating: "x", count: 256), .tooLong(256)),
            ("\"\(String(repeating: "x", count: 300))\"", .tooLong(300)), ("order 123", .character(6)),
            ("\"order 123\"", .character(7)), ("ä", .character(1)), ("ab\u{7F}", .character(3)), ("\"a", .quotation),
            (#""a"b""#, .quotation), (#""a\b""#, .quotation), (#""a";p=1"#, .quotation),
        ] as [(String, IdempotencyWord.Refusal)]
    )
    func `says which rule another value breaks`(value: String, refusal: IdempotencyWord.Refusal) {
        #expect(throws: refusal) { try IdempotencyWord(reading: value) }
    }
}

@Suite("The fingerprint of a request")
struct RequestFingerprintTests {
    private func fingerprint(
        _ body: String,
        _ value: String? = nil,
        path: String = "/v1/sessions"
    ) throws -> RequestFingerprint {
        RequestFingerprint("POST", path, Array(body.utf8), using: try SHA256()) { bytes in
            guard let value else { return false }
            bytes.append(contentsOf: value.utf8)
            return true
        }
    }

    @Test func `is that of method, path and value, in whichever spelling`() throws {
        let one = try fingerprint("{ }", "{}")
        #expect(one.digest == SHA256.digest(of: Array("POST\n/v1/sessions\n{}".utf8)))
        let (twin, other) = (try fingerprint("{}", "{}"), try fingerprint("[]", "[]"))
        let elsewhere = try fingerprint("{ }", "{}", path: "/v1/charges")
        #expect(one == twin && one != other && one != elsewhere)
    }

    @Test func `is that of the octets where there is no value`() throws {
        let none = try fingerprint("")
        #expect(none.digest == SHA256.digest(of: Array("POST\n/v1/sessions\n".utf8)))
    }
}
