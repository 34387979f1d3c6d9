import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import OpenID
import Primitives
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import LoginSimulator

/// Simulated providers on a socket, and a client of theirs on the same loop.
struct LoginBench {
    let reactor: Reactor
    let origin: String
    let curl: CurlClient
    let appleKey: ES256PrivateKey

    static let redirect = "https://shop.example/login/callback"
    static let scheme = "yj-test1:/"
    static let state = "state-of-this-login"
    static let nonce = "nonce-of-this-login"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let server = SimulatedClient(id: "server-", secret: "secret of the server", redirects: [redirect, scheme])

    func send(
        _ method: String,
        _ path: String,
        _ body: [UInt8] = [],
        fields: [(String, String)] = []
    ) async throws -> InboundResponse {
        try await curl.send(
            OutboundRequest(method: method, url: origin + path, fields: fields, body: body, timeout: Patience.usual)
        )
    }

    /// Asks the control interface.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let fields = [("content-type", "application/json")]
        let answer = try await send(method, "/_sim" + path, body?.bytes ?? [], fields: fields)
        let value = try JSONParser.parse(answer.body)
        #expect(answer.status == 200, "\(method) \(path): \(value)")
        return value
    }

    func issuer(_ face: ProviderFace) -> String { origin + face.base }

    // MARK: A login

    /// The address that a user is sent to.
    func request(
        _ face: ProviderFace,
        _ type: ResponseType = .code,
        scope: String = "openid",
        extra: [(name: String, value: String)] = []
    ) -> String {
        var request = AuthorizationRequest(
            type,
            clientID: Self.client(face).id,
            redirect: Self.redirect,
            scope: scope,
            state: Self.state,
            nonce: Self.nonce
        )
        request.verifier = Secret(Self.verifier)
        request.extra = extra
        return request.url(at: face.base + face.authorization[0])
    }

    /// Where the browser is sent when the next user has acted.
    func answer(_ path: String, user: String = "hanako", action: String = "agree") async throws -> InboundResponse {
        try await control("POST", "/next", ["user": .string(user), "action": .string(action)])
        return try await send("GET", path)
    }

    static func context(_ face: ProviderFace, _ type: ResponseType, issuer: String) -> AuthorizationContext {
        AuthorizationContext(type, redirect: redirect, state: .text(state), issuer: issuer)
    }

    /// The answer to a client, read as the product does.
    func read(
        _ face: ProviderFace,
        _ type: ResponseType = .code,
        extra: [(name: String, value: String)] = []
    ) async throws -> AuthorizationAnswer {
        let response = try await answer(request(face, type, extra: extra))
        let location = try #require(response.first("location"))
        return try AuthorizationAnswer(url: location, Self.context(face, type, issuer: issuer(face)))
    }

    static func client(_ face: ProviderFace) -> SimulatedClient {
        face.signsClientSecret ? SimulatedClient(id: "jp.example.shop", secret: nil, redirects: [redirect]) : server
    }

    /// How the client proves who it is.
    func proof(_ face: ProviderFace) throws -> (id: String, proof: ClientProof) {
        let client = Self.client(face)
        guard face.signsClientSecret else { return (client.id, .basic(Secret(client.secret ?? ""))) }
        let maker = SignedClientSecret(key: appleKey, keyID: "K1", team: "TEAM")
        return (client.id, .form(try maker.make(for: client.id, at: issuer(face), now: reactor.wallNow)))
    }

    /// Sends a request of the token endpoint.
    func ask(_ face: ProviderFace, _ request: TokenRequest) async throws -> InboundResponse {
        var fields = [("content-type", "application/x-www-form-urlencoded")]
        if let authorization = request.authorization { fields.append(("authorization", authorization.reveal())) }
        return try await send("POST", face.base + face.token, Array(request.form.reveal().utf8), fields: fields)
    }

    /// Exchanges a code.
    func exchange(
        _ face: ProviderFace,
        _ code: String,
        verifier: String = verifier,
        extra: [(name: String, value: String)] = []
    ) async throws -> InboundResponse {
        try await ask(
            face,
            TokenRequest.exchange(
                Secret(code),
                redirect: Self.redirect,
                verifier: Secret(verifier),
                by: try proof(face),
                extra: extra
            )
        )
    }

    /// The tokens of an answer.
    static func tokens(_ response: InboundResponse, _ grant: TokenGrant = .code) throws(TokenRefusal) -> TokenAnswer {
        try TokenAnswer(
            status: response.status,
            contentType: response.first("content-type"),
            body: response.body,
            for: grant
        )
    }

    /// The published keys of a provider.
    func keys(_ face: ProviderFace) async throws -> JSONWebKeySet {
        try JSONWebKeySet(try await send("GET", face.base + face.keys).body)
    }

    /// Judges an ID token as the product does.
    func judge(
        _ face: ProviderFace,
        _ token: String,
        _ channel: IDTokenContext.Channel = .back,
        code: String? = nil,
        access: String? = nil,
        within age: Duration? = nil,
        with keys: IDTokenKeys? = nil
    ) async throws -> Result<IDTokenClaims, IDTokenRefusal> {
        var login = IDTokenContext(channel, nonce: .text(Self.nonce))
        (login.code, login.accessToken, login.maximumAge) = (code, access, age)
        var rules = IDTokenRules(issuer: issuer(face), clientID: Self.client(face).id)
        rules.needsKeyID = true
        let set = try await self.keys(face)
        let own = keys ?? .published(set, allowing: [face.algorithm == "ES256" ? .es256 : .rs256])
        let now = reactor.wallNow
        return Result { () throws(IDTokenRefusal) in try IDTokenJudge(rules).judge(token, of: login, with: own, at: now)
        }
    }
}

extension InboundResponse {
    /// The value of the first field of a name.
    func first(_ name: String) -> String? {
        fields.first { $0.0.octets.lowercase.octets == name.octets }?.1
    }
}

/// Made once, since keys of RSA take their time.
private let sharedKeys = Result { try ProviderKeys() }

/// Runs a test against simulated providers on a socket.
func withProviders(_ body: @escaping @Sendable (LoginBench) async throws -> Void) async throws {
    try await withLoop { reactor in
        let appleKey = try ES256PrivateKey(pem: try ES256PrivateKey.generatePEM())
        var configuration = LoginModel.Configuration(seed: [1])
        configuration.keys = try sharedKeys.get()
        let publicKey = String(decoding: try appleKey.publicPEM(), as: UTF8.self)
        configuration.clients = [
            LoginBench.server, SimulatedClient(id: "app-", secret: nil, redirects: [LoginBench.scheme]),
            SimulatedClient(id: "jp.example.shop", secret: publicKey, redirects: [LoginBench.redirect]),
        ]
        let simulator = try LoginSimulator(configuration, reactor: reactor)
        let server = try simulator.serve(
            on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
            tls: nil,
            reactor: reactor,
            logger: .silent
        )
        let address = try #require(server.boundAddresses.first)
        let curl = CurlClient(reactor, configuration: ClientConfiguration())
        try await body(LoginBench(reactor: reactor, origin: "http://\(address)", curl: curl, appleKey: appleKey))
        await server.drain()
        simulator.stop()
    }
}
