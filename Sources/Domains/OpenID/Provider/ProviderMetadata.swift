package import JOSE
import Primitives
import StrictJSON

/// Why a discovery document is refused; the first check that fails.
package enum DiscoveryRefusal: String, Error, Sendable {
    /// No JSON object, or one that says something twice.
    case malformedDocument = "malformed_document"
    /// A member that belongs there is absent.
    case memberMissing = "missing_member"
    /// Of another provider.
    case issuerMismatch = "issuer_mismatch"
    /// An endpoint without TLS.
    case insecureEndpoint = "insecure_endpoint"
    /// An endpoint that is no address of a server, or has user information or a fragment.
    case malformedEndpoint = "malformed_endpoint"
    /// An endpoint inside this machine's networks.
    case privateAddress = "private_address"
    /// The provider does not offer what the login wants.
    case responseTypeUnsupported = "response_type_unsupported"
    /// No algorithm in common.
    case algorithmUnsupported = "alg_unsupported"
}

/// What a login wants of a provider.
package struct ProviderDemand: Sendable {
    /// The provider's name, character by character.
    package let issuer: String
    /// What the authorization endpoint has to offer.
    package let type: ResponseType
    /// The algorithms that may be used.
    package let algorithms: Set<JWSAlgorithm>
    /// Whether endpoints may be inside this machine's networks, and without TLS on this machine itself: for tests.
    package var allowsPrivate = false

    /// A demand of a provider in the Internet.
    package init(issuer: String, type: ResponseType, algorithms: Set<JWSAlgorithm>) {
        (self.issuer, self.type, self.algorithms) = (issuer, type, algorithms)
    }

    /// Where the provider's discovery document is.
    package var address: String {
        let base = issuer.octets.ends(with: "/") ? String(Substring(issuer.utf8.dropLast())) : issuer
        return base + "/.well-known/openid-configuration"
    }
}

/// What is known of a provider: built in, or of its discovery document (OpenID Connect Discovery 1.0).
package struct ProviderMetadata: Sendable, Equatable {
    /// How a client shows its secret, where the provider leaves a choice.
    package enum ClientProofKind: String, Sendable {
        /// In the header.
        case basic = "client_secret_basic"
        /// In the form.
        case form = "client_secret_post"
        /// Not at all.
        case none
    }

    /// The provider's name.
    package var issuer: String
    /// Where users are sent.
    package var authorization: String
    /// Where codes are exchanged.
    package var token: String
    /// Where keys are read.
    package var keys: String
    /// Where claims are read; `nil` where there is no such place.
    package var userInfo: String?
    /// Where grants are taken back; `nil` where there is no such place.
    package var revocation: String?
    /// Algorithms of ID tokens, in common with those that may be used.
    package var algorithms: Set<JWSAlgorithm>
    /// How a client shows its secret.
    package var clientProof = ClientProofKind.basic
    /// Whether the provider takes the challenge of a proof key.
    package var takesProofKey = false
    /// Whether every answer of the authorization endpoint names the provider.
    package var namesIssuer = false

    /// Metadata with the usual proof of the client.
    package init(issuer: String, authorization: String, token: String, keys: String, algorithms: Set<JWSAlgorithm>) {
        (self.issuer, self.authorization, self.token) = (issuer, authorization, token)
        (self.keys, self.algorithms) = (keys, algorithms)
    }

    /// How long a document may be, in bytes.
    package static let limit = 262_144
    private static let depth = 64
    private static let required = [
        "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported",
        "id_token_signing_alg_values_supported",
    ]

    /// Reads a discovery document.
    ///
    /// - Parameter document: UTF-8, as it was read without following any redirect.
    /// - Throws: The first check that fails.
    package init(reading document: [UInt8], for demand: ProviderDemand) throws(DiscoveryRefusal) {
        guard document.count <= ProviderMetadata.limit,
            let value = try? JSONParser.parse(document, depth: ProviderMetadata.depth), case .object = value
        else { throw .malformedDocument }
        guard ProviderMetadata.required.allSatisfy({ value[$0] != nil }) else { throw .memberMissing }
        guard let issuer = value["issuer"]?.text, issuer.octets == demand.issuer.octets else { throw .issuerMismatch }
        let endpoints = EndpointReader(value: value, allowsPrivate: demand.allowsPrivate)
        self.issuer = issuer
        authorization = try endpoints.required("authorization_endpoint")
        token = try endpoints.required("token_endpoint")
        keys = try endpoints.required("jwks_uri")
        userInfo = try endpoints.optional("userinfo_endpoint")
        revocation = try endpoints.optional("revocation_endpoint")
        let texts = { (name: String) in (value[name]?.elements ?? []).compactMap(\.text) }
        guard texts("response_types_supported").contains(where: { ResponseType($0) == demand.type }) else {
            throw .responseTypeUnsupported
        }
        let offered = texts("id_token_signing_alg_values_supported").compactMap { JWSAlgorithm(word: $0.octets) }
        algorithms = demand.algorithms.intersection(offered)
        guard !algorithms.isEmpty else { throw .algorithmUnsupported }
        clientProof = ProviderMetadata.proof(value["token_endpoint_auth_methods_supported"])
        takesProofKey = texts("code_challenge_methods_supported").contains { $0.octets == "S256" }
        namesIssuer = value["authorization_response_iss_parameter_supported"]?.flag == true
    }

    private static func proof(_ value: JSONValue?) -> ClientProofKind {
        guard let value else { return .basic }
        let offered = value.elements.compactMap { $0.text?.octets }
        return [ClientProofKind.basic, .form].first { offered.contains($0.rawValue.octets) } ?? .none
    }
}

/// Reads endpoints of a discovery document.
private struct EndpointReader {
    let value: JSONValue
    let allowsPrivate: Bool

    func required(_ name: String) throws(DiscoveryRefusal) -> String {
        guard let endpoint = try optional(name) else { throw .memberMissing }
        return endpoint
    }

    func optional(_ name: String) throws(DiscoveryRefusal) -> String? {
        guard let member = value[name] else { return nil }
        guard let text = member.text, let url = HTTPURL(text), !url.rest.utf8.contains(UInt8(ascii: "#")) else {
            throw .malformedEndpoint
        }
        let host = url.host
        guard url.isSecure || allowsPrivate && host.isLoopback else { throw .insecureEndpoint }
        guard allowsPrivate || !isInside(host) else { throw .privateAddress }
        return text
    }

    /// Whether a host is this machine or one of its networks, by its address or by a name that only they know.
    private func isInside(_ host: HTTPHost) -> Bool {
        if host.special != nil { return true }
        if let number = host.number { return number.isPrivate }
        let name = host.text.octets
        return !host.text.utf8.contains(UInt8(ascii: "."))
            || [".local", ".internal", ".home.arpa", ".localdomain"].contains { name.ends(with: $0.octets) }
    }
}
