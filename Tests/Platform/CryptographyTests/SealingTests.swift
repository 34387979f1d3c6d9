import Cryptography
import Primitives
import Testing

@Suite("A sealed value")
struct SealingTests {
    private let key = Secret([UInt8](repeating: 7, count: 32))
    private let context = Array("flow 1".utf8)
    private let none: [UInt8] = []

    @Test(arguments: [0, 1, 15, 16, 17, 4096])
    func `opens to what was sealed`(count: Int) throws {
        let plaintext = CountingRandom().bytes(count)
        let sealed = try AES256GCM().seal(plaintext, key: key, context: context.span, random: CountingRandom())
        #expect(sealed.count == count + AES256GCM.overhead)
        #expect(try AES256GCM().open(sealed.span, key: key, context: context.span) == plaintext)
    }

    /// The Galois/Counter Mode specification, test cases 14 and 16.
    @Test(arguments: [
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), String(repeating: "00", count: 16),
            "",
            "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                + "b16aedf5aa0de657ba637b39",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                + "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ])
    func `has the published bytes`(key: String, nonce: String, plain: String, context: String, expected: String) throws
    {
        let contextBytes = try #require(Hex.decode(context))
        let sealed = try AES256GCM().seal(
            try #require(Hex.decode(plain)),
            key: Secret(try #require(Hex.decode(key))),
            context: contextBytes.span,
            random: FixedRandom(nonce)
        )
        #expect(Hex.encode(sealed) == nonce + expected)
    }

    @Test func `refuses any changed byte`() throws {
        let sealed = try AES256GCM().seal([1, 2, 3], key: key, context: context.span, random: CountingRandom())
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 0x80
            #expect(throws: CryptographyError.self) {
                try AES256GCM().open(altered.span, key: key, context: context.span)
            }
        }
    }

    @Test func `refuses another key, another context, a cut`() throws {
        let sealed = try AES256GCM().seal([1, 2, 3], key: key, context: context.span, random: CountingRandom())
        let other = Secret([UInt8](repeating: 8, count: 32))
        #expect(code { try AES256GCM().open(sealed.span, key: other, context: context.span) } == .notAuthentic)
        #expect(code { try AES256GCM().open(sealed.span, key: key, context: none.span) } == .notAuthentic)
        for count in 0..<sealed.count {
            #expect(
                code { try AES256GCM().open(Array(sealed.prefix(count)).span, key: key, context: context.span) }
                    == .notAuthentic
            )
        }
    }

    @Test func `opens and is sealed by one context again and again, whatever failed before`() throws {
        let sealer = try AES256GCM()
        let first = try sealer.seal([1, 2, 3], key: key, context: context.span, random: CountingRandom())
        let other = Secret([UInt8](repeating: 9, count: 32))
        #expect(code { try sealer.open(first.span, key: other, context: context.span) } == .notAuthentic)
        let second = try sealer.seal([4], key: other, context: none.span, random: CountingRandom())
        #expect(try sealer.open(first.span, key: key, context: context.span) == [1, 2, 3])
        #expect(try sealer.open(second.span, key: other, context: none.span) == [4])
    }

    @Test(arguments: [0, 16, 31, 33])
    func `takes no key of another length`(count: Int) {
        let key = Secret([UInt8](repeating: 1, count: count))
        #expect(
            code { try AES256GCM().seal([1], key: key, context: none.span, random: CountingRandom()) } == .invalidKey
        )
        let sealed = [UInt8](repeating: 0, count: 40)
        #expect(code { try AES256GCM().open(sealed.span, key: key, context: none.span) } == .invalidKey)
    }

    private func code(_ body: () throws -> [UInt8]) -> CryptographyError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? CryptographyError)?.code
        }
    }
}
