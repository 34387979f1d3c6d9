package import Cryptography
package import Primitives
package import Web

/// The token that an app shows with each request.
///
/// `sat_`, then base64url without padding of 16 bytes id and 32 secret bytes: 68 characters, as a key has. It is shown once, to
/// the merchant's server that has asked for it; only its hash is kept. Every way of printing one yields its tag and the first
/// eight digits of its hash.
package struct AppToken: Sendable, CustomStringConvertible, CustomReflectable {
    private static let tag = Array("sat_".utf8)

    private let secret: IdentifiedSecret

    /// Names the token, in lists and in logs; no secret.
    package var id: UUIDBytes { secret.id }

    /// A token that nobody has seen.
    ///
    /// - Parameters:
    ///   - id: Of no other token.
    ///   - random: Supplies 32 bytes.
    package init(fresh id: UUIDBytes, random: any RandomSource) {
        secret = IdentifiedSecret(id, random: random)
    }

    /// The token behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// Nothing is looked up: this is the check before any query.
    package init?(_ text: String) {
        guard let secret = IdentifiedSecret(text, tag: AppToken.tag) else { return nil }
        self.secret = secret
    }

    /// All 68 characters; for the one answer that has a new token, and as key material for what is sealed under it.
    package var text: String { secret.text(tag: AppToken.tag) }

    /// SHA-256 of the whole text, tag included; what is stored and compared.
    package var hash: Digest32 { SHA256.digest(of: Array(text.utf8)) }

    /// The same as `hash`, by a context of the loop.
    package func hash(_ hasher: SHA256) -> Digest32 {
        hasher.digest(of: Array(text.utf8).span)
    }

    package var description: String { "sat_<\(hash)>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// For whom an app speaks, as it was found for one request.
package struct AppGrant: Sendable, Hashable {
    /// The one account that the token is of.
    package let account: UUIDBytes
    /// What it opens.
    package let scopes: Set<AppScope>
    /// When it ends.
    package let expires: WallTime

    /// The grant of a token.
    package init(account: UUIDBytes, scopes: Set<AppScope>, expires: WallTime) {
        self.account = account
        self.scopes = scopes
        self.expires = expires
    }
}

/// Knows the tokens of apps; the feature that keeps them gives one to `ServicePart.letIn`.
package protocol AppTokenStore: AnyObject {
    /// What a token opens; `nil` for one that is unknown, expired or revoked, and for one of an account that is no longer somebody's.
    ///
    /// - Parameter hash: Of the whole text of the token.
    /// - Throws: What the database says.
    func grant(of token: UUIDBytes, hash: Digest32) async throws(Failure) -> AppGrant?
}
