import Primitives
import Testing

@testable import Postgres

@Suite struct `Parameters of a call` {
    private let statement = Statement(name: "two", sql: "SELECT $1, $2", parameterTypes: [.int8, .text])

    @Test func `fit a statement with the same types`() {
        var parameters = Parameters()
        parameters.append(int64: 1)
        parameters.append(text: "a")
        #expect(parameters.mismatch(with: statement) == nil)
    }

    @Test func `may be NULL whatever the type is`() {
        var parameters = Parameters()
        parameters.append(int64: nil)
        parameters.appendNull()
        #expect(parameters.mismatch(with: statement) == nil)
        #expect(values(parameters) == [nil, nil])
    }

    @Test func `are refused before they are sent when one is missing`() {
        var parameters = Parameters()
        parameters.append(int64: 1)
        #expect(parameters.mismatch(with: statement)?.sqlState == "08P01")
    }

    @Test func `are refused before they are sent when a type differs`() {
        var parameters = Parameters()
        parameters.append(text: "1")
        parameters.append(text: "a")
        #expect(parameters.mismatch(with: statement)?.sqlState == "42804")
    }

    @Test func `are refused before they are sent when text holds NUL`() {
        var parameters = Parameters()
        parameters.append(int64: 1)
        parameters.append(text: "a\u{0}b")
        #expect(parameters.mismatch(with: statement)?.sqlState == "22021")
    }

    @Test func `are written in network order`() {
        var parameters = Parameters()
        parameters.append(int64: 0x0102_0304_0506_0708)
        parameters.append(int32: -2)
        parameters.append(bool: true)
        parameters.append(uuid: UUIDBytes(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00))
        parameters.append(json: "{}")
        parameters.append(text: "")
        let expected = ["0102030405060708", "fffffffe", "01", "112233445566778899aabbccddeeff00", "017b7d", ""]
        #expect(values(parameters) == expected)
    }

    @Test(arguments: [
        (0, "fffca2fec4c82000"), (946_684_800_000_000, "0000000000000000"), (946_684_800_000_001, "0000000000000001"),
        (Int64.min, "8000000000000001"), (Int64.max, "7ffca2fec4c81fff"),
    ])
    func `count time from the year 2000`(microseconds: Int64, bytes: String) {
        var parameters = Parameters()
        parameters.append(timestamp: WallTime(microseconds: microseconds))
        #expect(values(parameters) == [bytes])
    }

    @Test func `write texts that a body makes like others`() {
        var parameters = Parameters()
        parameters.append(int64: 1)
        parameters.append(ascii: 3) { room in for letter in "abc".utf8 { room.append(letter) } }
        #expect(parameters.mismatch(with: statement) == nil)
        #expect(values(parameters) == ["0000000000000001", "616263"])
        parameters.append(ascii: 2) { room in
            room.append(0)
            room.append(UInt8(ascii: "a"))
        }
        let three = Statement(name: "three", sql: "SELECT $1, $2, $3", parameterTypes: [.int8, .text, .text])
        #expect(parameters.mismatch(with: three)?.sqlState == "22021")
    }
}

/// Each value in hexadecimal digits, `nil` for NULL.
func values(_ parameters: Parameters) -> [String?] {
    var values: [String?] = []
    unsafe parameters.visit { _, _, value in
        values.append(unsafe value.map { memory in unsafe Hex.encode(Array(memory)) })
    }
    return values
}
