import Cryptography
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import ServiceAPI

private let id = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

@Suite struct `The token of an app` {
    private let random = SeededRandom(seed: 12)

    @Test func `is a tag and 64 characters that carry its id in front`() throws {
        let token = AppToken(fresh: id, random: random)
        #expect(token.text.hasPrefix("sat_") && token.text.utf8.count == 68 && token.id == id)
        #expect(Base64URL.decode(String(token.text.dropFirst(4)))?.prefix(16) == id.bytes[...])
        let again = try #require(AppToken(token.text))
        #expect(again.id == id && again.text == token.text && again.hash == token.hash)
        #expect(try token.hash(SHA256()) == token.hash && token.hash == SHA256.digest(of: Array(token.text.utf8)))
        #expect(AppToken(fresh: id, random: random).text != token.text)
    }

    @Test func `prints as eight digits of its hash`() {
        let token = AppToken(fresh: id, random: random)
        let grant = AppGrant(account: id, scopes: [], expires: WallTime(seconds: 0))
        for text in ["\(token)", String(reflecting: token), "\([token])", "\(ServicePrincipal.app(token, grant))"] {
            #expect(text.contains("sat_<\(token.hash)>"))
            #expect(!text.contains(token.text.dropFirst(4).suffix(20)))
        }
        #expect(Mirror(reflecting: token).children.isEmpty)
    }

    @Test(arguments: [
        "", "sat_", "sat_" + String(repeating: "A", count: 63), "sat_" + String(repeating: "A", count: 65),
        "swk_" + String(repeating: "A", count: 64), "swa_" + String(repeating: "A", count: 64),
        "SAT_" + String(repeating: "A", count: 64), "sat_" + String(repeating: "A", count: 63) + "=",
        "sat_" + String(repeating: "A", count: 63) + "+", "sat_" + String(repeating: "A", count: 62) + "é",
        " sat_" + String(repeating: "A", count: 63), "Bearer sat_" + String(repeating: "A", count: 64),
    ])
    func `of another form is none`(text: String) {
        #expect(AppToken(text) == nil)
    }

    @Test func `is no key, and a key is no token`() {
        let secret = String(repeating: "A", count: 64)
        #expect(APIKey.parse("sat_" + secret) == nil && AppToken("swk_" + secret) == nil)
        #expect(APIKey.parse("swk_" + secret) != nil && AppToken("sat_" + secret) != nil)
    }

    @Test func `seals an answer for itself, and not for the next token of the account`() throws {
        let (token, next) = (AppToken(fresh: id, random: random), AppToken(fresh: id, random: random))
        let word = try #require(IdempotencyWord("word"))
        let claim = IdempotencyClaim(scope: id, key: token.id, word: word, fingerprint: RequestFingerprint(token.hash))
        let seal = try AnswerSeal()
        let sealed = try seal.seal([1, 2, 3], for: claim, under: token, random: random)
        #expect(seal.open(sealed, for: claim, under: token) == [1, 2, 3])
        #expect(seal.open(sealed, for: claim, under: next) == nil)
    }
}

@Suite struct `Tokens that are shown in vain` {
    private let client = ClientKeys(address: 1, network: 1)
    private let hash = SHA256.digest(of: [1])
    private let other = SHA256.digest(of: [2])
    private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    /// As many as make an address wait.
    private func limited() -> AppTokenMisses {
        let misses = AppTokenMisses(perMinute: 2)
        for _ in 0..<2 { misses.count(client, nil, at: now) }
        return misses
    }

    @Test func `leave room for five look-ups a second of their address`() {
        let misses = limited()
        for _ in 0..<5 { #expect(misses.wait(client, other, at: now) == nil) }
        #expect(misses.wait(client, other, at: now) == 1)
        #expect(misses.wait(client, other, at: now + .milliseconds(200)) == nil)
        #expect(misses.wait(ClientKeys(address: 2, network: 2), other, at: now) == nil)
    }

    @Test func `do not hold up a token that was good lately, until it is not`() {
        let misses = limited()
        misses.note(hash, at: now)
        for _ in 0..<20 { #expect(misses.wait(client, hash, at: now) == nil) }
        misses.count(client, hash, at: now)
        for _ in 0..<5 { #expect(misses.wait(client, hash, at: now) == nil) }
        #expect(misses.wait(client, hash, at: now) == 1)
    }

    @Test func `are never looked up where they are no tokens`() {
        #expect(limited().wait(client, nil, at: now) != nil)
        #expect(AppTokenMisses(perMinute: 2).wait(client, nil, at: now) == nil)
    }
}

@Suite struct `A route` {
    private func description(_ path: RoutePattern, _ principal: RouteDescription.Principal) -> RouteDescription {
        let example = AnswerExample("Thing", "a thing", [:])
        let group = RouteDescription.Group("things", "things")
        return RouteDescription(.get, path, "readThing", group, principal, "read", .init(.ok, .any, example))
    }

    @Test func `of tokens stands below app v1, and none of keys there`() {
        let (key, app) = (RouteDescription.Principal.program(Scope("a:read")), RouteDescription.Principal.app(nil))
        #expect(description("/v1/a", key).isWellPlaced && description("/app/v1/a", app).isWellPlaced)
        #expect(!description("/app/v1/a", key).isWellPlaced && !description("/v1/a", app).isWellPlaced)
        #expect(!description("/a", app).isWellPlaced && !description("/v1/a", .anybody).isWellPlaced)
        #expect(!description("/app/a", key).isWellPlaced && !description("/app/v10/a", app).isWellPlaced)
    }
}
