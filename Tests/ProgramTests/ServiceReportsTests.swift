import EventIO
import Primitives
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Program

@Suite struct `The reports to a service manager` {
    @Test func `wait for a turn of every loop, so that one that hangs is not reported as alive`() async throws {
        let loops = try ["one", "two"].map { try EventLoop(name: $0, logger: .silent) }
        for loop in loops { try loop.start() }
        defer { for loop in loops { loop.stop() } }
        let steps = Recorder<String>()
        let gate = Mutex(true)
        // The second loop is in a turn that does not end.
        await withCheckedContinuation { hanging in
            loops[1].execute { _ in
                hanging.resume()
                while gate.withLock({ $0 }) { ThisProcess.pause(for: .milliseconds(1)) }
            }
        }
        async let round: Void = {
            await ServiceReports.round(loops)
            steps.record("reported")
        }()
        // A round of the first loop alone ends at once.
        await ServiceReports.round([loops[0]])
        await ServiceReports.round([loops[0]])
        steps.record("the loop turns")
        gate.withLock { $0 = false }
        await round
        #expect(steps.values == ["the loop turns", "reported"])
    }
}
