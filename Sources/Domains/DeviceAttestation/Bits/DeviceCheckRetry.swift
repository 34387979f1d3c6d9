package import Primitives

/// Decides after each try of a call whether to try again, and when; one for each call.
///
/// Every try has the same device token and transaction id, and a time stamp of its own.
package struct DeviceCheckRetry: Sendable {
    /// What to do next.
    package enum Step: Sendable, Equatable {
        /// The answer stands.
        case end
        /// Try again after a pause.
        case again(after: Duration)
        /// Drop the bearer token and try again with a new one, at once.
        case newToken
    }

    /// Time for a call with all its tries: the device token dies soon, and a user waits.
    package static let deadline = Duration.seconds(5)
    /// Time for one try.
    package static let longestTry = Duration.seconds(3)
    /// Less than this is no time for a try.
    private static let shortestTry = Duration.milliseconds(200)
    /// Pauses before the second and third try; each is cut by up to a half at random.
    private static let pauses: [Duration] = [.milliseconds(300), .seconds(1)]

    private let end: MonotonicTime
    private var repetitions = 0
    private var hasNewToken = false

    /// The decisions on a call that begins now.
    package init(at now: MonotonicTime) { end = now + DeviceCheckRetry.deadline }

    /// The time that a try may take; `nil` where there is no more time for one.
    package func timeout(at now: MonotonicTime) -> Duration? {
        let rest = end - now
        return rest < DeviceCheckRetry.shortestTry ? nil : min(rest, DeviceCheckRetry.longestTry)
    }

    /// The decision on a try.
    ///
    /// - Parameters:
    ///   - status: `nil` without an answer.
    ///   - retryAfter: The pause that the answer asks for.
    package mutating func next(
        after answer: DeviceCheckAnswer,
        status: Int?,
        retryAfter: Duration?,
        at now: MonotonicTime,
        random: any RandomSource
    ) -> Step {
        switch answer {
        case .record, .ok, .badDeviceToken, .badRequest: return .end
        case .credentials, .credentialsExpired:
            // One that was revoked or made by a wrong clock; of a token that is not even read there is no better one.
            guard status == 401, !hasNewToken, timeout(at: now) != nil else { return .end }
            hasNewToken = true
            return .newToken
        case .throttled:
            guard let retryAfter else { return .end }
            return again(after: retryAfter, at: now)
        case .unavailable, .unreadable:
            guard repetitions < DeviceCheckRetry.pauses.count else { return .end }
            let longest = DeviceCheckRetry.pauses[repetitions].microseconds
            let cut = Int64(random.number(byteCount: 4)) % (longest / 2 + 1)
            return again(after: .microseconds(longest - cut), at: now)
        }
    }

    private mutating func again(after pause: Duration, at now: MonotonicTime) -> Step {
        guard repetitions < DeviceCheckRetry.pauses.count, timeout(at: now + pause) != nil else { return .end }
        repetitions += 1
        return .again(after: pause)
    }
}

/// Keeps calls back while Apple's service does not work or does not want us; one for each environment.
package struct DeviceCheckBreaker: Sendable {
    /// As many answers in a row that are none open it.
    package static let failures = 5
    /// For so long.
    package static let pause = Duration.seconds(10)
    /// Where Apple asks for fewer requests without saying for how long.
    package static let usualThrottle = Duration.seconds(30)
    /// Nobody is believed who asks for more.
    package static let longestThrottle = Duration.seconds(3_600)
    /// Where our credentials are refused.
    package static let credentialsPause = Duration.seconds(60)
    /// A call that tests whether the service works again has so long to say so.
    private static let probe = DeviceCheckRetry.deadline + .seconds(5)

    private var failures = 0
    private var openUntil: MonotonicTime?
    private var isProbed = false

    /// One that keeps nothing back.
    package init() {}

    /// Whether calls are kept back.
    package var isOpen: Bool { openUntil != nil }

    /// Admits a call.
    ///
    /// - Returns: How long to wait, where it is not; `nil` where it is. Behind the wait one call is let through first.
    package mutating func wait(at now: MonotonicTime) -> Duration? {
        guard let openUntil else { return nil }
        guard openUntil <= now else { return openUntil - now }
        self.openUntil = now + DeviceCheckBreaker.probe
        isProbed = true
        return nil
    }

    /// Notes an answer.
    ///
    /// - Parameters:
    ///   - retryAfter: The pause that it asks for.
    ///   - isFinal: Whether no other bearer token is tried.
    package mutating func note(
        _ answer: DeviceCheckAnswer,
        retryAfter: Duration?,
        isFinal: Bool,
        at now: MonotonicTime
    ) {
        switch answer {
        case .record, .ok, .badDeviceToken, .badRequest:
            failures = 0
            // An answer to a call from before says nothing against a pause that was asked for since.
            if isProbed { reset() }
        case .unavailable, .unreadable:
            failures += 1
            if failures >= DeviceCheckBreaker.failures || isProbed { open(for: DeviceCheckBreaker.pause, at: now) }
        case .throttled:
            let pause = retryAfter ?? DeviceCheckBreaker.usualThrottle
            open(for: min(pause, DeviceCheckBreaker.longestThrottle), at: now)
        case .credentials, .credentialsExpired:
            if isFinal { open(for: DeviceCheckBreaker.credentialsPause, at: now) }
        }
    }

    /// Admits all calls again, as after a change of the key.
    package mutating func reset() { self = DeviceCheckBreaker() }

    private mutating func open(for pause: Duration, at now: MonotonicTime) {
        let until = now + pause
        openUntil = isProbed ? until : max(openUntil ?? until, until)
        isProbed = false
    }
}
