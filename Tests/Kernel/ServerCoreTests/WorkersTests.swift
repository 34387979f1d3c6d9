import EventIO
import Glibc
import Primitives
import Telemetry
import TestKit
import Testing
import Web

@testable import ServerCore

@Suite struct `The workers of a process` {
    @Test func `refuse a class of which too much waits, and no other, and go on when there is room`() async throws {
        let metrics = MetricsRegistry()
        let workers = Workers(metrics)
        let gate = ThreadGate()
        try await withLoop { reactor in
            var done = 0
            for _ in 0..<64 {
                reactor.startTask {
                    do throws(Failure) {
                        try await workers.run(.bulk) { gate.wait() }
                        done += 1
                    } catch {
                        Issue.record("\(error.code.name)")
                    }
                }
            }
            while try workers.thread(.bulk).load < 64 { await reactor.nextTurn() }
            var refused: Failure?
            reactor.startTask {
                do throws(Failure) { try await workers.run(.bulk) {} } catch { refused = error }
            }
            while try refused == nil && workers.thread(.bulk).load == 64 { await reactor.nextTurn() }
            #expect(refused?.code == .unavailable && refused?.retryAfter == 1)
            #expect(try await workers.run(.sign) { 7 } == 7)
            gate.open()
            while done < 64 { await reactor.nextTurn() }
            #expect(try await workers.run(.bulk) { 8 } == 8)
        }
        workers.stop()
        let text = metrics.prometheusText()
        #expect(text.contains(#"sallyport_workers_refused_total{class="bulk"} 1"#))
        #expect(text.contains(#"sallyport_workers_refused_total{class="sign"} 0"#))
    }
}

/// Holds up a thread until it is opened.
private final class ThreadGate: Sendable {
    private let isOpen = Lock(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait() {
        while !isOpen.withLock({ $0 }) { sched_yield() }
    }
}
