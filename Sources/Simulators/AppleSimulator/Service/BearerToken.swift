package import JOSE
import Primitives
import StrictJSON

/// A key that a developer was given to sign tokens of requests with.
package struct APIKey: Sendable {
    let id: String
    let issuer: String
    let key: JWSVerificationKey

    /// A key.
    ///
    /// - Parameters:
    ///   - id: As the header of a token names it.
    ///   - issuer: The developer's, a text.
    package init(id: String, issuer: String, key: JWSVerificationKey) {
        (self.id, self.issuer, self.key) = (id, issuer, key)
    }
}

/// The token of a request, RFC 7519, whatever it is worth.
struct BearerToken {
    /// How far ahead a client's clock may be, in seconds.
    static let leeway = 60
    /// Seconds since 1970 that a token may name, up to 2100: it is told from milliseconds.
    static let times = 0...4_102_444_800

    private let token: CompactJWS

    /// The token of a field; `nil` where there is none that can be read.
    ///
    /// - Parameters:
    ///   - authorization: The value of the field; `nil` where there is none.
    ///   - mayBeBare: Whether the word in front of it may be missing.
    init?(_ authorization: String?, mayBeBare: Bool = false) {
        let words = (authorization ?? "").octets.parts(between: UInt8(ascii: " "), keepingEmpty: false)
        let isBare = mayBeBare && words.count == 1
        guard isBare || (words.count == 2 && words[0].octets.lowercase.octets == "bearer"), let last = words.last,
            let token = try? CompactJWS(last)
        else { return nil }
        self.token = token
    }

    /// The id of the key that it names.
    var keyID: String? { token.header.keyID }

    /// What it says, where one of the keys has signed it in the name of its issuer.
    func claims(signedBy keys: [APIKey]) -> JSONValue? {
        guard let id = keyID, let key = keys.first(where: { $0.id.octets == id.octets }),
            (try? token.verify(with: key.key, allowing: [.es256])) != nil,
            token.payload["iss"]?.text?.octets == key.issuer.octets
        else { return nil }
        return token.payload
    }
}

// The API of the App Store.
extension BearerToken {
    private static let audience = "appstoreconnect-v1"
    /// How long a token may be good.
    private static let lifetime = 3_600

    /// Whether a request with a token is served.
    ///
    /// - Parameters:
    ///   - authorization: The value of the field; `nil` where there is none.
    ///   - bundle: Of the app that is asked about.
    static func isGood(
        _ authorization: String?,
        keys: [APIKey],
        bundle: String,
        now: WallTime
    ) -> Bool {
        guard let claims = BearerToken(authorization)?.claims(signedBy: keys),
            claims["aud"]?.text?.octets == audience.octets, claims["bid"]?.text?.octets == bundle.octets
        else { return false }
        return isTimely(claims, Int(now.seconds))
    }

    /// The library of the vendor for Python leaves `iat` out, and is served.
    private static func isTimely(_ claims: JSONValue, _ now: Int) -> Bool {
        guard let end = claims["exp"]?.integer, times.contains(end), end > now else { return false }
        guard let given = claims["iat"] else { return end - now <= lifetime }
        guard let start = given.integer, times.contains(start) else { return false }
        return start <= now + leeway && end - start <= lifetime
    }
}
