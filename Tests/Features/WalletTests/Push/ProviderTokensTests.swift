import Cryptography
import EventIO
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import Wallet

@Suite("Provider tokens")
struct ProviderTokensTests {
    private static let now = WallTime(seconds: 1_795_251_600)

    private static func tokens() throws -> ProviderTokens {
        let path = ProjectFolder.vectors("WalletTests", on: "Features") + "/Push/AuthKey_TESTKEY001.p8"
        let key = try ES256PrivateKey(pem: Secret(Files.read(path, limit: 4_096)))
        return ProviderTokens(ProviderKey(id: "TESTKEY001", team: "SP4TEST9Z0", key: key))
    }

    private static func parts(_ token: Secret<String>) -> [[UInt8]] {
        token.reveal().split(separator: ".").compactMap { Base64URL.decode(String($0)) }
    }

    @Test func `name key, team and time, and are signed with 64 bytes`() throws {
        let token = try ProviderTokensTests.tokens().token(at: ProviderTokensTests.now)
        let parts = ProviderTokensTests.parts(token)
        #expect(String(decoding: parts[0], as: UTF8.self) == #"{"alg":"ES256","kid":"TESTKEY001"}"#)
        #expect(String(decoding: parts[1], as: UTF8.self) == #"{"iss":"SP4TEST9Z0","iat":1795251600}"#)
        #expect(parts.count == 3 && parts[2].count == 64)
    }

    @Test func `are used for 40 minutes`() throws {
        let tokens = try ProviderTokensTests.tokens()
        let first = try tokens.token(at: ProviderTokensTests.now).reveal()
        #expect(try tokens.token(at: ProviderTokensTests.now + .seconds(2_399)).reveal() == first)
        #expect(try tokens.token(at: ProviderTokensTests.now + .seconds(2_400)).reveal() != first)
    }

    @Test func `are not renewed twice for one that was refused, nor within 20 minutes`() throws {
        let tokens = try ProviderTokensTests.tokens()
        let first = try tokens.token(at: ProviderTokensTests.now)
        #expect(try !tokens.renew(insteadOf: first, at: ProviderTokensTests.now + .seconds(1_199)))
        #expect(try tokens.renew(insteadOf: first, at: ProviderTokensTests.now + .seconds(1_200)))
        let second = try tokens.token(at: ProviderTokensTests.now + .seconds(1_201))
        #expect(second.reveal() != first.reveal())
        // Another push was on its way with the first one: the second is there already.
        #expect(try tokens.renew(insteadOf: first, at: ProviderTokensTests.now + .seconds(1_202)))
        #expect(try tokens.token(at: ProviderTokensTests.now + .seconds(1_203)).reveal() == second.reveal())
    }

    @Test func `go back to the one before where the service has enough of new ones`() throws {
        let tokens = try ProviderTokensTests.tokens()
        let first = try tokens.token(at: ProviderTokensTests.now)
        #expect(try tokens.renew(insteadOf: first, at: ProviderTokensTests.now + .seconds(1_300)))
        tokens.keepOlder(at: ProviderTokensTests.now + .seconds(1_310))
        #expect(try tokens.token(at: ProviderTokensTests.now + .seconds(1_320)).reveal() == first.reveal())
        // No sooner than 20 minutes behind the last one that was made.
        #expect(try tokens.token(at: ProviderTokensTests.now + .seconds(2_499)).reveal() == first.reveal())
        #expect(try tokens.token(at: ProviderTokensTests.now + .seconds(2_500)).reveal() != first.reveal())
    }
}
