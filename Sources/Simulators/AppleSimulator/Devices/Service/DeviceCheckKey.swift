import Primitives
import StrictJSON

/// A key that a developer was given, and what it opens.
struct DeviceCheckKey: Sendable {
    /// With the team as its issuer.
    let key: APIKey
    /// Whether DeviceCheck was switched on for it.
    let hasDeviceCheck: Bool
    var isRevoked = false

    var isUsable: Bool { hasDeviceCheck && !isRevoked }

    var json: JSONValue {
        [
            "keyId": .string(key.id), "teamId": .string(key.issuer), "deviceCheck": .bool(hasDeviceCheck),
            "revoked": .bool(isRevoked),
        ]
    }
}

extension BearerToken {
    /// How old a token of the service may be, in seconds.
    private static let oldest = 3_600

    /// The team in whose name a request comes.
    ///
    /// - Parameters:
    ///   - token: Of its field; `nil` where there is none that can be read.
    ///   - now: By the real clock.
    static func team(
        _ token: BearerToken?,
        keys: [DeviceCheckKey],
        now: WallTime
    ) throws(DeviceCheckRefusal) -> String {
        guard let token else { throw .badAuthorization }
        guard let claims = token.claims(signedBy: keys.filter(\.isUsable).map(\.key)),
            let team = claims["iss"]?.text, let start = claims["iat"]?.integer, times.contains(start)
        else { throw .invalidAuthorization }
        let now = Int(now.seconds)
        guard start <= now + leeway else { throw .invalidAuthorization }
        guard now - start <= oldest else { throw .expiredAuthorization }
        // Nobody has to say when it ends; some libraries do.
        guard let given = claims["exp"] else { return team }
        guard let end = given.integer, times.contains(end) else { throw .invalidAuthorization }
        guard end > now else { throw .expiredAuthorization }
        return team
    }
}
