import EventIO
import Glibc
import Primitives
import SessionBroker
import Telemetry
import TestKit
import Testing

@testable import AmazonPay
@testable import Checkout
@testable import Program

@Suite("The queue of signatures")
struct SigningQueueTests {
    @Test func `takes no more buttons than are signed within moments, and every call before them`() async throws {
        let worker = try WorkerThread(name: "sign")
        let metrics = MetricsRegistry()
        let queue = SigningQueue(worker, limit: 3, metrics: metrics)
        let recorder = Recorder<String>()
        let (begun, gate) = (Recorder<Bool>(), Recorder<Bool>())
        try await withLoop { reactor in
            var tasks = [
                reactor.startTask {
                    _ = await queue.signButton {
                        begun.record(true)
                        while gate.values.isEmpty { sched_yield() }
                        return .success([])
                    }
                }
            ]
            func sign(_ name: String, isCall: Bool) {
                tasks.append(
                    reactor.startTask {
                        let work: @Sendable () -> SignatureResult = {
                            recorder.record(name)
                            return .success([])
                        }
                        _ = isCall ? await queue.signCall(work) : await queue.signButton(work)
                    }
                )
            }
            let patience = Patience()
            while begun.values.isEmpty, patience.isLeft { await reactor.nextTurn() }
            sign("a", isCall: false)
            while worker.load < 2, patience.isLeft { await reactor.nextTurn() }
            #expect(queue.admitsButton(of: nil))
            sign("b", isCall: false)
            while worker.load < 3, patience.isLeft { await reactor.nextTurn() }
            #expect(!queue.admitsButton(of: nil) && !queue.admitsButton(of: nil))
            sign("call", isCall: true)
            while worker.load < 4, patience.isLeft { await reactor.nextTurn() }
            gate.record(true)
            for task in tasks { await task.value }
        }
        #expect(recorder.values == ["call", "a", "b"])
        #expect(metrics.prometheusText().contains("sallyport_signatures_refused_total 2"))
        worker.stop()
        worker.join()
        #expect(queue.admitsButton(of: nil))
    }

    @Test func `takes a quarter of the buttons from an address, and half from a network`() throws {
        let metrics = MetricsRegistry()
        let queue = SigningQueue(try WorkerThread(name: "sign"), limit: 16, metrics: metrics)
        let many = (0..<1_000).map { ClientKeys(address: $0 < 500 ? 1 : $0, network: 1) }
        let taken = many.filter { queue.admitsButton(of: $0) }
        #expect(taken.count { $0.address == 1 } == 4)
        #expect(taken.count == 8)
        let other = ClientKeys(address: 1, network: 2)
        #expect(!queue.admitsButton(of: other))
        let elsewhere = ClientKeys(address: 5_000, network: 2)
        #expect(queue.admitsButton(of: elsewhere))
        #expect(metrics.prometheusText().contains("sallyport_signatures_refused_total 993"))
        // What is done makes room.
        for client in taken + [elsewhere] { queue.end(client) }
        #expect(queue.admitsButton(of: many[0]))
    }

    @Test func `keeps the button of a webview session for its next page, for a while`() throws {
        let times = Recorder<Int64>()
        let queue = SigningQueue(
            try WorkerThread(name: "sign"),
            metrics: MetricsRegistry(),
            uptime: { times.values.last ?? 0 }
        )
        let button = ButtonSignature(payloadJSON: "{}", signature: "x", algorithm: .pssV2, publicKeyID: "k")
        let webviewSession = UUIDBytes(high: 1, low: 2)
        #expect(queue.button(of: webviewSession) == nil)
        queue.keep(button, of: webviewSession)
        #expect(queue.button(of: webviewSession) == button && queue.button(of: UUIDBytes(high: 1, low: 3)) == nil)
        times.record(3_600_000_000)
        #expect(queue.button(of: webviewSession) == nil)
    }
}
