import Cryptography
import JOSE
import Primitives
import StrictJSON

/// What a team signs provider tokens with, in place of certificates.
struct ProviderKey: Sendable {
    /// As the vendor names it; ten letters and digits.
    let id: String
    let team: String
    let key: ES256PrivateKey
}

/// The provider tokens of one connection.
///
/// One is used for everything until it is 40 minutes old. A new one is made no sooner than 20 minutes after the last, whatever the
/// service says: it refuses who changes them more often. Signing takes 50 µs and suspends nobody, so there is never more than one.
/// Not `Sendable`.
final class ProviderTokens {
    private struct Made {
        let text: String
        let at: WallTime
    }

    private let team: String
    private let signer: JWTSigner
    private var current: Made?
    private var older: Made?
    private var lastMade: WallTime?

    private static let renewal = Duration.seconds(40 * 60)
    private static let least = Duration.seconds(20 * 60)
    /// The service takes none that is older.
    private static let most = Duration.seconds(59 * 60)

    init(_ key: ProviderKey) {
        team = key.team
        signer = JWTSigner(key: key.key, keyID: key.id, type: nil)
    }

    /// The token to send, for `authorization: bearer`.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    func token(at now: WallTime) throws(CryptographyError) -> Secret<String> {
        if let current, isYounger(current.at, than: ProviderTokens.renewal, at: now) || !mayMake(at: now) {
            return Secret(current.text)
        }
        return Secret(try make(at: now))
    }

    /// Makes a new token because the service calls one expired; whether another is there to be sent.
    ///
    /// - Parameter rejected: The one that it has refused; where another has come since, that is it.
    /// - Throws: `failed` where OpenSSL refuses.
    func renew(insteadOf rejected: Secret<String>, at now: WallTime) throws(CryptographyError) -> Bool {
        guard let current, current.text.octets == rejected.reveal().octets else { return true }
        guard mayMake(at: now) else { return false }
        _ = try make(at: now)
        return true
    }

    /// Goes back to the token before the last one, where it is young enough, as the service refuses another.
    func keepOlder(at now: WallTime) {
        guard let older, isYounger(older.at, than: ProviderTokens.most, at: now) else { return }
        current = older
        self.older = nil
    }

    private func make(at now: WallTime) throws(CryptographyError) -> String {
        let text = try signer.sign(claims: ["iss": .string(team), "iat": .number(String(now.seconds))])
        older = current
        current = Made(text: text, at: now)
        lastMade = now
        return text
    }

    private func mayMake(at now: WallTime) -> Bool {
        lastMade.map { !isYounger($0, than: ProviderTokens.least, at: now) } ?? true
    }

    /// A token from the future, after the clock was set back, counts as too old.
    private func isYounger(_ made: WallTime, than age: Duration, at now: WallTime) -> Bool {
        made <= now && now < made + age
    }
}
