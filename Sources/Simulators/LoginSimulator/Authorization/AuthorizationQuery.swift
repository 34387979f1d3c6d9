import HTTPCore
import OpenID
import Primitives

/// A request of the authorization endpoint whose client and address are known.
struct AuthorizationQuery: Sendable {
    let face: ProviderFace
    let client: SimulatedClient
    let redirect: String
    let state: String?
    /// What an answer brings; a code where the request asks for something unknown, so that its error has a place.
    let type: ResponseType
    let mode: AuthorizationContext.Mode
    let scopes: [String]
    let nonce: String?
    let challenge: String?
    let prompts: [String]
    let maximumAge: Int64?
    let bails: Bool
    let wantsRefresh: Bool
    /// What is wrong with it, as the answer's error and its description; `nil` for nothing.
    let problem: (error: String, description: String)?

    /// Why there is nowhere to answer to.
    enum Refusal: Error {
        case malformed, client, redirect
    }

    init(
        _ face: ProviderFace,
        _ text: String,
        clientOf find: (String) -> SimulatedClient?
    ) throws(Refusal) {
        guard let fields = try? HTTPParameters(Array(text.utf8).span), !fields.hasRepeatedName else { throw .malformed }
        let value = { (name: String) -> String? in
            guard let text = try? fields.value(name), !text.isEmpty else { return nil }
            return text
        }
        guard let client = value("client_id").flatMap(find) else { throw .client }
        guard let redirect = value("redirect_uri"), client.redirects.contains(where: { $0.octets == redirect.octets })
        else { throw .redirect }
        (self.face, self.client, self.redirect) = (face, client, redirect)
        (state, nonce, challenge) = (value("state"), value("nonce"), value("code_challenge"))
        let asked = value("response_type").flatMap { ResponseType($0) }
        type = asked ?? .code
        scopes = (value("scope") ?? "").octets.parts(between: UInt8(ascii: " "), keepingEmpty: false)
        prompts = (value("prompt") ?? "").octets.parts(between: UInt8(ascii: " "), keepingEmpty: false)
        let age = value("max_age")
        maximumAge = age.flatMap { DecimalDigits.parse($0.utf8Span.span, limit: 1 << 40) }.map { Int64($0) }
        bails = value("bail")?.octets == "1"
        wantsRefresh = !face.refreshesOffline || value("access_type")?.octets == "offline"
        let isMore = scopes.contains { ["name", "email"].contains($0) }
        let named = value("response_mode").flatMap { AuthorizationContext.Mode(rawValue: $0) }
        mode = named ?? (face.forcesFormPost && isMore ? .form : type.isHybrid ? .fragment : .query)
        let method = value("code_challenge_method")
        problem = AuthorizationQuery.problem(
            [
                (asked == nil, "unsupported_response_type", "response_type"),
                (!scopes.contains { $0.octets == "openid" }, "invalid_scope", "openid is missing"),
                (prompts.count > 1 && prompts.contains("none"), "invalid_request", "prompt"),
                (prompts.contains { !AuthorizationQuery.prompts.contains($0) }, "invalid_request", "prompt"),
                (type.contains(.idToken) && nonce == nil, "invalid_request", "nonce is missing"),
                (challenge != nil && method?.octets != "S256", "invalid_request", "code_challenge_method"),
                (age != nil && maximumAge == nil, "invalid_request", "max_age"),
                (face.forcesFormPost && isMore && mode != .form, "invalid_request", "response_mode"),
            ]
        )
    }

    private static let prompts = ["none", "login", "consent", "select_account"]

    private static func problem(
        _ rows: [(isWrong: Bool, error: String, description: String)]
    ) -> (error: String, description: String)? {
        rows.first(where: \.isWrong).map { ($0.error, $0.description) }
    }
}
