package import Primitives
package import Web

/// What all routes of a feature below `/v1` share.
package struct ServiceRules: Sendable {
    /// The subject whose claims its requests are among: of every API key.
    package let claims: UUIDBytes
    /// Turns refusals of layers below into those of `/v1`.
    package var refusals: @Sendable (Failure) -> Failure = { $0 }
    /// How long answers are kept for repeats, for people.
    package var keepsAnswers = "for 180 days at least"
    /// Whether answers may be about a webview session.
    package var namesSession = false
    /// Regular expressions for places in paths that are no UUID, by name.
    package var idPatterns: [String: String] = [:]
    /// Members that contexts of its refusals add to a problem.
    package var problemMembers: [SchemaMember] = []
    /// Refusals as the description shows them, where they have more than a code.
    package var problemExamples: [Failure] = []
    /// What merchants' servers are sent.
    package var webhooks: [ServiceWebhook] = []

    /// Rules; without a subject the claims are those of the whole program.
    package init(claims: UUIDBytes = UUIDBytes(high: 0, low: 0)) {
        self.claims = claims
    }
}

/// An event that merchants' servers are sent, for the description of the interface.
package struct ServiceWebhook: Sendable {
    let type: String
    let content: Schema

    /// An event of a type.
    package init(_ type: String, _ content: Schema) {
        self.type = type
        self.content = content
    }
}
