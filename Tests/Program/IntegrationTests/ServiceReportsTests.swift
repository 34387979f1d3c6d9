import EventIO
import Primitives
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import Program

@Suite struct `The reports to a service manager` {
    @Test func `wait for a turn of every loop, so that one that hangs is not reported as alive`() async throws {
        let folder = try ProcessFolder.makeFolder("reports")
        let socket = try DatagramSocket(folder + "/notify")
        let manager = ServiceManager(["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "30000"])
        let reports = ServiceReports(manager, .silent)
        let loops = try ["one", "two"].map { try EventLoop(name: $0, logger: .silent) }
        for loop in loops { try loop.start() }
        defer { for loop in loops { loop.stop() } }
        let gate = Mutex(true)
        // The second loop is in a turn that does not end.
        await withCheckedContinuation { hanging in
            loops[1].execute { _ in
                hanging.resume()
                while gate.withLock({ $0 }) { ThisProcess.pause(for: .milliseconds(1)) }
            }
        }
        loops[0].execute { reactor in reports.watch(loops, on: reactor) { "ready" } }
        for _ in 0..<100 {
            await withCheckedContinuation { turned in loops[0].execute { _ in turned.resume() } }
        }
        #expect(socket.receive() == nil)
        gate.withLock { $0 = false }
        var heard: [String] = []
        let end = ContinuousClock.now + Patience.usual
        while heard.count < 2, ContinuousClock.now < end {
            if let message = socket.receive() { heard.append(message) } else { await Task.yield() }
        }
        #expect(heard == ["WATCHDOG=1\nSTATUS=ready", "WATCHDOG=1"])
        await reports.stop()
    }

    @Test func `tell again what was lost`() async throws {
        let folder = try ProcessFolder.makeFolder("reports")
        let name = folder + "/notify"
        let manager = ServiceManager(["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "30000"])
        let log = CapturedLog()
        let reports = ServiceReports(manager, log.logger())
        let loop = try EventLoop(name: "one", logger: .silent)
        try loop.start()
        defer { loop.stop() }
        loop.execute { reactor in reports.watch([loop], on: reactor) { "ready" } }
        let end = ContinuousClock.now + Patience.usual
        while log.lines.isEmpty, ContinuousClock.now < end { await Task.yield() }
        let socket = try DatagramSocket(name)
        var heard: String?
        while heard == nil, ContinuousClock.now < end {
            heard = socket.receive()
            if heard == nil { await Task.yield() }
        }
        #expect(heard == "WATCHDOG=1\nSTATUS=ready")
        await reports.stop()
        #expect(log.lines.count == 1 && log.lines[0].contains("service.not_told"))
    }
}
