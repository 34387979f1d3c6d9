import Foundation

/// The account of an app's user at the server: asks what is below `/app/v1`, with a token of the account.
///
/// The shop's own server gets such tokens (`POST /v1/accounts/{id}/tokens`) and gives them to the app. One object is for one
/// account: for a user who signs in as somebody else there is another one.
public actor AppAccount {
    private let base: URL
    private let transport: any Transport
    private let fetch: @Sendable () async throws -> String
    private let proof: AppProof?
    /// The token that was shown last.
    private var token: String?
    /// The question for a new one, which all wait for together.
    private var asking: Task<String, any Error>?

    /// An account.
    ///
    /// - Parameters:
    ///   - base: Scheme https, host, and possibly a path; http is taken for this very machine only.
    ///   - proof: Signs requests for which the server wants a proof of the app; without one they are refused.
    ///   - token: A token of the account, from the shop's server; asked for at first, and again once one is refused.
    /// - Throws: ``ConfigurationError``.
    public init(
        at base: URL,
        transport: any Transport = URLSessionTransport(),
        proof: AppProof? = nil,
        token: @escaping @Sendable () async throws -> String
    ) throws {
        self.base = try base.checkedServer()
        self.transport = transport
        self.proof = proof
        fetch = token
    }

    /// Asks for something; once more with a new token where the token is refused, and signed where the server wants that.
    ///
    /// - Parameters:
    ///   - path: Behind `/app/v1/`.
    ///   - query: Names and values.
    ///   - fields: Beside those that every request has.
    ///   - body: JSON; empty for none.
    /// - Returns: The answer, whatever its status.
    /// - Throws: What the transport or the question for a token throws. ``AccountError`` with the code `assertion_required` and a
    ///   reason, such as `not_supported`, where a request has to be signed and cannot be.
    public func send(
        _ method: String,
        _ path: String,
        query: [String: String] = [:],
        fields: [(name: String, value: String)] = [],
        body: Data = Data()
    ) async throws -> TransportResponse {
        let request = try request(method, path, query, fields, body)
        guard let proof else { return try await sendPlain(request) }
        return try await proof.send(request, named: method + " " + path, of: self)
    }

    /// Signs a request that the app sends itself and that needs a proof, such as the form of `POST /secureWebviewSession`.
    ///
    /// - Parameters:
    ///   - url: As it is sent, with its query.
    ///   - body: The very bytes that are sent.
    /// - Returns: A field for the request, once; empty for an account without ``AppProof``.
    /// - Throws: As ``send(_:_:query:fields:body:)``.
    public func proof(of method: String, _ url: URL, body: Data) async throws -> [(name: String, value: String)] {
        guard let proof else { return [] }
        let signature = try await proof.sign(TransportRequest(method, url, body: body), for: self)
        return [(name: AppProof.field, value: signature.value)]
    }

    /// Posts something that needs no proof.
    func sendPlain(_ path: String, _ content: [String: String]) async throws -> TransportResponse {
        try await sendPlain(request("POST", path, [:], [], content.isEmpty ? Data() : JSONEncoder().encode(content)))
    }

    /// Sends a request as it is, with a token.
    func sendPlain(_ request: TransportRequest) async throws -> TransportResponse {
        let shown = try await token(after: nil)
        let response = try await send(request, shown)
        guard response.status == 401 else { return response }
        return try await send(request, try await token(after: shown))
    }

    private func request(
        _ method: String,
        _ path: String,
        _ query: [String: String],
        _ fields: [(name: String, value: String)],
        _ body: Data
    ) throws -> TransportRequest {
        var fields = fields + [(name: "Accept", value: "application/json")]
        if !body.isEmpty { fields.append((name: "Content-Type", value: "application/json")) }
        return TransportRequest(method, try url(path, query), fields, body: body)
    }

    private func send(_ request: TransportRequest, _ token: String) async throws -> TransportResponse {
        var request = request
        request.fields.append((name: "Authorization", value: "Bearer " + token))
        return try await transport.send(request)
    }

    private func url(_ path: String, _ query: [String: String]) throws -> URL {
        let place = base.appendingPathComponent("app").appendingPathComponent("v1").appendingPathComponent(path)
        guard var parts = URLComponents(url: place, resolvingAgainstBaseURL: true) else {
            throw AccountError("no address: \(path)")
        }
        if !query.isEmpty {
            parts.queryItems = query.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
        }
        guard let url = parts.url else { throw AccountError("no address: \(path)") }
        return url
    }

    /// A token that is not the one that was refused.
    private func token(after refused: String?) async throws -> String {
        if let token, token != refused { return token }
        if let asking { return try await asking.value }
        let asking = Task { [fetch] in try await fetch() }
        self.asking = asking
        defer { self.asking = nil }
        let fresh = try await asking.value
        token = fresh
        return fresh
    }
}

extension URL {
    /// The address of a server, which is reached over TLS unless it is this very machine.
    func checkedServer() throws -> URL {
        let scheme = scheme?.lowercased()
        let isHere = scheme == "http" && ["localhost", "127.0.0.1"].contains(host)
        guard isHere || (scheme == "https" && host != nil) else { throw ConfigurationError.notAnOrigin(absoluteString) }
        return self
    }
}

/// What a server has answered, or why nothing is known, without anything secret.
public struct AccountError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// For a log.
    public let description: String
    /// The same text, which `localizedDescription` has, too.
    public var errorDescription: String? { description }
    /// The server's word, such as `purchase_revoked`; `nil` where none has come.
    public let code: String?
    /// What the server says beside the word, such as `signature` where it did not take a signed text.
    public let reason: String?
    /// Of HTTP, where a server has answered.
    public let status: Int?
    /// How long to wait before the same is asked again, in seconds, where the server said so.
    public let retryAfter: TimeInterval?
    /// Whether a server has said no: the same is refused again.
    public let isFinal: Bool

    /// Nothing is known.
    ///
    /// - Parameter description: For a log; without anything secret.
    public init(_ description: String) {
        self.description = description
        (code, reason, status, retryAfter, isFinal) = (nil, nil, nil, nil, false)
    }

    /// Why nothing is sent.
    init(_ description: String, code: String, reason: String, isFinal: Bool) {
        (self.description, self.code, self.reason, self.isFinal) = (description, code, reason, isFinal)
        (status, retryAfter) = (nil, nil)
    }

    /// What an answer says.
    init(_ response: TransportResponse) {
        status = response.status
        retryAfter = response.retryAfter
        code = response.member("code")
        reason = response.member("reason")
        isFinal =
            400..<500 ~= response.status && ![401, 408, 429].contains(response.status)
            && !AccountError.passing.contains(code ?? "")
        let words = [code, reason].compactMap { $0.map { ": " + $0.prefix(200) } }
        description = "the server answers \(response.status)" + words.joined()
    }

    /// Words of refusals after which the same may be asked again.
    private static let passing = ["request_in_progress", "assertion_overtaken", "attest_challenge_gone"]

    /// An error as one of these.
    static func of(_ error: any Error) -> AccountError {
        error as? AccountError ?? AccountError("the server was not reached: \(error.localizedDescription)")
    }
}
