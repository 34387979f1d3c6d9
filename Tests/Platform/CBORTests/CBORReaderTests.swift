import CBOR
import Primitives
import Testing

@Suite("CBOR")
struct CBORReaderTests {
    private static let letters: CBORValue = .map([
        CBOREntry(.text("a"), .text("A")), CBOREntry(.text("b"), .text("B")), CBOREntry(.text("c"), .text("C")),
        CBOREntry(.text("d"), .text("D")), CBOREntry(.text("e"), .text("E")),
    ])
    private static let nested: CBORValue = .array([
        CBORValue(1), .array([CBORValue(2), CBORValue(3)]), .array([CBORValue(4), CBORValue(5)]),
    ])
    private static let mixed: CBORValue = .map([
        CBOREntry(.text("a"), CBORValue(1)), CBOREntry(.text("b"), .array([CBORValue(2), CBORValue(3)])),
    ])
    private static let pair: CBORValue = .array([
        .text("a"), .map([CBOREntry(.text("b"), .text("c"))]),
    ])
    private static let many: CBORValue = .array((1...25).map { CBORValue($0) })

    /// RFC 8949 Appendix A, as far as the model has values for them, in their shortest form.
    static let examples: [(String, CBORValue)] = [
        ("00", CBORValue(0)), ("01", CBORValue(1)), ("0a", CBORValue(10)), ("17", CBORValue(23)),
        ("1818", CBORValue(24)), ("1819", CBORValue(25)), ("1864", CBORValue(100)), ("1903e8", CBORValue(1_000)),
        ("1a000f4240", CBORValue(1_000_000)), ("1b000000e8d4a51000", CBORValue(1_000_000_000_000)),
        ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)), ("20", CBORValue(-1)),
        ("29", CBORValue(-10)), ("3863", CBORValue(-100)), ("3903e7", CBORValue(-1_000)), ("f4", .bool(false)),
        ("f5", .bool(true)), ("f6", .null), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")),
        ("6161", .text("a")), ("6449455446", .text("IETF")), ("62225c", .text("\"\\")), ("62c3bc", .text("\u{FC}")),
        ("63e6b0b4", .text("\u{6C34}")), ("64f0908591", .text("\u{10151}")), ("80", .array([])),
        ("83010203", .array([CBORValue(1), CBORValue(2), CBORValue(3)])), ("8301820203820405", nested),
        ("98190102030405060708090a0b0c0d0e0f101112131415161718181819", many), ("a0", .map([])),
        ("a201020304", .map([CBOREntry(CBORValue(1), CBORValue(2)), CBOREntry(CBORValue(3), CBORValue(4))])),
        ("a26161016162820203", mixed), ("826161a161626163", pair),
        ("a56161614161626142616361436164614461656145", letters),
    ]

    /// RFC 8949 Appendix A: lengths that come at the end.
    static let indefinite: [(String, CBORValue)] = [
        ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])), ("7f657374726561646d696e67ff", .text("streaming")),
        ("9fff", .array([])), ("9f018202039f0405ffff", nested), ("9f01820203820405ff", nested),
        ("83018202039f0405ff", nested), ("83019f0203ff820405", nested),
        ("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", many), ("bf61610161629f0203ffff", mixed),
        ("826161bf61626163ff", pair),
    ]

    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

    @Test(arguments: examples)
    func `is read and written as the examples have it`(text: String, value: CBORValue) throws {
        let bytes = try CBORReaderTests.bytes(text)
        #expect(try CBORValue(bytes) == value)
        #expect(value.encoded == bytes)
    }

    @Test(arguments: indefinite)
    func `may say its lengths at the end`(text: String, value: CBORValue) throws {
        #expect(try CBORValue(CBORReaderTests.bytes(text)) == value)
    }

    @Test(arguments: [("1801", CBORValue(1)), ("1b0000000000000001", CBORValue(1)), ("590001ff", .bytes([0xFF]))])
    func `may have numbers that are longer than they have to be`(text: String, value: CBORValue) throws {
        #expect(try CBORValue(CBORReaderTests.bytes(text)) == value)
    }

    @Test(arguments: [
        ("", CBORError.cut), ("18", .cut), ("1900", .cut), ("41", .cut), ("8101", nil), ("81", .cut), ("a101", .cut),
        ("9f01", .cut), ("5f", .cut), ("5bffffffffffffffff", .cut), ("9bffffffffffffffff", .cut), ("0000", .trailing),
        ("a00000", .trailing), ("1c", .form), ("1f", .form), ("3f", .form), ("fc", .form), ("ff", .form),
        ("5f4100", .cut), ("5f6161ff", .form), ("5f5f4100ffff", .form), ("7f4161ff", .form), ("bf01ff", .form),
        ("81ff", .form), ("6180", .text), ("62c328", .text), ("63eda080", .text), ("7f61c361bcff", .text),
        ("f7", .unsupported), ("f0", .unsupported), ("f8ff", .unsupported), ("f90000", .unsupported),
        ("fb3ff199999999999a", .unsupported), ("c074323031332d30332d3231", .unsupported), ("d9d9f700", .unsupported),
        ("a1f401", .key), ("a1a00101", .key), ("a18001", .key), ("a201000101", .duplicate),
        ("a2616100616101", .duplicate), ("a2010018010000", .duplicate), ("a261610041610100", .trailing),
        ("bf6161007f6161ff01ff", .duplicate),
    ])
    func `is refused where it is none, or has what is not read`(text: String, error: CBORError?) throws {
        let bytes = try CBORReaderTests.bytes(text)
        if let error {
            #expect(throws: error) { try CBORValue(bytes) }
        } else {
            #expect(throws: Never.self) { try CBORValue(bytes) }
        }
    }

    @Test func `has keys that differ by their octets`() throws {
        // The same letter in two spellings.
        let value = CBORValue.map([CBOREntry(.text("\u{E9}"), .null), CBOREntry(.text("e\u{301}"), .null)])
        #expect(try CBORValue(value.encoded).entries?.count == 2)
        #expect(value["\u{E9}"] == .null && value["e"] == nil)
    }

    @Test func `is read to a depth, a number of values and a size`() throws {
        let deep = [UInt8](repeating: 0x81, count: 7) + [0x00]
        #expect(throws: Never.self) { try CBORValue(deep) }
        #expect(throws: CBORError.tooDeep) { try CBORValue([0x81] + deep) }
        #expect(throws: CBORError.tooDeep) { try CBORValue([UInt8](repeating: 0x9F, count: 60_000)) }
        let many = CBORValue.array([CBORValue](repeating: .null, count: 1_023)).encoded
        #expect(throws: Never.self) { try CBORValue(many) }
        #expect(throws: CBORError.tooMany) { try CBORValue(many, limits: CBORLimits(values: 1_023)) }
        let pieces = [0x5F] + [UInt8](repeating: 0x40, count: 5_000) + [0xFF]
        #expect(throws: CBORError.tooMany) { try CBORValue(pieces) }
        #expect(throws: CBORError.tooLarge) { try CBORValue([0x40], limits: CBORLimits(bytes: 0)) }
    }

    @Test func `is read from a position, and tells where it ends`() throws {
        let bytes: [UInt8] = [0xFF, 0x82, 0x01, 0x02, 0xA0]
        let (value, end) = try CBORValue.first(of: bytes, from: 1)
        #expect(value == .array([CBORValue(1), CBORValue(2)]) && end == 4)
        #expect(throws: CBORError.cut) { try CBORValue.first(of: bytes, from: 5) }
        #expect(throws: CBORError.cut) { try CBORValue.first(of: bytes, from: 9) }
    }

    @Test func `gives integers of the machine, and finds entries by name and number`() throws {
        #expect(CBORValue.unsigned(.max).asInteger == nil && CBORValue.negative(.max).asInteger == nil)
        #expect(CBORValue(Int.min).asInteger == .min && CBORValue(Int.max).asInteger == .max)
        let map = CBORValue.map([CBOREntry(CBORValue(-2), .bytes([7])), CBOREntry(.text("fmt"), .text("x"))])
        #expect(map[-2]?.asBytes == [7] && map["fmt"]?.asText == "x" && map[2] == nil && map["x"] == nil)
    }
}
