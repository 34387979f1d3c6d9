import EventIO
import HTTPClient
import HTTPCore
import Primitives
import Telemetry

/// The connection to the push service of one certificate, or of one team; made again when it is lost.
///
/// Not `Sendable`.
final class PushLink {
    let tokens: ProviderTokens?
    private let connector: HTTP2Connector
    private let reactor: Reactor
    private let logger: Logger
    private let onChange: () -> Void
    private var connection: HTTP2Connection?
    private var isConnecting = false
    private var failures = 0
    private var nextTry: MonotonicTime?
    /// Whether the service has taken a push, ever, and on this connection.
    private var isProved = false
    private var hasTaken = false

    /// From 1 to 2 seconds after the first failure, from 30 to 60 after the sixth.
    private static let backoff = Backoff(base: .seconds(2), cap: .seconds(60), least: 0.5)

    init(
        _ connector: HTTP2Connector,
        _ key: ProviderKey?,
        _ reactor: Reactor,
        _ logger: Logger,
        onChange: @escaping () -> Void
    ) {
        self.connector = connector
        tokens = key.map(ProviderTokens.init)
        self.reactor = reactor
        self.logger = logger
        self.onChange = onChange
    }

    /// Host and port, for requests.
    var authority: String { connector.destination.authority }

    /// The connection that requests may begin on; `nil` while there is none.
    var current: HTTP2Connection? { connection?.isOpen == true ? connection : nil }

    /// Connects where it is not connected, and may try; one try at a time.
    ///
    /// - Returns: How long to wait, at most; `nil` where it is connected.
    func connect() async -> Duration? {
        if current != nil { return nil }
        if connection != nil {
            connection = nil
            // One that was of no use counts like one that was not made: who opens many is taken for an attacker.
            if !hasTaken { return fail() }
        }
        let wait = nextTry.map { $0 - reactor.now } ?? .zero
        guard wait <= .zero, !isConnecting else { return max(wait, .milliseconds(100)) }
        isConnecting = true
        defer { isConnecting = false }
        do throws(HTTPExchangeError) {
            let made = try await connector.connect()
            made.onChange = onChange
            made.streamBound = tokens == nil || isProved ? nil : 1
            connection = made
            hasTaken = false
            nextTry = nil
            onChange()
            return nil
        } catch {
            if failures == 0 { logger.warning("push.not_connected", [LogField("detail", error.detail)]) }
            return fail()
        }
    }

    private func fail() -> Duration {
        failures += 1
        let pause = PushLink.backoff.pause(after: failures, random: reactor.random)
        nextTry = reactor.now + pause
        return pause
    }

    /// The service has taken a push: as many may be under way as it allows.
    func prove() {
        hasTaken = true
        guard !isProved || failures > 0 else { return }
        if failures > 0 { logger.info("push.connected", [LogField("failures", failures)]) }
        failures = 0
        isProved = true
        connection?.streamBound = nil
    }

    /// Begins nothing more on a connection; another is made behind a pause.
    func retire(_ used: HTTP2Connection) {
        used.retire()
        guard connection === used else { return }
        connection = nil
        _ = fail()
    }

    /// Ends the connection.
    func close() {
        connection?.close()
        connection = nil
    }
}
