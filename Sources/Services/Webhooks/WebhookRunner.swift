import Cryptography
import EventIO
import HTTPCore
import Primitives
import Settings
import StrictJSON

/// Carries out the actions of `sallyport webhooks`, and reports in JSON lines.
final class WebhookRunner {
    private let store: PostgresWebhookStore
    private let vault: WebhookVault?
    private let random: any RandomSource
    private let exchange: any HTTPExchange
    private let agent: String

    private static let limit = 10_000

    /// A runner on the loop of a command.
    ///
    /// - Parameters:
    ///   - vault: Seals keys; `nil` for actions that make none.
    ///   - agent: Their `User-Agent`.
    init(
        store: PostgresWebhookStore,
        vault: WebhookVault?,
        random: any RandomSource,
        exchange: any HTTPExchange,
        agent: String
    ) {
        self.store = store
        self.vault = vault
        self.random = random
        self.exchange = exchange
        self.agent = agent
    }

    /// Carries out an action.
    ///
    /// - Returns: JSON texts, one for each line; none where nothing was found.
    /// - Throws: `StoreError` or `CryptographyError`.
    func run(_ action: WebhookAction) async throws -> [String] {
        switch action {
        case .add(let url, let types):
            let id = UUIDBytes(version7At: SystemClock().now(), random: random)
            let (key, sealed) = try mint(id)
            try await store.add(id, url: url, types: types, key: sealed)
            return [line([("id", .string(id.description)), ("url", .string(url))] + words(key))]
        case .list:
            return try await store.endpoints().map(line)
        case .queues(let subject, let onlyDeadLettered):
            return try await store.queues(
                of: subject,
                onlyDeadLettered: onlyDeadLettered,
                limit: WebhookRunner.limit
            ).map(
                line
            )
        case .replay(let what):
            let done = try await store.replay(what)
            guard done.queues + done.underWay > 0 else { return [] }
            return [line([("queues", JSONValue(done.queues)), ("underWay", JSONValue(done.underWay))])]
        case .rotate(let id, let overlap):
            let (key, sealed) = try mint(id)
            guard let until = try await store.rotate(id, to: sealed, overlap: overlap) else { return [] }
            return [line([("id", .string(id.description))] + words(key) + [("previousUntil", time(until))])]
        case .remove(let id):
            guard let count = try await store.remove(id) else { return [] }
            return [line([("id", .string(id.description)), ("queues", JSONValue(count))])]
        case .test: return []
        }
    }

    /// Sends a test event, signed as all others are.
    ///
    /// - Returns: A JSON text with the answer, and whether the event was taken; `nil` where there is no such endpoint.
    /// - Throws: `StoreError`, or `CryptographyError` where a key does not open.
    func test(_ endpoint: UUIDBytes, timeout: Duration) async throws -> (line: String, isTaken: Bool)? {
        guard let target = try await store.target(of: endpoint) else { return nil }
        guard let vault else { throw WebhookRunner.noSecret }
        let keys = try target.keys.map { key throws(CryptographyError) in try vault.open(key, of: endpoint) }
        let now = SystemClock().now()
        let event = UUIDBytes(version7At: now, random: random)
        let body = WebhookEvent.test(id: event, at: now)
        let sender = try WebhookSender(over: exchange, agent: agent)
        var members: [(String, JSONValue)] = [("event", .string(WebhookEvent.text(of: event)))]
        do throws(HTTPExchangeError) {
            let status = try await sender.send(event, body, to: target.url, keys: keys, at: now, timeout: timeout)
                .status
            members.append(("status", JSONValue(status)))
            return (line(members), (200...299).contains(status))
        } catch {
            members.append(("error", .string("\(error.code)")))
            return (line(members), false)
        }
    }

    private static let noSecret = ConfigurationError(problems: ["merchant.secret_file: not set"])

    private func mint(_ endpoint: UUIDBytes) throws -> (WebhookKey, SealedWebhookKey) {
        guard let vault else { throw WebhookRunner.noSecret }
        let key = WebhookKey.mint(random: random)
        return (key, try vault.seal(key, of: endpoint, random: random))
    }

    // MARK: Lines

    /// The only place where a secret is shown.
    private func words(_ key: WebhookKey) -> [(String, JSONValue)] {
        [("keyId", .string(key.id)), ("secret", .string(key.text.reveal()))]
    }

    private func line(_ members: [(String, JSONValue)]) -> String {
        JSONValue.object(members.map { JSONMember($0.0, $0.1) }).description
    }

    private func line(_ endpoint: WebhookEndpoint) -> String {
        line([
            ("id", .string(endpoint.id.description)), ("url", .string(endpoint.url)),
            ("events", .array(endpoint.types.map(JSONValue.string))), ("createdAt", time(endpoint.createdAt)),
            ("keyId", .string(endpoint.keyID)), ("previousKeyId", JSONValue(endpoint.previousKeyID)),
            ("waiting", JSONValue(endpoint.waiting)), ("dead", JSONValue(endpoint.deadLettered)),
            ("waitingSince", time(endpoint.waitingSince)),
        ])
    }

    private func line(_ queue: WaitingQueue) -> String {
        line([
            ("endpoint", .string(queue.endpoint.description)), ("webview_session", .string(queue.subject.description)),
            ("event", JSONValue(queue.event.map(WebhookEvent.text))), ("type", JSONValue(queue.type)),
            ("sequence", .number(String(queue.places.lowerBound))), ("last", .number(String(queue.places.upperBound))),
            ("failures", JSONValue(queue.failures)), ("status", queue.last.status.map { JSONValue($0) } ?? .null),
            ("error", JSONValue(queue.last.error)), ("since", time(queue.since)), ("nextAt", time(queue.nextAt)),
        ])
    }

    private func time(_ time: WallTime?) -> JSONValue {
        JSONValue(time.map { CalendarDate($0).extendedText })
    }
}
