package import Cryptography
import JOSE
import Primitives
import StrictJSON

/// A key that provider tokens are signed with.
package struct ProviderKey: Sendable {
    let id: String
    let team: String
    let key: JWSVerificationKey

    /// A key.
    ///
    /// - Parameters:
    ///   - id: Ten capitals and digits.
    ///   - team: Likewise.
    package init(id: String, team: String, key: ES256PublicKey) {
        self.id = id
        self.team = team
        self.key = JWSVerificationKey(key)
    }
}

/// A provider token that was read, RFC 7519; its signature is good.
struct ProviderToken: Sendable, Equatable {
    /// As it came; what is equal in it is equal in all.
    let text: String
    let keyID: String
    let team: String
    let issuedAt: WallTime

    /// How long a token may be used.
    static let lifetime = Duration.seconds(3_600)
    /// How often a client may come with a new one.
    static let updateInterval = Duration.seconds(20 * 60)
    /// How far ahead a client's clock may be.
    private static let leeway = Duration.seconds(60)

    /// Reads a token.
    ///
    /// - Parameter authorization: The value of the field.
    /// - Throws: The service's reason.
    init(_ authorization: String, keys: [ProviderKey], now: WallTime) throws(PushReason) {
        let words = authorization.octets.parts(between: UInt8(ascii: " "), keepingEmpty: false)
        guard words.count == 2, words[0].lowercased().octets == "bearer" else { throw .invalidProviderToken }
        text = words[1]
        guard let token = try? CompactJWS(text), let id = token.header.keyID,
            let key = keys.first(where: { $0.id.octets == id.octets }),
            token.payload["iss"]?.text?.octets == key.team.octets, let seconds = token.payload["iat"]?.integer,
            (0...4_102_444_800).contains(seconds), token.isSigned(with: key.key)
        else { throw .invalidProviderToken }
        (keyID, team, issuedAt) = (key.id, key.team, WallTime(seconds: Int64(seconds)))
        guard issuedAt <= now + Self.leeway else { throw .invalidProviderToken }
        guard now < issuedAt + Self.lifetime else { throw .expiredProviderToken }
    }

    static func == (one: ProviderToken, other: ProviderToken) -> Bool { one.text.octets == other.text.octets }
}

extension CompactJWS {
    fileprivate func isSigned(with key: JWSVerificationKey) -> Bool {
        do throws(JWSError) {
            try verify(with: key, allowing: [.es256])
            return true
        } catch {
            return false
        }
    }
}

extension PushReason: Error {}
