import Cryptography
import Primitives

/// Derives what opens a pass or its download link, and recognises it; nothing of it is stored.
///
/// A pass and a link keep the number of the secret for life. One per loop, not `Sendable`.
final class PassSecrets {
    /// The number of the secret for what is new.
    let newest: Int
    private let numbers: [Int]
    private let keys: [Int: Secret<[UInt8]>]
    private let mac: HMACSHA256

    /// How many bytes of a tag are a token of a pass, and a key of a link.
    private static let tokenLength = 24
    private static let linkLength = 16

    /// The secrets of a keyring.
    ///
    /// - Throws: `failed` where OpenSSL does not offer the algorithms.
    init(_ keyring: Keyring) throws(CryptographyError) {
        mac = try HMACSHA256()
        newest = keyring.newest
        numbers = keyring.numbers
        keys = try keyring.keys(for: "wallet")
    }

    /// The authentication token of a pass; `nil` where its secret is not in the keyring.
    func token(of serial: String, _ passType: String, secret number: Int) -> Secret<String>? {
        derived(["pass-token", String(number), passType, serial], number, PassSecrets.tokenLength).map {
            Secret(Base64URL.encode($0))
        }
    }

    /// The number of the secret that a token of a pass is derived from; `nil` for one that is derived from none.
    ///
    /// Takes as long whatever the token is, and asks nobody whether there is such a pass.
    func secret(behind token: Span<UInt8>, of serial: String, _ passType: String) -> Int? {
        var found: Int?
        for number in numbers {
            guard let own = self.token(of: serial, passType, secret: number) else { continue }
            if constantTimeEqual(token, own.reveal().utf8Span.span) { found = number }
        }
        return found
    }

    /// The key in a member's download link; `nil` where its secret is not in the keyring.
    ///
    /// - Parameter link: How many links the member has had.
    func linkKey(of account: UUIDBytes, secret number: Int, link: Int) -> Secret<String>? {
        derived(["link", String(number), account.description, String(link)], number, PassSecrets.linkLength).map {
            Secret(Base64URL.encode($0))
        }
    }

    /// Whether a text is the key of a link.
    func isKey(_ text: String, of account: UUIDBytes, secret number: Int, link: Int) -> Bool {
        guard let key = linkKey(of: account, secret: number, link: link) else { return false }
        return constantTimeEqual(text.utf8Span.span, key.reveal().utf8Span.span)
    }

    /// Parts have no NUL, which stands between them.
    private func derived(_ parts: [String], _ number: Int, _ count: Int) -> [UInt8]? {
        guard let key = keys[number]?.reveal() else { return nil }
        var message: [UInt8] = []
        for part in parts {
            message += Array(part.utf8)
            message.append(0)
        }
        return Array(mac.tag(of: message.span, key: key.span).bytes.prefix(count))
    }
}
