import DeviceAttestation
import Primitives

/// What all loops share that ask Apple about devices: the bearer token, and when calls are kept back.
///
/// One for a process.
final class AppleDeviceAccess: Sendable {
    /// The token of all calls.
    let tokens: DeviceBearerTokens
    /// Keeps back calls of the service that exchanges receipts.
    let receipts = Lock(DeviceCheckBreaker())
    private let breakers = Lock<[DeviceEnvironment: DeviceCheckBreaker]>([:])
    private let complaint = Lock<WallTime?>(nil)
    private let probe = Lock(Probe())
    private let difference = Lock<Int64?>(nil)

    /// When the key is shown to Apple.
    private struct Probe {
        var isDue = true
        var last: WallTime?
    }

    /// Between two complaints about a clock.
    private static let pause = Duration.seconds(600)
    /// Between two probes of the key.
    private static let probePause = Duration.seconds(300)

    init(_ maker: DeviceBearerTokenMaker) { tokens = DeviceBearerTokens(maker) }

    /// Takes another key for all calls from now on, and forgives what Apple has held against the last one.
    func replace(_ maker: DeviceBearerTokenMaker) {
        tokens.replace(maker)
        breakers.withLock { $0 = [:] }
        receipts.withLock { $0.reset() }
        probe.withLock { $0.isDue = true }
    }

    /// Whether the key is to be shown to Apple now: once for each key, and not often.
    func takeProbe(at now: WallTime) -> Bool {
        probe.withLock { probe in
            if let last = probe.last, last <= now, now < last + AppleDeviceAccess.probePause { return false }
            guard probe.isDue else { return false }
            (probe.isDue, probe.last) = (false, now)
            return true
        }
    }

    /// Admits a call of an environment.
    ///
    /// - Returns: How long to wait where it is kept back.
    func wait(_ environment: DeviceEnvironment, at now: MonotonicTime) -> Duration? {
        breakers.withLock { $0[environment, default: DeviceCheckBreaker()].wait(at: now) }
    }

    /// Whether calls of an environment are kept back, or one call tries whether they have to be.
    func isHeld(_ environment: DeviceEnvironment) -> Bool { breakers.withLock { $0[environment]?.isOpen ?? false } }

    /// How many seconds Apple's clock was before ours at its last answer; `nil` before one has said.
    var clockDifference: Int64? { difference.withLock { $0 } }

    /// Notes how far the clocks are apart.
    func noteClock(_ seconds: Int64) { difference.withLock { $0 = seconds } }

    /// Notes what came of a try.
    ///
    /// - Parameters:
    ///   - retryAfter: The pause that the answer asks for.
    ///   - isFinal: Whether no other bearer token is tried.
    /// - Returns: Whether calls of the environment are kept back since: true and false for a change, `nil` for none.
    func note(
        _ answer: DeviceCheckAnswer,
        retryAfter: Duration?,
        isFinal: Bool,
        in environment: DeviceEnvironment,
        at now: MonotonicTime
    ) -> Bool? {
        breakers.withLock { breakers in
            var breaker = breakers[environment] ?? DeviceCheckBreaker()
            let wasOpen = breaker.isOpen
            breaker.note(answer, retryAfter: retryAfter, isFinal: isFinal, at: now)
            breakers[environment] = breaker
            return breaker.isOpen == wasOpen ? nil : breaker.isOpen
        }
    }

    /// Whether it is time to complain about a clock again.
    func mayComplain(at now: WallTime) -> Bool {
        complaint.withLock { last in
            if let last, last <= now, now < last + AppleDeviceAccess.pause { return false }
            last = now
            return true
        }
    }
}
