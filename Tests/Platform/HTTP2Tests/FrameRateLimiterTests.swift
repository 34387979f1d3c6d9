import Testing

@testable import HTTP2

@Suite("A budget of frames")
struct FrameRateLimiterTests {
    private static let limits = {
        var limits = HTTP2Limits()
        limits.frameBurst = 10
        limits.framesPerSecond = 2
        return limits
    }()

    /// How many may be taken before none is left.
    private static func drain(_ budget: inout FrameRateLimiter, _ kind: FloodKind) -> Int {
        var count = 0
        while budget.take(kind), count < 100_000 { count += 1 }
        return count
    }

    @Test(arguments: FloodKind.allCases)
    func `has a bucket for each kind, which fills with time`(kind: FloodKind) {
        var budget = FrameRateLimiter(FrameRateLimiterTests.limits, at: 5)
        #expect(FrameRateLimiterTests.drain(&budget, kind) == 10 * kind.factor)
        for other in FloodKind.allCases where other != kind { #expect(budget.take(other) == true) }
        budget.refill(at: 1005)
        #expect(FrameRateLimiterTests.drain(&budget, kind) == 2 * kind.factor)
        budget.refill(at: 10_000_000_000)
        #expect(FrameRateLimiterTests.drain(&budget, kind) == 10 * kind.factor, "and is never more than full")
    }

    @Test func `gains nothing by a clock that goes back`() {
        var budget = FrameRateLimiter(FrameRateLimiterTests.limits, at: 5000)
        #expect(FrameRateLimiterTests.drain(&budget, .ping) == 10)
        budget.refill(at: 0)
        #expect(budget.take(.ping) == false)
        budget.refill(at: 5000)
        #expect(budget.take(.ping) == false)
    }

    @Test func `adds up the parts of a frame`() {
        var budget = FrameRateLimiter(FrameRateLimiterTests.limits, at: 0)
        #expect(FrameRateLimiterTests.drain(&budget, .settings) == 10)
        for millisecond in 1...499 { budget.refill(at: Int64(millisecond)) }
        #expect(budget.take(.settings) == false)
        budget.refill(at: 500)
        #expect(budget.take(.settings) == true)
    }

    @Test func `grows by useful work, up to full`() {
        var budget = FrameRateLimiter(FrameRateLimiterTests.limits, at: 0)
        #expect(FrameRateLimiterTests.drain(&budget, .reset) == 20)
        budget.allow(3, of: .reset)
        #expect(FrameRateLimiterTests.drain(&budget, .reset) == 3)
        budget.allow(1000, of: .reset)
        #expect(FrameRateLimiterTests.drain(&budget, .reset) == 20)
    }
}
