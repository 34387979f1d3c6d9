import Primitives
import TestKit
import Testing

@testable import Operations

@Suite struct `A budget of database work` {
    private let start = MonotonicTime(nanoseconds: 5_000_000_000)

    @Test func `lets little work go on without a rest`() {
        var budget = WorkBudget(perMinute: .seconds(3), at: start)
        for step in 0..<29 {
            #expect(budget.wait(at: start + .milliseconds(10 * step)) == .zero)
            budget.spend(.milliseconds(10), at: start + .milliseconds(10 * step + 10))
        }
    }

    @Test(arguments: [1, 20, 300])
    func `spends no more than that in any minute, however much there is to do`(milliseconds: Int) {
        let random = SeededRandom(seed: 5)
        var budget = WorkBudget(perMinute: .seconds(3), at: start)
        var steps: [(end: MonotonicTime, work: Duration)] = []
        var now = start
        while now < start + .seconds(600) {
            now = now + budget.wait(at: now)
            #expect(budget.wait(at: now) == .zero)
            let work = Duration.milliseconds(1 + random.below(milliseconds))
            now = now + work
            budget.spend(work, at: now)
            steps.append((now, work))
        }
        var minute = Duration.zero
        var first = 0
        for step in steps {
            minute += step.work
            while steps[first].end + .seconds(60) < step.end + steps[first].work {
                minute -= steps[first].work
                first += 1
            }
            #expect(minute <= .seconds(3))
        }
        // And most of that where there is so much to do.
        #expect(steps.reduce(.zero) { $0 + $1.work } > .seconds(23))
    }

    @Test func `puts work off by little more than a minute after a statement that hung`() {
        var budget = WorkBudget(perMinute: .seconds(3), at: start)
        budget.spend(.seconds(3_600), at: start)
        #expect(budget.wait(at: start) < .seconds(90))
        #expect(budget.wait(at: start) > .seconds(60))
    }
}
