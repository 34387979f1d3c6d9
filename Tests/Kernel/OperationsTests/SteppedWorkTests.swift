import EventIO
import Primitives
import Testing

@testable import Operations

/// A database that is asked one thing at a time, on a clock of its own.
private final class ScriptedClock {
    var now = MonotonicTime(nanoseconds: 5_000_000_000)
    private(set) var log: [(kind: String, at: MonotonicTime)] = []
    private var worked = Duration.zero

    var clock: SteppedWork.Clock {
        SteppedWork.Clock(now: { self.now }, sleep: { self.now = self.now + $0 }, workTime: { self.worked })
    }

    /// A step that takes so long, of a kind that has so many of them.
    func step(_ kind: String, takes work: Duration, count: Int) -> SteppedWork.Step {
        var left = count
        return {
            self.log.append((kind, self.now))
            self.now = self.now + work
            self.worked += work
            left -= 1
            return left > 0
        }
    }

    /// Runs for so long.
    func run(_ work: SteppedWork, for time: Duration) async {
        let end = now + time
        await work.run(RunBudget { self.now >= end })
    }

    func count(_ kind: String) -> Int { log.count { $0.kind == kind } }
}

@Suite struct `Background work in steps` {
    @Test func `goes through everything without a rest where there is little`() async {
        let bench = ScriptedClock()
        let work = SteppedWork(
            first: bench.step("partitions", takes: .milliseconds(10), count: 1),
            steps: [
                bench.step("count", takes: .milliseconds(1), count: 60),
                bench.step("expire", takes: .milliseconds(5), count: 1),
            ],
            every: .seconds(60),
            perMinute: .seconds(3),
            clock: bench.clock
        )
        let start = bench.now
        await bench.run(work, for: .seconds(55))
        #expect(bench.now - start == .milliseconds(75))
        #expect((bench.count("partitions"), bench.count("count"), bench.count("expire")) == (1, 60, 1))
        await bench.run(work, for: .seconds(55))
        #expect(bench.log.count == 62)
    }

    @Test func `works a backlog off over many runs, within its budget, and holds up nothing else`() async {
        let bench = ScriptedClock()
        let work = SteppedWork(
            first: bench.step("partitions", takes: .milliseconds(20), count: 1),
            steps: [
                bench.step("expire", takes: .milliseconds(50), count: 1_000_000),
                bench.step("delete", takes: .milliseconds(100), count: 1_000_000),
                bench.step("reports", takes: .milliseconds(1), count: 1),
            ],
            every: .seconds(60),
            perMinute: .seconds(3),
            clock: bench.clock
        )
        let start = bench.now
        for _ in 0..<10 {
            await bench.run(work, for: .seconds(55))
            bench.now = bench.now + .seconds(5)
        }
        #expect((bench.now - start) / .seconds(60) < 10.5)
        // A round a minute, whatever else there is.
        #expect(bench.count("partitions") == 10)
        #expect(bench.count("reports") == 10)
        #expect(abs(bench.count("expire") - bench.count("delete")) <= 10)
        // 2.4 s of each minute, less what the runs have slept through.
        #expect((100...170).contains(bench.count("delete")))
        let costs: [String: Duration] = [
            "partitions": .milliseconds(20), "expire": .milliseconds(50), "delete": .milliseconds(100),
        ]
        for entry in bench.log {
            let minute = bench.log.filter { $0.at >= entry.at && $0.at < entry.at + .seconds(60) }
            #expect(minute.reduce(.zero) { $0 + (costs[$1.kind] ?? .milliseconds(1)) } <= .seconds(3))
        }
    }

    @Test func `ends soon when the run is over, also in a rest`() async {
        let bench = ScriptedClock()
        let work = SteppedWork(
            first: { false },
            steps: [bench.step("expire", takes: .seconds(2), count: 10)],
            every: .seconds(60),
            perMinute: .seconds(3),
            clock: bench.clock
        )
        let start = bench.now
        await bench.run(work, for: .seconds(10))
        #expect(bench.count("expire") == 1)
        #expect(bench.now - start <= .milliseconds(10_200))
    }
}
