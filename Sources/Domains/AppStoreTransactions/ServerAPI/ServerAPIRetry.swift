package import HTTPCore
package import Primitives

/// What came of one try of a call.
package enum ServerAPITry: Sendable {
    /// An answer, whatever its status.
    case answer(InboundResponse)
    /// An answer of success whose content is not to be read.
    case unreadable
    /// No answer.
    case noAnswer(HTTPExchangeError.Code)
}

/// Decides after each try of a call whether to try again, and when; one for each call.
package struct ServerAPIRetry: Sendable {
    /// What to do next.
    package enum Step: Sendable, Equatable {
        /// The call succeeded.
        case done
        /// Try again after a pause.
        case again(after: Duration)
        /// Try again with a new token, at once.
        case newToken
        /// Try again then, and no call of this kind before: put it into a queue.
        case notBefore(WallTime)
        /// Give up.
        case giveUp(GiveUp)
    }

    /// Why a call is given up.
    package enum GiveUp: Sendable, Equatable {
        /// Apple refuses our key: an operator has to look.
        case credentials
        /// A repetition would be answered the same.
        case refused(ServerAPIFailure)
        /// Apple does not work, or is not reached.
        case unavailable
    }

    /// Pauses before the second, third and fourth try; each is cut by up to a half at random.
    private static let pauses: [Duration] = [.milliseconds(500), .seconds(2), .seconds(8)]
    /// Where Apple asks to come back later without saying when.
    private static let usualWait = Duration.seconds(60)

    private let deadline: WallTime
    private let longestWait: Duration
    private var repetitions = 0
    private var hasNewToken = false
    private var hasRepeatedInternalError = false

    /// The decisions on one call.
    ///
    /// - Parameters:
    ///   - deadline: No try is made after it, but those that a limit puts off.
    ///   - longestWait: The most that a limit may put a call off.
    package init(deadline: WallTime, longestWait: Duration = .seconds(3_600)) {
        self.deadline = deadline
        self.longestWait = longestWait
    }

    /// The decision on a try.
    package mutating func next(
        after attempt: ServerAPITry,
        at now: WallTime,
        random: any RandomSource
    ) -> Step {
        switch attempt {
        case .unreadable: return again(at: now, random: random)
        case .noAnswer(.bodyTooLarge): return .giveUp(.unavailable)
        case .noAnswer: return again(at: now, random: random)
        case .answer(let response):
            return response.status / 100 == 2 ? .done : next(after: response, at: now, random: random)
        }
    }

    private mutating func next(
        after response: InboundResponse,
        at now: WallTime,
        random: any RandomSource
    ) -> Step {
        let failure = ServerAPIFailure(status: response.status, body: response.body)
        switch response.status {
        case 401:
            guard !hasNewToken else { return .giveUp(.credentials) }
            hasNewToken = true
            return .newToken
        case 429:
            let wanted = response.first("retry-after").flatMap { ServerAPIRetry.time(ofRetryAfter: $0, at: now) }
            let latest = now + longestWait
            return .notBefore(min(max(wanted ?? now + ServerAPIRetry.usualWait, now), latest))
        default: break
        }
        switch failure.meaning?.repetition {
        case .once:
            guard !hasRepeatedInternalError else { return .giveUp(.unavailable) }
            hasRepeatedInternalError = true
            return again(at: now, random: random)
        case .soon: return again(at: now, random: random)
        default:
            return [500, 502, 503, 504].contains(response.status)
                ? again(at: now, random: random) : .giveUp(.refused(failure))
        }
    }

    private mutating func again(at now: WallTime, random: any RandomSource) -> Step {
        guard repetitions < ServerAPIRetry.pauses.count else { return .giveUp(.unavailable) }
        let longest = ServerAPIRetry.pauses[repetitions].microseconds
        let cut = Int64(random.number(byteCount: 4)) % (longest / 2 + 1)
        let pause = Duration.microseconds(longest - cut)
        guard now + pause <= deadline else { return .giveUp(.unavailable) }
        repetitions += 1
        return .again(after: pause)
    }

    /// The time that `Retry-After` asks to wait for; `nil` for what is no such field.
    ///
    /// - Parameter text: Apple sends milliseconds since 1970; smaller numbers are seconds from now, and dates are dates.
    package static func time(ofRetryAfter text: String, at now: WallTime) -> WallTime? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return HTTPDate.time(of: text)
        }
        guard text.utf8.count <= 15, let number = Int64(text) else { return nil }
        guard number < 100_000_000_000 else { return WallTime(microseconds: number * 1_000) }
        return now + .seconds(number)
    }
}
