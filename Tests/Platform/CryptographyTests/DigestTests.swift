import Cryptography
import Primitives
import Testing

@Suite("A digest, a tag, a derived key")
struct DigestTests {
    /// FIPS 180-4 examples, and a message of several blocks.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 gives the published digest, with and without a kept context`(text: String, hex: String) throws {
        let context = try SHA256()
        let bytes = Array(text.utf8)
        #expect(Hex.encode(SHA256.digest(of: bytes).bytes) == hex)
        #expect(Hex.encode(context.digest(of: bytes.span).bytes) == hex)
        #expect(Hex.encode(context.digest(of: bytes.span).bytes) == hex)
        let half = bytes.count / 2
        #expect(
            context.digest(of: Array(bytes.prefix(half)).span, then: Array(bytes.dropFirst(half)).span)
                == SHA256.digest(of: bytes)
        )
    }

    @Test func `SHA-256 of a million letters matches`() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let hex = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(Hex.encode(SHA256.digest(of: bytes).bytes) == hex)
    }

    /// RFC 4231 cases 1 to 3 and 6: key, message, tag.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            String(repeating: "aa", count: 131),
            "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `HMAC gives the published tag, whatever key the context held before`(
        key: String,
        message: String,
        hex: String
    ) throws {
        let context = try HMACSHA256()
        let keyBytes = try #require(Hex.decode(key))
        let messageBytes = try #require(Hex.decode(message))
        _ = context.tag(of: keyBytes.span, key: messageBytes.span)
        #expect(Hex.encode(context.tag(of: messageBytes.span, key: keyBytes.span).bytes) == hex)
        #expect(Hex.encode(try HMACSHA256.tag(of: messageBytes, key: keyBytes).bytes) == hex)
    }

    @Test func `HMAC takes an empty key and an empty message`() throws {
        let context = try HMACSHA256()
        _ = context.tag(of: [1].span, key: [2].span)
        let empty: [UInt8] = []
        let hex = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        #expect(Hex.encode(context.tag(of: empty.span, key: empty.span).bytes) == hex)
    }

    /// RFC 5869 appendix A.1 to A.3: secret, salt, info, count, key.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9", 42,
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            Hex.encode((0x00...0x4F).map { UInt8($0) }), Hex.encode((0x60...0xAF).map { UInt8($0) }),
            Hex.encode((0xB0...0xFF).map { UInt8($0) }), 82,
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
        (
            String(repeating: "0b", count: 22), "", "", 42,
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ])
    func `HKDF gives the published key`(
        secret: String,
        salt: String,
        info: String,
        count: Int,
        hex: String
    ) throws {
        let secretBytes = try #require(Hex.decode(secret))
        let saltBytes = try #require(Hex.decode(salt))
        let key = try HKDFSHA256.derive(
            from: secretBytes.span,
            salt: saltBytes.span,
            info: try #require(Hex.decode(info)),
            count: count,
            using: HMACSHA256()
        )
        #expect(Hex.encode(key.reveal()) == hex)
    }

    @Test(arguments: [0, -1, HKDFSHA256.limit + 1])
    func `HKDF refuses a count it cannot serve`(count: Int) throws {
        let error = try #require(throws: CryptographyError.self) {
            try derive(count)
        }
        #expect(error.code == .invalidKey)
    }

    @Test func `HKDF serves the greatest count`() throws {
        #expect(try derive(HKDFSHA256.limit).reveal().count == 8160)
    }

    private func derive(_ count: Int) throws -> Secret<[UInt8]> {
        let salt: [UInt8] = []
        return try HKDFSHA256.derive(from: [1].span, salt: salt.span, info: [], count: count, using: HMACSHA256())
    }
}
