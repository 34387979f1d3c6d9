import JOSE
import Primitives

/// What is built in of a provider of logins, so that neither a start nor a login depends on a discovery document.
package struct ProviderPreset: Sendable {
    /// Where keys are read.
    package enum KeySource: Sendable {
        /// A JSON Web Key Set.
        case set
        /// The same, and a map of names to PEM texts at this address where that cannot be read.
        case setOrMap(String)
    }

    /// The word of the settings.
    package let name: String
    /// Endpoints and algorithms.
    package let metadata: ProviderMetadata
    /// Other texts that its tokens carry as issuer.
    package var issuerAliases: [String] = []
    /// Where its keys are.
    package var keySource = KeySource.set
    /// Scopes that a login asks for.
    package var scope = "openid"
    /// How its answers come where more than the user's id is asked for.
    package var forcesFormPost = false
    /// Whether its client secret is a text that is signed anew with a key, as Apple wants.
    package var signsClientSecret = false
    /// What its token endpoint needs besides.
    package var tokenFields: [(name: String, value: String)] = []

    /// The presets.
    package static let all = [yahooJapan, line, google, apple]

    /// The preset of a word, or `nil`.
    package init?(named word: String) {
        guard let found = ProviderPreset.all.first(where: { $0.name.octets == word.octets }) else { return nil }
        self = found
    }

    private init(_ name: String, _ metadata: ProviderMetadata) {
        self.name = name
        self.metadata = metadata
    }

    /// LINE Login.
    ///
    /// N ID, YConnect v2.
    ///
    /// PKCE is documented, although the discovery document does not announce it.
    private static let yahooJapan: ProviderPreset = {
        let base = "https://auth.login.yahoo.co.jp/yconnect/v2"
        var metadata = ProviderMetadata(
            issuer: base,
            authorization: base + "/authorization",
            token: base + "/token",
            keys: base + "/jwks",
            algorithms: [.rs256]
        )
        metadata.userInfo = "https://userinfo.yahooapis.jp/yconnect/v2/attribute"
        metadata.takesProofKey = true
        var preset = ProviderPreset("yahoo", metadata)
        preset.keySource = .setOrMap(base + "/public-keys")
        return preset
    }()

    /// Google.
    ///
    /// gin. Without `id_token_key_type` its web tokens are signed with the channel secret.
    private static let line: ProviderPreset = {
        let base = "https://api.line.me/oauth2/v2.1"
        var metadata = ProviderMetadata(
            issuer: "https://access.line.me",
            authorization: "https://access.line.me/oauth2/v2.1/authorize",
            token: base + "/token",
            keys: base + "/certs",
            algorithms: [.es256]
        )
        metadata.userInfo = base + "/userinfo"
        metadata.revocation = base + "/revoke"
        metadata.clientProof = .form
        metadata.takesProofKey = true
        var preset = ProviderPreset("line", metadata)
        preset.tokenFields = [("id_token_key_type", "JWK")]
        return preset
    }()

    /// Sign in with Apple.
    ///
    /// may name the issuer without the scheme.
    private static let google: ProviderPreset = {
        var metadata = ProviderMetadata(
            issuer: "https://accounts.google.com",
            authorization: "https://accounts.google.com/o/oauth2/v2/auth",
            token: "https://oauth2.googleapis.com/token",
            keys: "https://www.googleapis.com/oauth2/v3/certs",
            algorithms: [.rs256]
        )
        metadata.userInfo = "https://openidconnect.googleapis.com/v1/userinfo"
        metadata.revocation = "https://oauth2.googleapis.com/revoke"
        metadata.takesProofKey = true
        var preset = ProviderPreset("google", metadata)
        preset.issuerAliases = ["accounts.google.com"]
        return preset
    }()

    /// Sign in with Apple.
    ///
    /// With name or e-mail address among the scopes it answers by a form.
    private static let apple: ProviderPreset = {
        let base = "https://appleid.apple.com/auth"
        var metadata = ProviderMetadata(
            issuer: "https://appleid.apple.com",
            authorization: base + "/authorize",
            token: base + "/token",
            keys: base + "/keys",
            algorithms: [.rs256]
        )
        metadata.revocation = base + "/revoke"
        metadata.clientProof = .form
        metadata.takesProofKey = true
        var preset = ProviderPreset("apple", metadata)
        preset.forcesFormPost = true
        preset.signsClientSecret = true
        return preset
    }()
}
