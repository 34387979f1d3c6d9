import AppStoreTransactions
import Primitives

/// When calls of Apple's server may be made: so many a second of each kind, and none before a time that Apple has named.
///
/// One for a process, since Apple counts for the app.
final class ServerAPIPace: Sendable {
    private struct Kind: Hashable {
        let environment: AppStoreEnvironment
        let call: ServerAPICall
    }

    /// The next moment at which a call of a kind may be made.
    private let next = Lock<[Kind: WallTime]>([:])

    /// How long a call may wait for its turn.
    static let patience = Duration.seconds(2)

    /// The turn of a call.
    ///
    /// - Returns: The time at which it may be made, within `patience`; the call has it.
    /// - Throws: `later` with the time at which it is worth asking again.
    func turn(
        of call: ServerAPICall,
        in environment: AppStoreEnvironment,
        at now: WallTime
    ) throws(ServerAPIProblem) -> WallTime {
        let perSecond = environment == .production ? call.callsPerSecond : max(1, call.callsPerSecond / 10)
        let turn = next.withLock { next -> WallTime? in
            let kind = Kind(environment: environment, call: call)
            let turn = max(next[kind] ?? now, now)
            guard turn <= now + ServerAPIPace.patience else { return nil }
            next[kind] = turn + .seconds(1) / perSecond
            return turn
        }
        guard let turn else { throw .later(now + ServerAPIPace.patience) }
        return turn
    }

    /// Makes no call of a kind before a time.
    func hold(_ call: ServerAPICall, in environment: AppStoreEnvironment, until time: WallTime) {
        next.withLock { next in
            let kind = Kind(environment: environment, call: call)
            next[kind] = max(next[kind] ?? time, time)
        }
    }
}

/// Why Apple's server has not said what it was asked.
enum ServerAPIProblem: Error, Hashable {
    /// The settings have no key.
    case off
    /// The environment has no server.
    case noServer
    /// Our key is refused.
    case credentials
    /// A repetition would be answered the same.
    case refused(ServerAPIFailure)
    /// It does not work, or is not reached.
    case unavailable
    /// The limit is reached; not before then.
    case later(WallTime)

    /// For the log.
    var sentence: String {
        switch self {
        case .off: "app_store.private_key is not set"
        case .noServer: "the environment has no server"
        case .credentials: "Apple refuses app_store.private_key"
        case .refused(let failure): "Apple's server: \(failure)"
        case .unavailable: "Apple's server does not answer"
        case .later(let time): "Apple's server is not asked before \(CalendarDate(time).extendedText)"
        }
    }
}
