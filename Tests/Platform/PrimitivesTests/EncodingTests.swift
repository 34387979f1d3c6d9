import Primitives
import TestKit
import Testing

@Suite struct `Base 64 for URLs` {
    /// RFC 4648 section 10, without padding, and the two characters that set this alphabet apart.
    static let vectors: [(bytes: [UInt8], text: String)] = [
        ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"), (Array("foo".utf8), "Zm9v"),
        (Array("foob".utf8), "Zm9vYg"), (Array("fooba".utf8), "Zm9vYmE"), (Array("foobar".utf8), "Zm9vYmFy"),
        ([0xFB, 0xEF, 0xBE], "----"), ([0xFF, 0xFF, 0xFF], "____"), ([0], "AA"), ([0, 0], "AAA"),
    ]

    @Test(arguments: vectors)
    func `writes and reads the vectors of the standard`(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test(arguments: [
        "Z", "Zg=", "Zg==", "Zh", "Zm9", "Zm8=", "Zm9vY", "Zm9v\n", " Zg", "Zg ", "Zm+v", "Zm/v", "Zm9vYh", "Zmé",
        "\u{FF21}A",
    ])
    func `reads only the one form that it writes`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `brings every length of random bytes back`() {
        let random = SeededRandom(seed: 1)
        for count in 0..<100 {
            let bytes = random.bytes(count)
            let text = Base64URL.encode(bytes)
            #expect(text.utf8.count == (count * 4 + 2) / 3)
            #expect(Base64URL.decode(text) == bytes)
        }
    }

    @Test func `knows its 64 characters`() {
        let known = (0...255).map { UInt8($0) }.filter(Base64URL.contains)
        #expect(
            String(decoding: known, as: UTF8.self)
                == "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
        )
    }

    @Test func `is appended to what is there`() {
        var output = Array("x=".utf8)
        let bytes: [UInt8] = [1, 2, 3, 4]
        Base64URL.append(bytes.span, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "x=AQIDBA")
    }
}

@Suite struct `Hexadecimal text` {
    @Test(
        arguments: [
            ([], ""), ([0], "00"), ([0x0F, 0xF0], "0ff0"), ([0xDE, 0xAD, 0xBE, 0xEF], "deadbeef"),
        ] as [([UInt8], String)]
    )
    func `is written in lower case and read in both`(bytes: [UInt8], text: String) {
        #expect(Hex.encode(bytes) == text)
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "0g", "0x00", " 00", "00 ", "0\u{660}", "-1"])
    func `is refused when it is none`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}

@Suite struct `Decimal digits` {
    @Test(arguments: [
        ("0", 0), ("7", 7), ("10", 10), ("65535", 65_535), ("9223372036854775807", Int.max),
    ])
    func `are read strictly`(text: String, number: Int) {
        #expect(DecimalDigits.parse(text.utf8Span.span, limit: .max) == number)
    }

    @Test(arguments: [
        "", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "1e3", "\u{0661}", "9223372036854775808", "99999999999999999999",
    ])
    func `are refused when they are no plain number`(text: String) {
        #expect(DecimalDigits.parse(text.utf8Span.span, limit: .max) == nil)
    }

    @Test func `are refused above the limit`() {
        #expect(DecimalDigits.parse("16384".utf8Span.span, limit: 16_384) == 16_384)
        #expect(DecimalDigits.parse("16385".utf8Span.span, limit: 16_384) == nil)
    }

    @Test(arguments: [0, 7, 10, 999, 1_000, -1, -120, Int.max, Int.min])
    func `are written as Swift writes them`(number: Int) {
        var output: [UInt8] = []
        DecimalDigits.append(number, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == String(number))
    }
}

@Suite struct `Comparison in constant time` {
    @Test(
        arguments: [
            ([], [], true), ([1, 2], [1, 2], true), ([1, 2], [1, 3], false), ([1, 2], [0, 2], false),
            ([1], [1, 2], false),
            ([0x80], [0], false),
        ] as [([UInt8], [UInt8], Bool)]
    )
    func `agrees with ordinary comparison`(left: [UInt8], right: [UInt8], isEqual: Bool) {
        let result = constantTimeEqual(left.span, right.span)
        #expect(result == isEqual)
    }

    @Test func `sees a difference of one bit anywhere`() {
        let bytes = SeededRandom(seed: 3).bytes(32)
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            let isEqual = constantTimeEqual(bytes.span, other.span)
            #expect(!isEqual)
        }
    }
}
