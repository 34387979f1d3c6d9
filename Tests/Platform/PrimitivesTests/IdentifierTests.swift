import Primitives
import TestKit
import Testing

@Suite struct `A UUID` {
    @Test func `of version 7 carries its time, its version and its variant`() {
        // The example of RFC 9562 appendix A.6: 2022-02-22T19:22:22Z.
        let uuid = UUIDBytes(
            version7At: WallTime(microseconds: 0x017F_22E2_79B0 * 1_000 + 999),
            random: FixedRandom([0xFC, 0xC3, 0xD8, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F])
        )
        #expect(uuid.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    }

    @Test func `of version 7 sorts by time, in bytes and in text`() {
        let random = SeededRandom(seed: 2)
        let times = [0, 1, 999, 1_700_000_000_000, 1_700_000_000_001, 281_474_976_710_655].map {
            WallTime(microseconds: $0 * 1_000)
        }
        let uuids = times.map { UUIDBytes(version7At: $0, random: random) }
        #expect(uuids.sorted() == uuids)
        #expect(uuids.map(\.description).sorted() == uuids.map(\.description))
        #expect(uuids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) } == uuids)
    }

    @Test func `of version 7 before 1970 counts as 1970`() {
        let uuid = UUIDBytes(version7At: WallTime(seconds: -5), random: SeededRandom(seed: 2))
        #expect(uuid.high >> 16 == 0)
    }

    @Test func `of version 7 does not repeat in one millisecond`() {
        let random = SeededRandom(seed: 9)
        let time = WallTime(seconds: 1)
        #expect(Set((0..<1_000).map { _ in UUIDBytes(version7At: time, random: random) }).count == 1_000)
    }

    @Test(arguments: [
        "00000000-0000-0000-0000-000000000000", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ])
    func `passes through text and bytes`(text: String) throws {
        let uuid = try #require(UUIDBytes(text))
        #expect(uuid.description == text)
        #expect(UUIDBytes(text.uppercased()) == uuid)
        let bytes = uuid.bytes
        #expect(bytes.count == 16)
        #expect(UUIDBytes(bytes.span) == uuid)
    }

    @Test(arguments: [
        "", "017f22e279b07cc398c4dc0c0c07398f", "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e279b0--7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c0739-f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff", "017f22e2_79b0_7cc3_98c4_dc0c0c07398f",
    ])
    func `is refused in any other form`(text: String) {
        #expect(UUIDBytes(text) == nil)
    }

    @Test(arguments: [0, 15, 17, 32])
    func `is refused in any other number of bytes`(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(UUIDBytes(bytes.span) == nil)
    }
}

@Suite struct `A digest` {
    @Test func `passes through bytes and hides most of itself in text`() throws {
        let bytes = SeededRandom(seed: 4).bytes(32)
        let made = Digest32(bytes.span)
        let digest = try #require(made)
        #expect(digest.bytes == bytes)
        #expect("\(digest)" == Hex.encode(Array(bytes.prefix(4))))
        #expect(digest.hexadecimal == Hex.encode(bytes))
        #expect(Digest32(bytes.span) == digest)
        #expect(Digest32(bytes.span).hashValue == Optional(digest).hashValue)
    }

    @Test func `differs in every bit`() throws {
        let bytes = SeededRandom(seed: 4).bytes(32)
        let made = Digest32(bytes.span)
        let digest = try #require(made)
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Digest32(other.span) != digest)
        }
    }

    @Test(arguments: [0, 31, 33, 64])
    func `has 32 bytes`(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(Digest32(bytes.span) == nil)
    }
}

@Suite struct `A secret` {
    private struct Holder {
        let key = Secret("hunter2")
    }

    @Test func `is in no text that is made of it or of what holds it`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(Holder(), to: &dumped)
        for text in [
            "\(secret)", String(reflecting: secret), "\(Holder())", String(reflecting: Holder()), dumped, "\([secret])",
        ] {
            #expect(!text.contains("hunter2"))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.reveal() == "hunter2")
    }
}

/// Gives out the bytes it was made with, in order.
private final class FixedRandom: RandomSource {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    func append(_ count: Int, to output: inout [UInt8]) {
        output.append(contentsOf: bytes.prefix(count))
        bytes = bytes.dropFirst(count)
    }
}
