import EventIO
import HTTPCore
import HTTPServer
import Primitives
import Telemetry
import TestKit

/// A way to a shop for programs of their own: https on loopback, which hands requests on, and may lose answers.
package final class ShopRelay: Sendable {
    /// A request that came.
    package struct Passed: Sendable {
        /// Without the query.
        package let path: String
        /// The value of `Idempotency-Key`; empty where there is none.
        package let key: String
        /// Octet for octet.
        package let body: [UInt8]
        /// When it came.
        package let time: ContinuousClock.Instant
    }

    /// What becomes of a request.
    package enum Fate: Sendable {
        /// It is carried out, and the connection ends before any octet of the answer.
        case lost
        /// It is not handed on, and answered with a status, a code and `Retry-After`.
        case refused(Int, code: String, retryAfter: Int)
        /// It is carried out, and answered at `release`.
        case held
    }

    private struct State {
        var passed: [Passed] = []
        var fates: [(end: String, fate: Fate)] = []
        var isHolding = false
    }

    private final class Memory: Sendable {
        private let state = Lock(State())

        func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
            state.withLock { body(&$0) }
        }
    }

    /// Where it is, without a slash at the end; the certificate is of the tests' authority.
    package let url: String
    private let loop: EventLoop
    private let server: Server
    private let state: Memory

    /// Starts one.
    package static func start(_ shop: Shop) async throws -> ShopRelay {
        let tls = try TestKeys.tlsContext(try TestKeys.get())
        let loop = try EventLoop(name: "relay", logger: .silent)
        try loop.start()
        let state = Memory()
        let listener = ServerConfiguration.Listener(SocketAddress(v4: 0x7F00_0001, port: 0), .tls)
        do {
            let server = try await loop.run { reactor in
                let server = Server(
                    ServerConfiguration(name: "relay", listeners: [listener]),
                    tls: tls,
                    logger: .silent
                )
                try server.attach(to: reactor, handler: Handler(reactor, shop, state))
                return server
            }
            return ShopRelay(loop, server, state)
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
    }

    private init(_ loop: EventLoop, _ server: Server, _ state: Memory) {
        self.loop = loop
        self.server = server
        self.state = state
        url = "https://127.0.0.1:\(server.boundAddresses.first?.port ?? 0)"
    }

    /// What becomes of the next requests whose path has an end, beside those that are spoken for already.
    ///
    /// - Parameter end: Of the path, for example `/complete`.
    package func arrange(_ end: String, _ fate: Fate, count: Int = 1) {
        state.withLock { state in
            if case .held = fate { state.isHolding = true }
            state.fates += Array(repeating: (end, fate), count: count)
        }
    }

    /// Lets the answers that are held go.
    package func release() {
        state.withLock { $0.isHolding = false }
    }

    /// The requests so far whose path has an end.
    package func passed(_ end: String) -> [Passed] {
        state.withLock { $0.passed }.filter { $0.path.hasSuffix(end) }
    }

    /// Ends it at once.
    package func stop() {
        loop.stop()
        loop.join()
    }

    /// Hands on, on the relay's loop.
    private final class Handler: RequestHandler {
        private let reactor: Reactor
        private let shop: Shop
        private let state: Memory

        private static let names = ["authorization", "content-type", "idempotency-key", "origin"]

        init(_ reactor: Reactor, _ shop: Shop, _ state: Memory) {
            self.reactor = reactor
            self.shop = shop
            self.state = state
        }

        func handle(_ request: HTTPRequest) -> HandlerResult {
            let fields = Handler.names.compactMap { name -> (String, String)? in
                guard let fieldName = HTTPFieldName(name), let value = request.first(fieldName) else { return nil }
                return (name, value)
            }
            let passed = Passed(
                path: request.path,
                key: fields.first { $0.0 == "idempotency-key" }?.1 ?? "",
                body: request.body,
                time: .now
            )
            let fate = state.withLock { state in
                state.passed.append(passed)
                let index = state.fates.firstIndex { passed.path.hasSuffix($0.end) }
                return index.map { state.fates.remove(at: $0).fate }
            }
            if case .refused(let status, let code, let pause) = fate {
                let body = Array(#"{"status":\#(status),"detail":"Later.","code":"\#(code)"}"#.utf8)
                var answer = HTTPResponse(HTTPStatus(status) ?? .internalError, body: .bytes(body))
                if let name = HTTPFieldName("retry-after") { _ = answer.add(name, "\(pause)") }
                return .now(answer)
            }
            let target = request.path + (request.query.map { "?" + $0 } ?? "")
            let (method, body) = ("\(request.method.text)", request.body)
            let http = shop.http
            return .later {
                try await self.answer(try await http.send(method, target, fields: fields, body: body).response, fate)
            }
        }

        private func answer(_ reply: InboundResponse, _ fate: Fate?) async throws -> HTTPResponse {
            switch fate {
            case .lost: throw HangUp()
            case .held:
                try await poll(reactor, "the release") { self.state.withLock { $0.isHolding } ? nil : () }
            case .refused, nil: break
            }
            var answer = HTTPResponse(HTTPStatus(reply.status) ?? .internalError, body: .bytes(reply.body))
            for name in ["content-type", "retry-after"] {
                guard let fieldName = HTTPFieldName(name), let value = reply.first(name) else { continue }
                _ = answer.add(fieldName, value)
            }
            return answer
        }
    }
}
