import Primitives
import Testing

@testable import Operations

@Suite struct `A budget of log lines` {
    @Test func `lets so many through in a second and tells how many were left out`() {
        var budget = LogRateLimiter(perSecond: 2)
        let start = MonotonicTime(nanoseconds: 5_000_000_000)
        #expect((0..<4).map { _ in budget.take(at: start) } == [0, 0, nil, nil])
        #expect(budget.take(at: start + .milliseconds(999)) == nil)
        #expect(budget.take(at: start + .seconds(1)) == 3)
        #expect(budget.take(at: start + .seconds(1)) == 0)
    }
}
