import AppleSimulator
import Cryptography
import DeviceAttestation
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing
import Web

@testable import DeviceCheck

/// The real client and the simulated DeviceCheck, on a socket, by a clock that a test moves.
final class DeviceServiceBench {
    let service: AppleDeviceService
    let access: AppleDeviceAccess
    let settings: AppleDeviceSettings
    let exchange: WatchedExchange
    let reactor: Reactor
    let clock: ManualClock
    let log: CapturedLog
    let metrics = MetricsRegistry()
    /// What a program is set to for it, by the end of the variables.
    let texts: [String: String]
    private let origin: String
    private let curl: CurlClient

    static let team = "SPTEAM1234"
    /// The keys that the service knows, by name.
    static let keyIDs = ["SP2X9R4HXF", "SP3OTHERKY"]

    static func run(_ body: @escaping @Sendable (DeviceServiceBench, String) async throws -> Void) async throws {
        let clock = ManualClock()
        try await withTemporaryFolder { folder in
            try await withLoop(clock: clock) { reactor in
                var configuration = DeviceCheckModel.Configuration(seed: [1])
                configuration.team = team
                for id in keyIDs {
                    let pem = try ES256PrivateKey.generatePEM()
                    try Files.write("\(folder)/AuthKey_\(id).p8", pem.reveal(), mode: 0o600)
                    let key = try JWSVerificationKey(of: ES256PrivateKey(pem: pem))
                    configuration.keys.append(APIKey(id: id, issuer: team, key: key))
                }
                let simulator = DeviceCheckSimulator(configuration, reactor: reactor)
                let server = try simulator.serve(
                    on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
                    tls: nil,
                    reactor: reactor,
                    logger: .silent
                )
                let address = try #require(server.boundAddresses.first)
                try await body(try DeviceServiceBench("http://\(address)", folder, clock, reactor), folder)
                await server.drain()
                simulator.stop()
            }
        }
    }

    private init(_ origin: String, _ folder: String, _ clock: ManualClock, _ reactor: Reactor) throws {
        texts = [
            "PRIVATE_KEY": "\(folder)/AuthKey_\(DeviceServiceBench.keyIDs[0]).p8",
            "PRODUCTION_URL": "\(origin)/production", "DEVELOPMENT_URL": "\(origin)/development",
        ]
        settings = try DeviceServiceBench.settings(texts)
        access = AppleDeviceAccess(try settings.tokens())
        log = CapturedLog()
        let context = LoopContext(
            reactor,
            database: try ScriptedDatabase().client(reactor),
            headers: HeaderPolicy(includesSubdomains: false),
            logger: log.logger(),
            metrics: metrics
        )
        // With the bounds that the feature sets, and no real time-out: a clock that stands still has none.
        curl = CurlClient(reactor)
        exchange = WatchedExchange(
            CurlClient(reactor, configuration: settings.purpose(.production).configuration)
        )
        context.offer(exchange, as: (any HTTPExchange).self)
        service = AppleDeviceService(settings, access, context)
        (self.origin, self.reactor, self.clock) = (origin, reactor, clock)
    }

    /// Settings of the client, as an environment has them.
    static func settings(_ texts: [String: String]) throws -> AppleDeviceSettings {
        let environment = Dictionary(uniqueKeysWithValues: texts.map { ("SALLYPORT_DEVICE_CHECK_" + $0.key, $0.value) })
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        return AppleDeviceSettings(&reader, teamID: team)
    }

    /// Asks the control interface.
    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        let request = OutboundRequest(
            method: method,
            url: origin + "/_sim" + path,
            fields: [("content-type", "application/json")],
            body: body?.bytes ?? [],
            timeout: Patience.usual
        )
        let answer = try await curl.send(request)
        let value = try JSONParser.parse(answer.body)
        #expect(answer.status == 200, "\(method) \(path): \(value)")
        return value
    }

    /// What an app on a new device gets.
    func token(_ environment: String = "production") async throws -> DeviceToken {
        let device = try #require(try await control("POST", "/devices")["device"]?.integer)
        let made = try await control("POST", "/devices/\(device)/tokens", ["environment": .string(environment)])
        return try DeviceToken(try #require(made["deviceToken"]?.text))
    }

    /// Has the next requests go wrong.
    func fault(_ action: JSONValue, times: Int = 99) async throws {
        try await control("DELETE", "/faults")
        try await control("POST", "/faults", ["match": ["count": JSONValue(times)], "action": action])
    }

    /// The requests that the service has got.
    func entries() async throws -> [JSONValue] {
        try await control("GET", "/log?limit=1000")["entries"]?.elements ?? []
    }

    /// Has time pass.
    func pass(_ time: Duration) async {
        clock.advance(by: time, waking: reactor.executor)
        await reactor.nextTurn()
    }

    /// Asks, while pauses pass at once.
    ///
    /// - Returns: What came of it, and how many requests were sent.
    func ask(
        _ request: DeviceCheckRequest,
        _ token: DeviceToken,
        in environment: DeviceEnvironment = .production
    ) async throws -> (reply: DeviceServiceReply, requests: Int) {
        let before = exchange.requests.count
        var reply: DeviceServiceReply?
        reactor.startTask { reply = await self.service.ask(request, about: token, in: environment) }
        _ = await waitUntil(reactor) {
            if exchange.pending == 0 { clock.advance(by: .milliseconds(50), waking: reactor.executor) }
            return reply != nil
        }
        return (try #require(reply), exchange.requests.count - before)
    }

    /// Forgets what is held against the service, as a change of the key does.
    func forgive() throws { access.replace(try settings.tokens()) }
}

/// Another server on the network, of which every request is kept.
final class WatchedExchange: HTTPExchange {
    private let inner: any HTTPExchange
    /// Everything that was asked, in order.
    private(set) var requests: [OutboundRequest] = []
    /// How many of them have no answer yet.
    private(set) var pending = 0
    /// What the next request is answered in place of the service.
    var next: InboundResponse?

    init(_ inner: any HTTPExchange) { self.inner = inner }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        requests.append(request)
        pending += 1
        defer { pending -= 1 }
        if let answer = next {
            next = nil
            return answer
        }
        var request = request
        // Real time passes meanwhile, and a slow machine is no fault.
        request.timeout = Patience.usual
        return try await inner.send(request)
    }

    /// The bearer tokens that were shown, each once.
    var bearers: Set<String> {
        Set(requests.compactMap { request in request.fields.first { $0.0 == "Authorization" }?.1 })
    }
}
