import Cryptography
import DeviceAttestation
import JOSE
import Primitives
import StrictJSON
import Testing

@Suite("A device token")
struct DeviceTokenTests {
    private static let text = Base64.encode([UInt8](repeating: 0xFB, count: 2_000))

    @Test func `is sent as it came`() throws {
        #expect(try DeviceToken(Self.text).reveal() == Self.text)
    }

    @Test func `is in the one form that Base64 has`() {
        let text = Self.text
        let others = [
            "", " ", text + " ", " " + text, text + "\n", String(text.dropLast()), text + "=", text + "====",
            text.replacing("+", with: "-"), text.replacing("/", with: "_"),
            text.prefix(76) + "\r\n" + text.dropFirst(76),
            "é" + text.dropFirst(2), String(text.dropLast(2)) + "9=",
        ]
        for other in others where other != "" {
            #expect(throws: DeviceTokenRefusal.form, "\(other.prefix(20))") { try DeviceToken(other) }
        }
        #expect(throws: DeviceTokenRefusal.short) { try DeviceToken("") }
    }

    @Test func `has so many bytes`() throws {
        func token(_ count: Int) throws { _ = try DeviceToken(Base64.encode([UInt8](repeating: 1, count: count))) }
        try token(100)
        try token(16_384)
        #expect(throws: DeviceTokenRefusal.short) { try token(99) }
        #expect(throws: DeviceTokenRefusal.long) { try token(16_385) }
        #expect(throws: DeviceTokenRefusal.long) { try token(1_000_000) }
    }

    @Test func `is known again by a hash of its bytes with a key`() throws {
        let hmac = try HMACSHA256()
        let (one, other) = (Secret([UInt8](repeating: 1, count: 32)), Secret([UInt8](repeating: 2, count: 32)))
        let token = try DeviceToken(Self.text)
        let octets = [UInt8](repeating: 0xFB, count: 2_000)
        #expect(try token.hash(one, with: hmac) == HMACSHA256.tag(of: octets, key: one.reveal()))
        #expect(token.hash(one, with: hmac) != token.hash(other, with: hmac))
    }

    @Test func `is in no description`() throws {
        let token = try DeviceToken(Self.text)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains(Self.text.prefix(16)) && !text.contains("251"))
        }
    }

    @Test func `is sent with both bits, one id and the time in milliseconds`() throws {
        let token = try DeviceToken(Self.text)
        let id = UUIDBytes(high: 0x4A4B_0000_0000_4000, low: 0x8000_0000_0000_0001)
        let now = WallTime(microseconds: 1_795_900_000_123_999)
        let update = DeviceCheckRequest.update(DeviceBits(bit0: true, bit1: false))
        let common =
            #""device_token":"\#(Self.text)","transaction_id":"4a4b0000-0000-4000-8000-000000000001","timestamp":1795900000123"#
        #expect(
            String(decoding: update.content(token, transactionID: id, at: now), as: UTF8.self)
                == "{\(common),\"bit0\":true,\"bit1\":false}"
        )
        for request in [DeviceCheckRequest.query, .validate] {
            #expect(
                String(decoding: request.content(token, transactionID: id, at: now), as: UTF8.self) == "{\(common)}"
            )
        }
        #expect(update.call.path == "/v1/update_two_bits")
    }
}

@Suite("A bearer token of the DeviceCheck service")
struct DeviceBearerTokenTests {
    private let now = WallTime(seconds: 1_795_900_000)

    private func maker(
        _ id: String = "ABC123DEFG",
        life: Duration = .seconds(1_800)
    ) throws -> (DeviceBearerTokenMaker, ES256PrivateKey) {
        let key = try ES256PrivateKey(pem: ES256PrivateKey.generatePEM())
        return (DeviceBearerTokenMaker(key: key, keyID: id, teamID: "TEAM123456", life: life), key)
    }

    @Test func `says who asks, and nothing of another service`() throws {
        let (maker, key) = try maker()
        let token = try CompactJWS(Array(maker.token(at: now).text.reveal().utf8))
        try token.verify(with: JWSVerificationKey(of: key), allowing: [.es256])
        #expect(token.header.algorithm == .es256 && token.header.keyID == "ABC123DEFG")
        #expect(token.payload == ["iss": "TEAM123456", "iat": 1_795_900_000])
    }

    @Test func `is one for all calls of half an hour`() throws {
        let tokens = DeviceBearerTokens(try maker().0)
        let first = try tokens.token(at: now).reveal()
        #expect(try tokens.token(at: now + .seconds(1_799)).reveal() == first)
        let second = try tokens.token(at: now + .seconds(1_800)).reveal()
        #expect(second != first && tokens.made == now + .seconds(1_800))
        // A clock that was set back: Apple takes no token of the future.
        #expect(try tokens.token(at: now).reveal() != second)
    }

    @Test func `that Apple refuses is dropped, and no other`() throws {
        let tokens = DeviceBearerTokens(try maker().0)
        let first = try tokens.token(at: now)
        tokens.drop(first)
        let second = try tokens.token(at: now)
        #expect(second.reveal() != first.reveal())
        tokens.drop(first)
        #expect(try tokens.token(at: now).reveal() == second.reveal())
    }

    @Test func `is of the new key from a change on`() throws {
        let tokens = DeviceBearerTokens(try maker().0)
        _ = try tokens.token(at: now)
        let (other, key) = try maker("ZZZ123DEFG")
        tokens.replace(other)
        let token = try CompactJWS(Array(tokens.token(at: now).reveal().utf8))
        try token.verify(with: JWSVerificationKey(of: key), allowing: [.es256])
        #expect(token.header.keyID == "ZZZ123DEFG")
    }

    @Test func `lives between 20 and 50 minutes`() throws {
        #expect(try maker(life: .seconds(1)).0.life == .seconds(1_200))
        #expect(try maker(life: .seconds(9_999)).0.life == .seconds(3_000))
    }
}
