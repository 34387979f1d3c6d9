import EventIO
import HTTPClient
import IntegrationKit
import Primitives
import StrictJSON
import Testing

/// A way in which a client may leave the server waiting.
private enum HungClient: CaseIterable {
    /// It connects, and that is all.
    case silent
    /// It begins a TLS handshake.
    case halfHandshake
    case halfHead
    case halfBody
    /// It was answered, keeps its connection, and would like another protocol on it.
    case keptConnection
    /// HTTP/2: the preface, and no frame behind it.
    case silentSession
    /// HTTP/2: a request whose content never comes.
    case halfStream
    /// HTTP/2: an answer that no window lets through.
    case unreadStream
    /// More answers than the kernel takes for a client that does not read.
    case unreadAnswers

    /// Two hundred; the answers of those that read none lie in the kernel's memory.
    var count: Int { self == .unreadAnswers ? 4 : 200 }

    /// What the client sends.
    var opening: [UInt8] {
        switch self {
        case .silent: []
        // The first half of the head of a record with a ClientHello.
        case .halfHandshake: [22, 3, 1]
        case .halfHead: Array("GET /error HTTP/1.1\r\nHo".utf8)
        case .halfBody: HungClient.head("POST /purchase", "Content-Length: 10") + Array("half".utf8)
        case .keptConnection: HungClient.head("GET /error", "Connection: Upgrade\r\nUpgrade: websocket")
        case .silentSession: HungClient.preface()
        case .halfStream: HungClient.preface() + HungClient.request(0x83, flags: 4)
        case .unreadStream: HungClient.preface([0, 4, 0, 0, 0, 0]) + HungClient.request(0x82, flags: 5)
        case .unreadAnswers:
            Array(repeatElement(HungClient.head("GET /iosApp/cart", "Accept: */*"), count: 800).joined())
        }
    }

    /// The octets after which it is known that the server waits for this client, or with which the answer begins.
    var answerCount: Int {
        switch self {
        case .silent, .halfHandshake, .halfHead, .halfBody: 0
        case .keptConnection, .unreadAnswers: 12
        // A frame of settings at least, and behind it the fields of the answer.
        case .silentSession, .halfStream: 9
        case .unreadStream: 120
        }
    }

    private static func head(_ line: String, _ field: String) -> [UInt8] {
        Array("\(line) HTTP/1.1\r\nHost: \(ServerProcess.host)\r\n\(field)\r\n\r\n".utf8)
    }

    /// The preface of a client, with its settings.
    private static func preface(_ settings: [UInt8] = []) -> [UInt8] {
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, settings, stream: 0)
    }

    /// The head of a request for a page.
    ///
    /// - Parameter method: Its field, an index of HPACK's static table.
    private static func request(_ method: UInt8, flags: UInt8) -> [UInt8] {
        // Path and authority as literals without index, under the names of the static table.
        let fields = [(UInt8(4), "/iosApp/cart"), (1, ServerProcess.host)].flatMap { name, text in
            [name, UInt8(text.utf8.count)] + Array(text.utf8)
        }
        return frame(1, flags: flags, [method, 0x87] + fields, stream: 1)
    }

    private static func frame(_ type: UInt8, flags: UInt8 = 0, _ payload: [UInt8], stream: UInt8) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
    }
}

@Suite("A program whose clients hang", .tags(.database, .slow))
struct HungClientsTests {
    /// The shortest that can be set.
    private static let drain = Duration.seconds(1)
    /// What a busy machine may take beside it; each other deadline is later.
    private static let grace = Duration.seconds(40)

    @Test func `ends within its drain at SIGTERM`() async throws {
        try await withProcessShop(over: .http2) { shop in
            shop.settings.merge(
                [
                    "SALLYPORT_CLEAR_LISTEN": "127.0.0.1:0", "SALLYPORT_HTTP2_CLEAR": "true",
                    "SALLYPORT_LIMITS_DRAIN": "1s", "SALLYPORT_LIMITS_HANDSHAKE_DEADLINE": "1m",
                    "SALLYPORT_LIMITS_HEADER_DEADLINE": "2m", "SALLYPORT_LIMITS_BODY_DEADLINE": "2m",
                    "SALLYPORT_LIMITS_HANDLER_DEADLINE": "10m", "SALLYPORT_LIMITS_WRITE_DEADLINE": "10m",
                    "SALLYPORT_LIMITS_IDLE": "1h", "SALLYPORT_HTTP2_RESPONSE_DEADLINE": "1h",
                ]
            ) { _, new in new }
            let server = try await shop.startServer()
            let crossings = try await shop.place(4, on: [server])
            try await shop.control.fault("CompleteCheckoutSession", count: 4, ["delayMs": 600_000])
            let ended = Box<(ChildProcess.Exit, Duration)>()
            // Purchases whose provider hangs are among the requests in flight; what becomes of their answers is another matter.
            let parts: [Crossing?] = crossings + [nil]
            _ = try await inParallel(shop.reactor, parts) { crossing in
                if let crossing {
                    _ = try? await shop.client.purchase(crossing, server.url)
                    return
                }
                try await shop.waitUntilFaultsAreMet()
                let clients = try await HungClientsTests.hang(on: server, shop)
                let begin = shop.reactor.now
                let exit = try await server.program.end(.terminate)
                ended.value = (exit, shop.reactor.now - begin)
                withExtendedLifetime(clients) {}
            }
            let (exit, time) = try #require(ended.value)
            #expect(exit == .code(0))
            #expect(time < HungClientsTests.drain + HungClientsTests.grace)
            #expect(server.program.log.contains("server.stopped"))
            for crossing in crossings { #expect(try shop.state(of: crossing) == "purchasing") }
        }
    }

    /// All clients of all kinds, when the server waits for each of them.
    private static func hang(on server: ServerProcess, _ shop: ProcessShop) async throws -> [RawClient] {
        var clients: [RawClient] = []
        for kind in HungClient.allCases {
            for _ in 0..<kind.count {
                let client = try RawClient("http://" + server.addresses[kind == .halfHandshake ? 0 : 1])
                try client.send(kind.opening)
                clients.append(client)
            }
            let answerCount = kind.answerCount
            for client in clients.suffix(kind.count) {
                try await poll(shop.reactor, "the answer of \(kind)") {
                    try client.hasReceived(answerCount) ? () : nil
                }
            }
        }
        let count = clients.count
        try await poll(shop.reactor, "\(count) connections") {
            let figures = try await shop.client.send("GET", server.adminURL + "/metrics").text
            let line = figures.firstMatch(of: #/sallyport_http_open_connections{server="public"} (\d+)/#)
            return line.flatMap { Int($0.1) } ?? 0 >= count ? () : nil
        }
        return clients
    }
}
