import Foundation

/// The account of an app's user at the server: asks what is below `/app/v1`, with a token of the account.
///
/// The shop's own server gets such tokens (`POST /v1/accounts/{id}/tokens`) and gives them to the app. One object is for one
/// account: for a user who signs in as somebody else there is another one.
public actor AppAccount {
    private let base: URL
    private let transport: any Transport
    private let fetch: @Sendable () async throws -> String
    /// The token that was shown last.
    private var token: String?
    /// The question for a new one, which all wait for together.
    private var asking: Task<String, any Error>?

    /// An account.
    ///
    /// - Parameters:
    ///   - base: Scheme https, host, and possibly a path; http is taken for this very machine only.
    ///   - token: A token of the account, from the shop's server; asked for at first, and again once one is refused.
    /// - Throws: ``ConfigurationError``.
    public init(
        at base: URL,
        transport: any Transport = URLSessionTransport(),
        token: @escaping @Sendable () async throws -> String
    ) throws {
        self.base = try base.checkedServer()
        self.transport = transport
        fetch = token
    }

    /// Asks for something; once more with a new token where the token is refused.
    ///
    /// - Parameters:
    ///   - path: Behind `/app/v1/`.
    ///   - query: Names and values.
    ///   - fields: Beside those that every request has.
    ///   - body: JSON; empty for none.
    /// - Returns: The answer, whatever its status.
    /// - Throws: What the transport or the question for a token throws.
    public func send(
        _ method: String,
        _ path: String,
        query: [String: String] = [:],
        fields: [(name: String, value: String)] = [],
        body: Data = Data()
    ) async throws -> TransportResponse {
        let url = try url(path, query)
        var fields = fields + [(name: "Accept", value: "application/json")]
        if !body.isEmpty { fields.append((name: "Content-Type", value: "application/json")) }
        let shown = try await token(after: nil)
        let response = try await send(TransportRequest(method, url, fields, body: body), shown)
        guard response.status == 401 else { return response }
        return try await send(TransportRequest(method, url, fields, body: body), try await token(after: shown))
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

    /// What an answer says.
    init(_ response: TransportResponse) {
        status = response.status
        retryAfter = response.retryAfter
        code = response.member("code")
        reason = response.member("reason")
        isFinal =
            400..<500 ~= response.status && ![401, 408, 429].contains(response.status) && code != "request_in_progress"
        let words = [code, reason].compactMap { $0.map { ": " + $0.prefix(200) } }
        description = "the server answers \(response.status)" + words.joined()
    }

    /// An error as one of these.
    static func of(_ error: any Error) -> AccountError {
        error as? AccountError ?? AccountError("the server was not reached: \(error.localizedDescription)")
    }
}
