import EventIO
import HTTPCore
import HTTPServer
import Primitives
import StrictJSON
import Telemetry
import Webhooks

/// One event as it came to a merchant.
package struct ReceivedWebhook: Sendable {
    /// `evt_…`, the same at every try.
    package let id: String
    /// For example `session.paid`.
    package let type: String
    /// The webview session.
    package let session: String
    /// The place among the events of the session.
    package let sequence: Int
    /// Octet for octet.
    package let body: [UInt8]
    /// Whether the signature is by one of the receiver's secrets.
    package let isGenuine: Bool
    /// Whether it was answered as one that has arrived.
    package let isAccepted: Bool
}

/// A merchant's server: plain HTTP on loopback, on a loop of its own, that checks signatures and behaves as a test says.
package final class WebhookReceiver: Sendable {
    /// What it does with an event.
    package enum Mode: Sendable {
        /// Answers with a status at once.
        case status(Int)
        /// Answers with a status and content, at once by default; `to` goes into `Location`.
        case answer([UInt8], status: Int = 200, to: String? = nil, after: Duration? = nil)
        /// Answers with 200 after a while.
        case slow(Duration)
        /// Answers nothing and keeps the connection.
        case hang
        /// Closes the connection.
        case close
        /// Answers with 200, and announces more content than it sends.
        case half
    }

    private struct State {
        var mode = Mode.status(200)
        var secrets: [Secret<[UInt8]>] = []
        var received: [ReceivedWebhook] = []
    }

    /// What the loop of the receiver and the test share.
    private final class Memory: Sendable {
        private let state = Lock(State())

        func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
            state.withLock { body(&$0) }
        }
    }

    /// Where events may be sent.
    package let url: String
    /// The port it listens at.
    package let port: UInt16
    private let loop: EventLoop
    private let server: Server
    private let state: Memory

    /// Starts one.
    ///
    /// - Parameter port: Zero for one that the kernel chooses.
    package static func start(port: UInt16 = 0) async throws -> WebhookReceiver {
        let loop = try EventLoop(name: "receiver", logger: .silent)
        try loop.start()
        let state = Memory()
        let listener = ServerConfiguration.Listener(SocketAddress(v4: 0x7F00_0001, port: port), .clear)
        do {
            let server = try await loop.run { reactor in
                let server = Server(ServerConfiguration(name: "receiver", listeners: [listener]), logger: .silent)
                try server.attach(to: reactor, handler: Handler(reactor, try WebhookSigner(), state))
                return server
            }
            return WebhookReceiver(loop, server, state)
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
        port = server.boundAddresses.first?.port ?? 0
        url = "http://127.0.0.1:\(port)/hook"
    }

    /// What it does from now on.
    package func behave(_ mode: Mode) {
        state.withLock { $0.mode = mode }
    }

    /// Gives it the secret of an endpoint.
    ///
    /// - Parameter text: `whsec_…`; another text changes nothing.
    package func trust(_ text: String) {
        guard let secret = WebhookKey.secret(text) else { return }
        state.withLock { $0.secrets.append(secret) }
    }

    /// Everything that came, in order, also what was not accepted.
    package var received: [ReceivedWebhook] { state.withLock { $0.received } }

    /// What was accepted, in order.
    package var accepted: [ReceivedWebhook] { received.filter(\.isAccepted) }

    /// Stops listening, so that connections are refused and the port is free for another program; then ends it.
    package func leave() async {
        await server.drain()
        stop()
    }

    /// Ends it at once.
    package func stop() {
        loop.stop()
        loop.join()
    }

    /// Checks and answers, on the receiver's loop.
    private final class Handler: RequestHandler {
        private let reactor: Reactor
        private let signer: WebhookSigner
        private let state: Memory

        private static let names = ["webhook-id", "webhook-timestamp", "webhook-signature"]

        init(_ reactor: Reactor, _ signer: WebhookSigner, _ state: Memory) {
            self.reactor = reactor
            self.signer = signer
            self.state = state
        }

        func handle(_ request: HTTPRequest) -> HandlerResult {
            let mode = state.withLock { $0.mode }
            keep(request, isAccepted: mode.isAccepting)
            let answer = mode.answer
            let reactor = reactor
            switch mode {
            case .status, .answer(_, _, _, nil): return .now(answer)
            case .slow(let pause), .answer(_, _, _, let pause?):
                return .later {
                    await reactor.sleep(for: pause)
                    return answer
                }
            case .hang:
                return .later {
                    await reactor.sleep(for: .seconds(3600))
                    throw HangUp()
                }
            case .close: return .later { throw HangUp() }
            case .half:
                let bytes = Array("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".utf8)
                return .later { throw HangUp(lastBytes: bytes) }
            }
        }

        private func keep(_ request: HTTPRequest, isAccepted: Bool) {
            let fields = Handler.names.compactMap { name -> (String, String)? in
                guard let fieldName = HTTPFieldName(name), let value = request.first(fieldName) else { return nil }
                return (name, value)
            }
            let json = try? JSONParser.parse(request.body)
            let secrets = state.withLock { $0.secrets }
            let webhook = ReceivedWebhook(
                id: fields.first?.1 ?? "",
                type: json?["type"]?.text ?? "",
                session: json?["sessionId"]?.text ?? "",
                sequence: json?["sequence"]?.integer ?? 0,
                body: request.body,
                isGenuine: signer.verify(fields, body: request.body, secrets: secrets, now: SystemClock().now()),
                isAccepted: isAccepted
            )
            state.withLock { $0.received.append(webhook) }
        }
    }
}

extension WebhookReceiver.Mode {
    /// Whether what it answers means that an event has arrived.
    fileprivate var isAccepting: Bool {
        switch self {
        case .status(let code), .answer(_, let code, _, _): (200...299).contains(code)
        case .slow, .half: true
        case .hang, .close: false
        }
    }

    /// What it answers, where it does.
    fileprivate var answer: HTTPResponse {
        switch self {
        case .status(let code): return HTTPResponse(HTTPStatus(code) ?? .internalError)
        case .answer(let body, let code, let target, _):
            var answer = HTTPResponse(HTTPStatus(code) ?? .internalError, body: .bytes(body))
            if let target { _ = answer.add(.location, target) }
            return answer
        case .slow, .hang, .close, .half: return HTTPResponse(.ok)
        }
    }
}
