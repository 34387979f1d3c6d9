package import JOSE
import Primitives
import StrictJSON

/// A key of the API that a developer was given.
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

/// What is asked of the token of a request, RFC 7519.
enum BearerToken {
    private static let audience = "appstoreconnect-v1"
    /// How long a token may be good.
    private static let lifetime = 3_600
    /// How far ahead a client's clock may be, in seconds.
    private static let leeway = 60

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
        let words = (authorization ?? "").octets.parts(between: UInt8(ascii: " "), keepingEmpty: false)
        guard words.count == 2, words[0].octets.lowercase.octets == "bearer" else { return false }
        guard let token = try? CompactJWS(words[1]), let id = token.header.keyID,
            let key = keys.first(where: { $0.id.octets == id.octets }),
            (try? token.verify(with: key.key, allowing: [.es256])) != nil
        else { return false }
        let claims = token.payload
        guard claims["iss"]?.text?.octets == key.issuer.octets, claims["aud"]?.text?.octets == audience.octets,
            claims["bid"]?.text?.octets == bundle.octets
        else { return false }
        return isTimely(claims, Int(now.seconds))
    }

    /// The library of the vendor for Python leaves `iat` out, and is served.
    private static func isTimely(_ claims: JSONValue, _ now: Int) -> Bool {
        guard let end = claims["exp"]?.integer, (0...4_102_444_800).contains(end), end > now else { return false }
        guard let given = claims["iat"] else { return end - now <= lifetime }
        guard let start = given.integer, (0...4_102_444_800).contains(start) else { return false }
        return start <= now + leeway && end - start <= lifetime
    }
}
