import DeviceAttestation
import Primitives
import TestKit
import Testing

@Suite("Tries of a call of the DeviceCheck service")
struct DeviceCheckRetryTests {
    private let random = SeededRandom(seed: 3)
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    @Test(arguments: [DeviceCheckAnswer.unavailable, .unreadable])
    func `are three where nothing is said, with pauses between them`(answer: DeviceCheckAnswer) {
        var retry = DeviceCheckRetry(at: start)
        for longest in [300, 1_000] {
            let step = retry.next(after: answer, status: nil, retryAfter: nil, at: start, random: random)
            guard case .again(let pause) = step else {
                Issue.record("\(step)")
                return
            }
            #expect(pause >= .milliseconds(longest / 2) && pause <= .milliseconds(longest))
        }
        #expect(retry.next(after: answer, status: 500, retryAfter: nil, at: start, random: random) == .end)
    }

    @Test func `are one where the answer stands`() {
        let answers: [DeviceCheckAnswer] = [.record(.neverSet), .ok, .badDeviceToken, .badRequest]
        for answer in answers {
            var retry = DeviceCheckRetry(at: start)
            #expect(retry.next(after: answer, status: 400, retryAfter: nil, at: start, random: random) == .end)
        }
    }

    @Test func `have one new bearer token, and only where it can help`() {
        for answer in [DeviceCheckAnswer.credentials, .credentialsExpired] {
            var retry = DeviceCheckRetry(at: start)
            #expect(retry.next(after: answer, status: 401, retryAfter: nil, at: start, random: random) == .newToken)
            #expect(retry.next(after: answer, status: 401, retryAfter: nil, at: start, random: random) == .end)
        }
        for status in [400, 403] {
            var retry = DeviceCheckRetry(at: start)
            #expect(retry.next(after: .credentials, status: status, retryAfter: nil, at: start, random: random) == .end)
        }
    }

    @Test func `wait as long as Apple asks, within the deadline`() {
        var retry = DeviceCheckRetry(at: start)
        func next(_ pause: Duration?) -> DeviceCheckRetry.Step {
            retry.next(after: .throttled, status: 429, retryAfter: pause, at: start, random: random)
        }
        #expect(next(nil) == .end && next(.seconds(5)) == .end)
        #expect(next(.seconds(2)) == .again(after: .seconds(2)) && next(.zero) == .again(after: .zero))
        #expect(next(.seconds(1)) == .end)
    }

    @Test func `end with the deadline`() {
        var retry = DeviceCheckRetry(at: start)
        #expect(retry.timeout(at: start) == .seconds(3))
        #expect(retry.timeout(at: start + .seconds(4)) == .seconds(1))
        #expect(retry.timeout(at: start + .milliseconds(4_900)) == nil)
        let late = start + .milliseconds(4_750)
        #expect(retry.next(after: .unavailable, status: nil, retryAfter: nil, at: late, random: random) == .end)
        let over = start + .seconds(6)
        #expect(retry.next(after: .credentials, status: 401, retryAfter: nil, at: over, random: random) == .end)
    }
}

@Suite("The breaker of the DeviceCheck service")
struct DeviceCheckBreakerTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private var breaker = DeviceCheckBreaker()

    private mutating func note(
        _ answer: DeviceCheckAnswer,
        _ pause: Duration? = nil,
        isFinal: Bool = true,
        after time: Duration = .zero
    ) {
        breaker.note(answer, retryAfter: pause, isFinal: isFinal, at: start + time)
    }

    @Test mutating func `opens after so many failures in a row`() {
        for _ in 1..<DeviceCheckBreaker.failures { note(.unavailable) }
        note(.ok)
        for _ in 1..<DeviceCheckBreaker.failures { note(.unreadable) }
        #expect(breaker.wait(at: start) == nil)
        note(.unavailable)
        #expect(breaker.wait(at: start) == DeviceCheckBreaker.pause)
    }

    @Test mutating func `lets one call through behind its pause, and goes by what comes of it`() {
        for _ in 0..<DeviceCheckBreaker.failures { note(.unavailable) }
        let then = start + DeviceCheckBreaker.pause
        #expect(breaker.wait(at: then) == nil)
        #expect(breaker.wait(at: then) != nil)
        note(.unavailable, after: DeviceCheckBreaker.pause)
        #expect(breaker.wait(at: then) == DeviceCheckBreaker.pause)
        #expect(breaker.wait(at: then + DeviceCheckBreaker.pause) == nil)
        note(.badDeviceToken, after: DeviceCheckBreaker.pause * 2)
        #expect(!breaker.isOpen)
        // A call of which nothing is heard again does not keep it shut.
        for _ in 0..<DeviceCheckBreaker.failures { note(.unavailable) }
        #expect(breaker.wait(at: then) == nil && breaker.wait(at: then + .seconds(11)) == nil)
    }

    @Test mutating func `opens for as long as Apple asks, whatever an earlier call says`() {
        note(.throttled, .seconds(90))
        note(.ok)
        #expect(breaker.wait(at: start) == .seconds(90))
        breaker.reset()
        note(.throttled)
        #expect(breaker.wait(at: start) == DeviceCheckBreaker.usualThrottle)
        note(.throttled, .seconds(86_400))
        #expect(breaker.wait(at: start) == DeviceCheckBreaker.longestThrottle)
    }

    @Test mutating func `opens where our credentials are refused for good`() {
        note(.credentials, isFinal: false)
        #expect(breaker.wait(at: start) == nil)
        note(.credentialsExpired)
        #expect(breaker.wait(at: start) == DeviceCheckBreaker.credentialsPause)
        breaker.reset()
        #expect(breaker.wait(at: start) == nil)
    }
}
