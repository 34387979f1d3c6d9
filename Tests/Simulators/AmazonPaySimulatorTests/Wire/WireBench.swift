import AmazonPay
import AmazonPaySimulator
import Commerce
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import Primitives
import StrictJSON
import TestKit

/// A simulator on a socket, the broker's own client against it, and a browser, all on one loop.
struct WireBench {
    let reactor: Reactor
    let server: Server
    let origin: String
    let address: SocketAddress
    let curl: CurlClient
    let merchant: CheckoutClient
    let credentials: Credentials

    /// Sends a request as it is.
    func send(
        _ method: String,
        _ target: String,
        fields: [(String, String)] = [],
        body: [UInt8] = [],
        timeout: Duration = Patience.usual
    ) async throws -> InboundResponse {
        let url = target.hasPrefix("http") ? target : origin + target
        return try await curl.send(
            OutboundRequest(method: method, url: url, fields: fields, body: body, timeout: timeout)
        )
    }

    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let answer = try await send(
            method,
            "/_sim/" + path,
            fields: [("content-type", "application/json")],
            body: body?.bytes ?? []
        )
        return try JSONParser.parse(answer.body)
    }

    func addFault(_ operation: String, _ action: JSONValue) async throws {
        try await control("POST", "faults", ["match": ["operation": .string(operation)], "action": action])
    }

    func effectiveCompletes(_ id: String) async throws -> Int? {
        try await control("GET", "objects/" + id)[path: "_sim.effectiveCompletes"]?.integer
    }

    /// Goes from the button to the merchant's review page as `curl -L` with a cookie jar does.
    ///
    /// - Returns: The id of the session.
    func checkOut() async throws -> String {
        try await control("POST", "next-buyer", .object([]))
        let button = try await ButtonSigner(credentials).sign(
            CheckoutPayload(reviewURL: Bench.review, cancelURL: Bench.cancel, storeID: Bench.storeID)
        ) { work in work() }
        let form = Bench.startForm(changing: [
            "payloadJSON": button.payloadJSON, "signature": button.signature, "algorithm": button.algorithm.label,
        ])
        let last = try await follow("POST", "/checkout/start", body: Bench.encoded(form))
        return Bench.sessionID(in: last)
    }

    /// Follows redirects inside the simulator, with cookies.
    ///
    /// - Returns: The first URL outside.
    func follow(_ method: String, _ target: String, body: [UInt8] = []) async throws -> String {
        var (method, target, body) = (method, target, body)
        var browser = Browser()
        for _ in 0..<20 {
            let form = body.isEmpty ? [] : [("content-type", "application/x-www-form-urlencoded")]
            let answer = try await send(method, target, fields: browser.fields.map { ($0.0, $0.1) } + form, body: body)
            if let line = answer.first("set-cookie") { browser.take(line) }
            guard let location = answer.first("location") else { return "\(answer.status) \(answer.body.count)" }
            guard location.hasPrefix("/") else { return location }
            (method, target, body) = ("GET", location, [])
        }
        return ""
    }

    /// The charge of a completed purchase.
    func charged(_ key: IdempotencyKey) async throws -> ChargeID {
        guard let id = try await held(),
            case .completed(let session) = await merchant.complete(.init(session: id, amount: Yen(27_996), key: key)),
            let charge = ChargeID(session.chargeID ?? "")
        else { throw AmazonPayError(.unreadable, detail: "no charge") }
        return charge
    }

    /// A session whose money is held.
    func held(_ yen: UInt32 = 27_996) async throws -> CheckoutSessionID? {
        guard let id = CheckoutSessionID(try await checkOut()) else { return nil }
        let update = CheckoutUpdate(resultURL: Bench.result, amount: Yen(yen), metadata: MerchantMetadata())
        let session = try await merchant.update(id, update)
        try await control("POST", "next-buyer", .object([]))
        _ = try await follow("GET", session.redirectURL ?? "")
        return id
    }
}

/// Runs a test against a simulator on a loop of its own.
///
/// - Parameters:
///   - security: Plain HTTP, or TLS with certificates made for the test.
///   - body: The test, on the loop.
/// - Throws: What the body throws.
func withSimulator(
    _ security: ServerConfiguration.Security = .clear,
    _ body: @escaping @Sendable (WireBench) async throws -> Void
) async throws {
    guard security == .tls else { return try await withLoop { try await body(WireBench($0, nil)) } }
    try await withTemporaryFolder { folder in
        let tls = try WireTLS(folder: folder)
        try await withLoop { try await body(WireBench($0, tls)) }
    }
}

/// Runs a test against a simulator with a set-up and a clock of its own.
///
/// - Parameters:
///   - configuration: Its `baseURL` is where it listens.
///   - clock: Of the loop of both.
///   - body: The test, on the loop.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
func withSimulator<Result: Sendable>(
    _ configuration: SimulatorConfiguration,
    clock: any LoopClock,
    _ body: @escaping @Sendable (WireBench) async throws -> Result
) async throws -> Result {
    try await withLoop(clock: clock) { try await body(WireBench($0, nil, configuration)) }
}

extension WireBench {
    init(
        _ reactor: Reactor,
        _ tls: WireTLS?,
        _ configuration: SimulatorConfiguration = Bench.configuration,
        port: UInt16 = 0
    ) throws {
        var configuration = configuration
        configuration.merchants.append(Bench.american)
        configuration.baseURL = ""
        var sending = ClientConfiguration()
        // A slow machine is no fault.
        sending.connectTimeout = Patience.usual
        if let tls { sending.trust = .file(path: tls.authorityPath) }
        curl = CurlClient(reactor, configuration: sending)
        server = try AmazonPaySimulator.attach(
            configuration,
            listener: .init(SocketAddress(v4: 0x7F00_0001, port: port), tls == nil ? .clear : .tls),
            tls: tls?.context,
            reactor: reactor,
            exchange: curl
        )
        address = server.boundAddresses[0]
        let bound = address.port
        origin = tls == nil ? "http://127.0.0.1:\(bound)" : "https://localhost:\(bound)"
        credentials = try WireBench.credentials(of: Bench.merchant)
        merchant = try WireBench.client(credentials, origin, reactor, through: curl)
        self.reactor = reactor
    }

    /// An account with the first of its keys; all of them are one key pair.
    static func credentials(
        of account: Merchant,
        _ algorithm: SigningAlgorithm = .pssV2
    ) throws -> Credentials {
        var settings = CredentialSettings()
        settings.merchantID = account.id
        settings.storeID = account.storeIDs.first ?? ""
        settings.publicKeyID = account.publicKeys.first?.id ?? ""
        settings.environment = PublicKeyID(settings.publicKeyID)?.environment == nil ? "sandbox" : ""
        settings.algorithm = algorithm.rawValue
        settings.privateKeyPEM = Secret(Array(TestKeys.merchantPrivate.utf8))
        return try Credentials(settings)
    }

    /// The broker's own client, which waits for nothing between its tries.
    static func client(
        _ credentials: Credentials,
        _ origin: String,
        _ reactor: Reactor,
        through exchange: any HTTPExchange
    ) throws -> CheckoutClient {
        CheckoutClient(
            credentials,
            endpoint: try AmazonPayEndpoint(simulator: origin, for: credentials),
            quota: CallQuota(.unlimited),
            over: exchange,
            signOffLoop: { work in work() },
            timing: CallTiming(
                sleep: { _ in },
                uptime: { .nanoseconds(Int64(clamping: reactor.now.nanoseconds)) },
                clock: SystemClock(),
                random: reactor.random
            )
        )
    }
}
