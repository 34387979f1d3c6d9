package import Cryptography
import JOSE
package import Primitives
import StrictJSON

/// The client secret that Apple wants: a text that says who asks whom, signed with the team's key, and good for five minutes.
package struct SignedClientSecret: Sendable {
    private let signer: JWTSigner
    private let team: String

    /// How long a secret is good, in seconds.
    package static let life: Int64 = 300

    /// A maker of secrets.
    ///
    /// - Parameters:
    ///   - keyID: Of the key in the developer's account.
    ///   - team: Its owner.
    package init(key: ES256PrivateKey, keyID: String, team: String) {
        signer = JWTSigner(key: key, keyID: keyID)
        self.team = team
    }

    /// A secret for a client.
    ///
    /// - Parameters:
    ///   - issuer: The provider, who is asked.
    /// - Throws: `failed` where OpenSSL refuses.
    package func make(
        for client: String,
        at issuer: String,
        now: WallTime
    ) throws(CryptographyError) -> Secret<String> {
        let claims: JSONValue = [
            "iss": .string(team), "iat": JSONValue(Int(now.seconds)),
            "exp": JSONValue(Int(now.seconds + SignedClientSecret.life)), "aud": .string(issuer),
            "sub": .string(client),
        ]
        return Secret(try signer.sign(claims: claims))
    }
}
