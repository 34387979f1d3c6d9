package import Cryptography
package import JOSE
package import Primitives
import StrictJSON

/// A token that opens the App Store Server API.
package struct ServerAPIToken: Sendable {
    /// What follows `Bearer `.
    package let text: Secret<String>
    /// When Apple no longer takes it.
    package let expires: WallTime

    /// Before its end by a minute, so that a request on its way is still taken.
    package func isFresh(at now: WallTime) -> Bool { now < expires + .seconds(-60) }
}

/// Makes tokens for the App Store Server API.
///
/// Whoever asks for one keeps it while it is fresh, and drops it on a 401.
package struct ServerAPITokenMaker: Sendable {
    /// What each token is made for.
    package static let audience = "appstoreconnect-v1"
    /// The longest life that Apple takes.
    package static let longestLife = Duration.seconds(3_600)

    private let signer: JWTSigner
    private let issuerID: String
    private let bundleID: String
    private let life: Duration

    /// A maker with the key of an account.
    ///
    /// - Parameters:
    ///   - signer: Names the key.
    ///   - life: Taken to the second; 61 seconds to an hour.
    package init(signer: JWTSigner, issuerID: String, bundleID: String, life: Duration = .seconds(600)) {
        self.signer = signer
        self.issuerID = issuerID
        self.bundleID = bundleID
        self.life = min(max(life, .seconds(61)), ServerAPITokenMaker.longestLife)
    }

    /// A fresh token.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func token(at now: WallTime) throws(CryptographyError) -> ServerAPIToken {
        let expires = WallTime(seconds: now.seconds + life.components.seconds)
        let claims: JSONValue = [
            "iss": .string(issuerID), "iat": JSONValue(Int(now.seconds)), "exp": JSONValue(Int(expires.seconds)),
            "aud": .string(ServerAPITokenMaker.audience), "bid": .string(bundleID),
        ]
        return ServerAPIToken(text: Secret(try signer.sign(claims: claims)), expires: expires)
    }
}

/// Why a bearer token opens nothing.
package enum BearerTokenRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// No signed text.
    case form
    /// Another algorithm than `ES256`.
    case algorithm
    /// A key that is not registered, or none.
    case key
    /// The signature is not the key's.
    case signature
    /// Another issuer.
    case issuer
    /// Another audience.
    case audience
    /// Another app.
    case app
    /// It has ended, or does not say when it ends.
    case expired
    /// It lives longer than allowed.
    case life
    /// Issued in the future, too long ago, or never.
    case issued
}

/// What a bearer token must say to open one of Apple's services; for programs that stand in for them.
package enum BearerTokenRule: Sendable {
    /// The App Store Server API.
    case appStoreServer(issuerID: String, bundleID: String)
    /// The services that a team's key opens: DeviceCheck.
    case team(teamID: String)

    private static let hour = 3_600
    /// How far the clocks may be apart, in seconds.
    private static let skew = 60
    /// Seconds up to the year 9999: what is behind them is in another unit.
    private static let times = 0...253_402_300_799

    /// Checks a token.
    ///
    /// - Parameter keys: The registered keys by their identifier.
    package func check(
        _ token: [UInt8],
        keys: [OctetText: JWSVerificationKey],
        at now: WallTime
    ) throws(BearerTokenRefusal) {
        guard let signed = try? CompactJWS(token, limit: 16_384) else { throw .form }
        guard signed.header.algorithm == .es256 else { throw .algorithm }
        guard let keyID = signed.header.keyID, let key = keys[keyID.octets] else { throw .key }
        guard (try? signed.verify(with: key, allowing: [.es256])) != nil else { throw .signature }
        let claims = signed.payload
        let second = Int(now.seconds)
        switch self {
        case .appStoreServer(let issuerID, let bundleID):
            guard claims["iss"]?.text?.octets == issuerID.octets else { throw .issuer }
            guard claims["aud"]?.text?.octets == ServerAPITokenMaker.audience.octets else { throw .audience }
            guard claims["bid"]?.text?.octets == bundleID.octets else { throw .app }
            guard let end = BearerTokenRule.time(claims["exp"]), end > second else { throw .expired }
            // Apple's own client in Python leaves the beginning out, and is served.
            let start = claims["iat"] == nil ? second : BearerTokenRule.time(claims["iat"])
            guard let start, start <= second + BearerTokenRule.skew else { throw .issued }
            guard end - start <= BearerTokenRule.hour else { throw .life }
        case .team(let teamID):
            guard claims["iss"]?.text?.octets == teamID.octets else { throw .issuer }
            guard let start = BearerTokenRule.time(claims["iat"]), start <= second + BearerTokenRule.skew,
                second - start <= BearerTokenRule.hour
            else { throw .issued }
            guard claims["exp"] == nil || BearerTokenRule.time(claims["exp"]).map({ $0 > second }) ?? false else {
                throw .expired
            }
        }
    }

    private static func time(_ value: JSONValue?) -> Int? {
        value?.integer.flatMap { times.contains($0) ? $0 : nil }
    }
}
