import Cryptography
import Primitives
import Testing

@testable import Wallet

@Suite struct `The secrets of a pass` {
    private static let old = String(repeating: "11", count: 32)
    private static let new = String(repeating: "22", count: 32)
    private static let type = "pass.com.example.a"
    private static let serial = "5A3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90"
    private static let account = UUIDBytes(high: 1, low: 2)

    private func secrets(_ lines: String...) throws -> PassSecrets {
        try PassSecrets(Keyring(Array((lines.joined(separator: "\n") + "\n").utf8)))
    }

    @Test func `are a token of 32 characters that differs by serial number, type and key`() throws {
        let secrets = try secrets("1 \(Self.old)", "7 \(Self.new)")
        let token = try #require(secrets.token(of: Self.serial, Self.type, secret: 1)).reveal()
        #expect(token.utf8.count == 32)
        #expect(Base64URL.decode(token)?.count == 24)
        let others = [
            secrets.token(of: Self.serial, Self.type, secret: 7), secrets.token(of: Self.serial, "pass.b", secret: 1),
            secrets.token(of: "A", Self.type, secret: 1),
            // Nothing moves over the border between two parts.
            secrets.token(of: "a" + Self.serial, "pass.com.example.", secret: 1),
        ]
        #expect(Set(others.map { $0?.reveal() }).count == 4)
        #expect(!others.contains { $0?.reveal() == token })
    }

    /// Cards on phones have these for years.
    ///
    /// Computed by HKDF and HMAC of another program.
    @Test func `are the same in every version of the program`() throws {
        let secrets = try secrets("1 \(Self.old)")
        let token = secrets.token(of: Self.serial, Self.type, secret: 1)?.reveal()
        #expect(token == "mCQmmJnI6kx-4wLkSDDKO1O0X9O4O_cD")
        #expect(secrets.linkKey(of: Self.account, secret: 1, link: 1)?.reveal() == "d6wsV3TBaXxLH731zsi5zw")
    }

    @Test func `outlive a new key, and go with the old one`() throws {
        let before = try secrets("1 \(Self.old)")
        let token = try #require(before.token(of: Self.serial, Self.type, secret: before.newest)).reveal()
        let both = try secrets("1 \(Self.old)", "2 \(Self.new)")
        #expect(both.newest == 2)
        #expect(both.secret(behind: token.utf8Span.span, of: Self.serial, Self.type) == 1)
        let after = try secrets("2 \(Self.new)")
        #expect(after.secret(behind: token.utf8Span.span, of: Self.serial, Self.type) == nil)
    }

    @Test(arguments: ["", "x", String(repeating: "A", count: 32), String(repeating: "A", count: 8_000)])
    func `are not guessed`(text: String) throws {
        #expect(try secrets("1 \(Self.old)").secret(behind: text.utf8Span.span, of: Self.serial, Self.type) == nil)
    }

    @Test func `open a link of a member until there is another one`() throws {
        let secrets = try secrets("1 \(Self.old)")
        let key = try #require(secrets.linkKey(of: Self.account, secret: 1, link: 1)).reveal()
        #expect(Base64URL.decode(key)?.count == 16)
        #expect(secrets.isKey(key, of: Self.account, secret: 1, link: 1))
        #expect(!secrets.isKey(key, of: Self.account, secret: 1, link: 2))
        #expect(!secrets.isKey(key, of: UUIDBytes(high: 1, low: 3), secret: 1, link: 1))
        #expect(!secrets.isKey("", of: Self.account, secret: 1, link: 1))
    }
}
