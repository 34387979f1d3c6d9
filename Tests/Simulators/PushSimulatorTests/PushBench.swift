import Cryptography
import EventIO
import HTTPCore
import HTTPServer
import Primitives
import SimulatorCore
import StrictJSON
import TLS
import TestKit
import Testing

@testable import PushSimulator

/// A push service with its control interface, on the loop of the test.
final class PushBench {
    static let topic = "pass.com.example.sallyport.member"
    static let token = String(repeating: "ab", count: 32)

    let reactor: Reactor
    let simulator: PushSimulator
    let shop: ScriptedShop
    let address: SocketAddress

    static let member = TLSIdentity(
        certificatePEM: PassCertificates.member,
        keyPEM: Secret(PassCertificates.memberKey)
    )
    static let rogue = TLSIdentity(certificatePEM: PassCertificates.rogue, keyPEM: Secret(PassCertificates.rogueKey))
    static let withoutTopic = TLSIdentity(
        certificatePEM: TestCertificates.second,
        keyPEM: Secret(TestCertificates.secondKey)
    )

    init(_ reactor: Reactor) throws {
        self.reactor = reactor
        shop = ScriptedShop(reactor)
        var configuration = PushModel.Configuration(seed: [1])
        configuration.baseURL = "http://127.0.0.1"
        let key = try ES256PublicKey(privatePEM: Secret(PassCertificates.providerKey))
        configuration.keys = [ProviderKey(id: "TESTKEY001", team: "SP4TEST9Z0", key: key)]
        simulator = PushSimulator(configuration, reactor: reactor, exchange: shop, judge: PlainJudge())
        let authorities = PassCertificates.root + PassCertificates.intermediate + TestCertificates.authority
        let tls = try TLSContext(
            certificatePEM: TestCertificates.first,
            keyPEM: Secret(TestCertificates.firstKey),
            alpn: ["h2"],
            clients: TLSClientTrust(authoritiesPEM: authorities, isRequired: false)
        )
        address = try simulator.openService(at: SocketAddress(v4: 0x7F00_0001, port: 0), tls: tls)
    }

    /// A client whose handshake is done.
    func client(_ identity: TLSIdentity? = PushBench.member, alpn: [String] = ["h2"]) async throws -> PushClient {
        let context = try TLSContext(trustedPEM: TestCertificates.authority, identity: identity, alpn: alpn)
        let client = try PushClient(reactor, address, context)
        try await client.begin()
        return client
    }

    /// Asks the control interface, as a program on this machine does.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        try JSONParser.parse(await ask(method, path, body?.bytes ?? []).body)
    }

    /// Asks the control interface for anything.
    func ask(
        _ method: String,
        _ path: String,
        _ body: [UInt8] = [],
        fields: [(name: HTTPFieldName, value: String)] = [],
        from peer: PeerAddress = PeerAddress(ipv4: 0x7F00_0001)
    ) async throws -> SimulatorAnswer {
        let word = HTTPMethod(method.utf8Span.span)
        let request = try #require(HTTPRequest(word, "/_sim" + path, fields: fields, body: body))
        request.peer = peer
        let response: HTTPResponse
        switch simulator.handle(request) {
        case .now(let answer): response = answer
        case .precomposed(let answer): response = answer.response
        case .later(let work): response = try await work()
        }
        var content: [UInt8] = []
        if case .bytes(let bytes) = response.body { content = bytes }
        return SimulatorAnswer(
            Int(response.status.code),
            response.fields.map { ($0.name.text, String(describing: $0.value)) },
            body: content
        )
    }

    /// Makes the token of tests known.
    func allowToken() async throws {
        try await control("POST", "/tokens", ["tokens": [.string(Self.token)], "topics": [.string(Self.topic)]])
    }

    /// The entries of the log.
    func log() async throws -> [JSONValue] { try await control("GET", "/log")["entries"]?.elements ?? [] }
}

/// Runs a test on a loop whose clock stands still.
func withPush(
    clock: any LoopClock = ManualClock(),
    _ body: @escaping @Sendable (PushBench) async throws -> Void
) async throws {
    try await withLoop(clock: clock) { reactor in
        let bench = try PushBench(reactor)
        try await body(bench)
        bench.simulator.stop()
    }
}

/// Takes `pass.json` alone for a pass, and refuses what is none.
struct PlainJudge: CardJudge {
    func judge(_ archive: [UInt8], at time: WallTime) -> CardVerdict {
        guard let json = try? JSONParser.parse(archive) else { return .bad(["not JSON"]) }
        // What a real one has in the files of its languages.
        var strings: [OctetText: [OctetText: String]] = [:]
        for language in json["strings"]?.members ?? [] {
            let texts = language.value.members.map { ($0.name.octets, $0.value.text ?? "") }
            strings[language.name.octets] = Dictionary(uniqueKeysWithValues: texts)
        }
        return .good(OpenedCard(json: json, strings: strings))
    }
}

/// A web service whose answers a test writes down.
final class ScriptedShop: HTTPExchange {
    /// What a phone asked.
    struct Request {
        let method: String
        let path: String
        let fields: [(String, String)]
        let body: [UInt8]

        func first(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    }

    private let reactor: Reactor
    /// In the order in which they came, logs apart.
    private(set) var requests: [Request] = []
    /// The lines of logs.
    private(set) var lines: [String] = []
    /// Answers by method and path; the last one stays, and without any the network is down.
    var answers: [String: [InboundResponse?]] = [:]
    /// Called before a request is answered.
    var onRequest: (Request) -> Void = { _ in }

    init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    static let origin = "https://shop.example/wallet"

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        // As a network does, it answers later.
        await reactor.nextTurn()
        guard request.url.hasPrefix(ScriptedShop.origin) else { throw HTTPExchangeError(.connectFailed) }
        let path = String(request.url.dropFirst(ScriptedShop.origin.count))
        if path == "/v1/log" {
            let body = try? JSONParser.parse(request.body)
            lines += body?["logs"]?.elements.compactMap(\.text) ?? []
            return InboundResponse(status: 200)
        }
        let asked = Request(method: request.method, path: path, fields: request.fields, body: request.body)
        requests.append(asked)
        onRequest(asked)
        let key = request.method + " " + path
        guard let next = answers[key]?.first, let answer = next else {
            if answers[key, default: []].count > 1 { answers[key]?.removeFirst() }
            throw HTTPExchangeError(.connectionLost)
        }
        if answers[key, default: []].count > 1 { answers[key]?.removeFirst() }
        return answer
    }

    /// Waits until so many requests have come.
    func waitFor(_ count: Int) async -> Bool { await waitUntil(reactor) { self.requests.count >= count } }
}
