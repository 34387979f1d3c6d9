import Cryptography
import Primitives
import TestKit
import Testing
import Webhooks

@Suite("The vault")
struct VaultTests {
    private let random = SeededRandom(seed: 9)
    private let endpoint = UUIDBytes(high: 1, low: 2)

    private func vault(_ byte: UInt8 = 1) throws -> WebhookVault {
        try WebhookVault(Keyring([UInt8](repeating: byte, count: 32)))
    }

    @Test func `gives back the key that was sealed`() throws {
        let key = WebhookKey.mint(random: random)
        let sealed = try vault().seal(key, of: endpoint, random: random)
        #expect(sealed.id == key.id)
        let bytes = key.secret.reveal()
        #expect(sealed.sealed.count == bytes.count + KeyringSeal.overhead)
        #expect(!sealed.sealed.indices.contains { sealed.sealed[$0...].starts(with: bytes.prefix(8)) })
        #expect(try vault().open(sealed, of: endpoint).secret.reveal() == bytes)
    }

    @Test func `opens nothing under another secret, for another endpoint or under another name`() throws {
        let key = WebhookKey.mint(random: random)
        let sealed = try vault().seal(key, of: endpoint, random: random)
        #expect(throws: CryptographyError.self) { try vault(2).open(sealed, of: endpoint) }
        #expect(throws: CryptographyError.self) { try vault().open(sealed, of: UUIDBytes(high: 1, low: 3)) }
        let renamed = SealedWebhookKey(id: "whk_other", sealed: sealed.sealed)
        #expect(throws: CryptographyError.self) { try vault().open(renamed, of: endpoint) }
        var altered = sealed.sealed
        altered[20] ^= 1
        let changed = SealedWebhookKey(id: sealed.id, sealed: altered)
        #expect(throws: CryptographyError.self) { try vault().open(changed, of: endpoint) }
    }
}
