import HTTPClient
import Operations
import Primitives
import Settings
import TLS

/// What the push service knows a pass type by.
struct PushCredential: Sendable {
    let passType: String
    let team: String
    /// The certificate of the pass type, its issuers behind it, and its key; shown where no key for provider tokens is set.
    let identity: TLSIdentity
}

/// The sending of pushes, once per process: where to, and what has come to a halt.
///
/// Any thread may wake, replace and ask; one sender sends.
final class PushProcess: Sendable {
    /// How the phones of one pass type are woken.
    struct Route: Sendable {
        let passType: String
        let destination: HTTP2Destination
        /// `nil` where the connection shows a certificate.
        let key: ProviderKey?

        /// Pass types with the same one share a connection: those of a team with provider tokens.
        var connection: String { key?.team ?? passType }
    }

    private struct State {
        var routes: [Route]
        var generation = 0
        var halts: [String: String] = [:]
        var doubts: Set<OctetText> = []
    }

    let settings: PushSettings
    /// Says that something may be due; for the sender.
    let wakes: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private let state: Lock<State>

    /// Reads the files that the settings name.
    ///
    /// - Throws: What is wrong with them, or with a credential.
    init(_ settings: PushSettings, _ credentials: [PushCredential]) throws(ConfigurationError) {
        self.settings = settings
        (wakes, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        state = Lock(State(routes: try PushProcess.routes(settings, credentials)))
    }

    /// Reads the files again, and goes on with new credentials on new connections; what was halted goes on, too.
    ///
    /// - Throws: What is wrong; it goes on with what it had.
    func replace(_ credentials: [PushCredential]) throws(ConfigurationError) {
        let routes = try PushProcess.routes(settings, credentials)
        state.withLock { state in
            state = State(routes: routes, generation: state.generation + 1)
        }
        wake()
    }

    private static func routes(
        _ settings: PushSettings,
        _ credentials: [PushCredential]
    ) throws(ConfigurationError) -> [Route] {
        let (trust, key) = (try settings.trust(), try settings.key())
        var routes: [Route] = []
        for credential in credentials {
            do throws(TLSError) {
                let identity = key == nil ? credential.identity : nil
                let tls = try TLSContext(trustedPEM: trust, identity: identity, alpn: HTTP2Destination.tlsProtocols)
                routes.append(
                    Route(
                        passType: credential.passType,
                        destination: settings.destination(tls),
                        key: key.map { ProviderKey(id: settings.keyID, team: credential.team, key: $0) }
                    )
                )
            } catch {
                throw ConfigurationError(problems: ["push of \(credential.passType): \(error.debugDescription)"])
            }
        }
        return routes
    }

    /// Makes the sender look at once, also from another loop; call it behind a commit that has made something due.
    func wake() { wakeUp.yield() }

    /// Ends the sender's wait for a wake-up.
    func finish() { wakeUp.finish() }

    /// What is sent to, and a number that changes with it.
    var current: (routes: [Route], generation: Int) { state.withLock { ($0.routes, $0.generation) } }

    /// Sends nothing more for a pass type, until the next start or reload.
    func halt(_ passType: String, because reason: String, in generation: Int) {
        state.withLock { state in if state.generation == generation { state.halts[passType] = reason } }
    }

    /// The service calls tokens bad, and has taken no push of the pass type yet.
    func doubt(_ passType: String, in generation: Int) {
        state.withLock { state in if state.generation == generation { state.doubts.insert(passType.octets) } }
    }

    /// The service has taken a push of the pass type.
    func trust(_ passType: String, in generation: Int) {
        state.withLock { state in if state.generation == generation { state.doubts.remove(passType.octets) } }
    }

    /// Pass types that nothing is sent for, and why.
    var halts: [String: String] { state.withLock { $0.halts } }

    /// Whether all is sent that is due.
    var health: Health {
        let (halts, doubts) = state.withLock { state in
            (state.halts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }, state.doubts)
        }
        guard let first = halts.first else {
            guard let doubted = doubts.min() else { return .ok }
            return .degraded(
                "no push for \(doubted.string) was accepted yet, and tokens are called bad: host or certificate?"
            )
        }
        let others = halts.count > 1 ? " (and \(halts.count - 1) more)" : ""
        return .degraded("no pushes for \(first.key): \(first.value)\(others); reload or restart when mended")
    }
}
