import Cryptography
import Primitives
import TestKit
import Testing

@Suite("A keyring")
struct KeyringTests {
    private static let one = String(repeating: "1a", count: 32)
    private static let two = String(repeating: "2b", count: 48)

    private func keyring(_ text: String) throws -> Keyring { try Keyring(Array(text.utf8)) }

    @Test(
        arguments: [
            "1 \(one)\n2 \(two)\n", "2 \(two)\r\n1 \(one.uppercased())", "\n1 \(one)\n\n2 \(two)\n\n",
        ]
    )
    func `is read line by line, in whatever order, and the highest number seals`(text: String) throws {
        let keyring = try keyring(text)
        #expect((keyring.numbers, keyring.newest) == ([1, 2], 2))
        #expect(try keyring.secret(1).reveal() == [UInt8](repeating: 0x1A, count: 32))
        #expect(try keyring.secret(2).reveal() == [UInt8](repeating: 0x2B, count: 48))
    }

    @Test(
        arguments: [
            Array(one.utf8), Array("\(one)\n".utf8), [UInt8](repeating: 0, count: 32),
            // Random bytes that begin as a line does.
            Array("7 ".utf8) + [UInt8](repeating: 0x93, count: 40),
            Array("two lines of text, but\nwithout a number".utf8),
        ]
    )
    func `of a file without numbers is all of it`(content: [UInt8]) throws {
        let keyring = try Keyring(content)
        #expect(keyring.numbers == [1])
        #expect(try keyring.secret(1).reveal() == content)
    }

    @Test(
        arguments: [
            ("", "fewer than 32"), ("\n", "fewer than 32"), (String(repeating: "s", count: 31), "fewer than 32"),
            ("1 \(String(repeating: "aa", count: 31))", "line 1: key 1 has fewer than 32"),
            ("0 \(one)", "line 1 is not"),
            ("65536 \(one)", "line 1 is not"), ("99999999999999999999 \(one)", "line 1 is not"),
            ("01 \(one)", "line 1 is not"),
            ("1 \(one)\n2 \(two)x", "line 2 is not"), ("1 \(one)\nl \(two)", "line 2 is not"),
            ("1 \(one)\n\(two)", "line 2 is not"),
            ("\(one)\n2 \(two)", "line 1 is not"), ("1  \(one)", "line 1 is not"), ("1 \(one) ", "line 1 is not"),
            ("1 \(one)0", "line 1 is not"), ("1 ", "line 1: key 1 has fewer than 32"),
            ("1 \(one)\n1 \(two)", "two lines have the number 1"),
        ]
    )
    func `is refused as a whole for one bad line, without a word of what is in it`(text: String, why: String) {
        let error = #expect(throws: CryptographyError.self) { try keyring(text) }
        #expect(error?.code == .invalidKey)
        #expect(error?.detail.hasPrefix(why) == true, "\(error?.detail ?? "")")
        for secret in ["1a1a", "2b2b", "aaaa", "ssss"] { #expect(error?.detail.contains(secret) == false) }
    }

    // MARK: Sealing

    private let random = SeededRandom(seed: 4)
    private let row = ["0a", "b"]
    private let value = Array("a value of some length".utf8)

    private func seal(_ text: String, _ purpose: String = "test") throws -> KeyringSeal {
        try KeyringSeal(try keyring(text), purpose: purpose)
    }

    @Test func `seals under the newest key and opens what is under each`() throws {
        let (old, both, new) = ("1 \(Self.one)", "1 \(Self.one)\n2 \(Self.two)", "2 \(Self.two)")
        let first = try seal(old).seal(value, of: row, random: random)
        let second = try seal(both).seal(value, of: row, random: random)
        #expect((KeyringSeal.number(of: first), KeyringSeal.number(of: second)) == (1, 2))
        #expect(first.count == value.count + KeyringSeal.overhead)
        for sealed in [first, second] { #expect(try seal(both).open(sealed, of: row) == value) }
        #expect(try seal(new).open(second, of: row) == value)
        let error = #expect(throws: CryptographyError.self) { try seal(new).open(first, of: row) }
        #expect(error?.code == .unknownKey && error?.detail.contains("key 1 ") == true)
    }

    @Test func `opens nothing of another row, purpose or number, nor what was altered or cut`() throws {
        let both = "1 \(Self.one)\n258 \(Self.two)"
        let sealed = try seal(both).seal(value, of: row, random: random)
        #expect(KeyringSeal.number(of: sealed) == 258)
        // Parts that are the same text together are not the same identity.
        for other in [["0a", "c"], ["0ab"], ["0", "ab"], ["0a"], ["0a", "b", ""], []] {
            #expect(throws: CryptographyError.self) { try seal(both).open(sealed, of: other) }
        }
        #expect(throws: CryptographyError.self) { try seal(both, "other").open(sealed, of: row) }
        #expect(throws: CryptographyError.self) { try seal(both).open([0, 1] + sealed.dropFirst(2), of: row) }
        for place in sealed.indices {
            var altered = sealed
            altered[place] ^= 1
            #expect(throws: CryptographyError.self) { try seal(both).open(altered, of: row) }
        }
        for count in [0, 1, 2, 3, 29, sealed.count - 1] {
            #expect(throws: CryptographyError.self) { try seal(both).open(Array(sealed.prefix(count)), of: row) }
        }
        #expect(KeyringSeal.number(of: Array(sealed.prefix(29))) == nil)
    }
}
