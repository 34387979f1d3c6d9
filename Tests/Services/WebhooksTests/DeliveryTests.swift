import HTTPCore
import Primitives
import TestKit
import Testing
import Webhooks

@Suite("A try to deliver an event")
struct DeliveryTests {
    private let policy = DeliveryPolicy()

    private func outcome(_ attempt: DeliveryAttempt, failures: Int = 0) -> DeliveryOutcome {
        policy.outcome(on: attempt, failures: failures, random: SeededRandom(seed: 3))
    }

    @Test(arguments: [
        (1, 5), (2, 10), (3, 20), (9, 1280), (10, 2560), (11, 3600), (20, 3600), (1000, 3600), (Int.max, 3600),
    ])
    func `is followed by a pause in the upper half of its bound`(failures: Int, bound: Int) {
        let random = SeededRandom(seed: 1)
        let pauses = (0..<1000).map { _ in policy.backoff.pause(after: failures, random: random) }
        #expect(pauses.allSatisfy { $0 >= .milliseconds(bound * 500) && $0 <= .seconds(bound) })
        // Evenly drawn: both ends are come near to.
        #expect((pauses.min() ?? .zero) < .milliseconds(bound * 510))
        #expect((pauses.max() ?? .zero) > .milliseconds(bound * 990))
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func `has arrived with an answer of the second hundred`(status: Int) {
        #expect(outcome(.answered(status: status, retryAfter: nil), failures: 19) == .delivered)
        #expect(outcome(.answered(status: status, retryAfter: .seconds(9))) == .delivered)
    }

    @Test(
        arguments: [
            .answered(status: 199, retryAfter: nil), .answered(status: 301, retryAfter: nil),
            .answered(status: 308, retryAfter: nil), .answered(status: 400, retryAfter: nil),
            .answered(status: 404, retryAfter: nil), .answered(status: 500, retryAfter: nil), .broke(.timedOut),
            .broke(.connectFailed), .broke(.connectionLost), .broke(.bodyTooLarge), .broke(.protocolViolation),
        ] as [DeliveryAttempt]
    )
    func `is made again after anything else, as often as three days take`(attempt: DeliveryAttempt) {
        for failures in 0..<111 {
            guard case .retry(let pause) = outcome(attempt, failures: failures) else {
                Issue.record("no other try after \(failures + 1)")
                continue
            }
            #expect(pause == policy.backoff.pause(after: failures + 1, random: SeededRandom(seed: 3)))
        }
        #expect(outcome(attempt, failures: 111) == .deadLetter)
        #expect(outcome(attempt, failures: 120) == .deadLetter)
    }

    @Test func `is made for three days, and for less than four`() {
        for seed in 1...100 {
            let random = SeededRandom(seed: UInt64(seed))
            let whole = (1..<policy.tries).reduce(Duration.zero) {
                $0 + policy.backoff.pause(after: $1, random: random)
            }
            #expect(whole > .seconds(3 * 86_400) && whole < .seconds(4 * 86_400), "\(whole)")
        }
    }

    @Test func `is the last one where the endpoint is gone for good`() {
        #expect(outcome(.answered(status: 410, retryAfter: .seconds(1))) == .deadLetter)
    }

    @Test(arguments: [(60, 60), (3600, 3600), (100_000, 3600)])
    func `is made again when the endpoint wants it, within an hour`(wanted: Int, expected: Int) {
        let attempt = DeliveryAttempt.answered(status: 503, retryAfter: .seconds(wanted))
        #expect(outcome(attempt) == .retry(after: .seconds(expected)))
    }

    @Test func `is not made sooner than it would be`() {
        let plain = outcome(.answered(status: 429, retryAfter: nil), failures: 5)
        #expect(outcome(.answered(status: 429, retryAfter: .seconds(1)), failures: 5) == plain)
    }

    @Test(
        arguments: [
            (nil, nil), ("0", .seconds(0)), ("120", .seconds(120)), ("-1", nil), ("1.5", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(37)), ("Sun, 06 Nov 1994 08:48:59 GMT", .zero),
            ("06 Nov 1994", nil), ("99999999999999999999", .seconds(86_400)), ("012", .seconds(12)),
        ] as [(String?, Duration?)]
    )
    func `reads a pause in whole seconds or as a date`(text: String?, expected: Duration?) {
        let fields = text.map { [("Retry-After", $0)] } ?? []
        let now = WallTime(seconds: 784_111_740)
        let attempt = DeliveryAttempt(InboundResponse(status: 503, fields: fields), at: now)
        #expect(attempt == .answered(status: 503, retryAfter: expected))
    }
}
