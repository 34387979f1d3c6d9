import EventIO
import Glibc
import Primitives
import TestKit
import Testing

@Suite struct `A worker thread` {
    @Test func `works elsewhere and comes back to the loop without a stop in between`() async throws {
        let worker = try WorkerThread(name: "worker")
        try await withLoop { reactor in
            let home = UInt(pthread_self())
            let before = reactor.executor.jobCount
            for _ in 0..<50 {
                let there = await worker.run { UInt(pthread_self()) }
                #expect(there != home)
                #expect(UInt(pthread_self()) == home)
            }
            // One job each: a stop in the global pool would make it two.
            #expect(reactor.executor.jobCount - before <= 51)
        }
        worker.stop()
        worker.join()
        // The thread counts a piece out after its answer has gone.
        #expect(worker.load == 0)
    }

    @Test func `does its work in order, one piece at a time`() async throws {
        let worker = try WorkerThread(name: "worker")
        let recorder = Recorder<Int>()
        try await withLoop { reactor in
            var left = 200
            await suspend { (done: Suspension<Void>) in
                for number in 0..<200 {
                    reactor.startTask {
                        await worker.run { recorder.record(number) }
                        left -= 1
                        if left == 0 { done.resume() }
                    }
                }
            }
        }
        #expect(recorder.values == Array(0..<200))
    }

    @Test func `does what is urgent before all that waits, and says how much there is`() async throws {
        let worker = try WorkerThread(name: "worker")
        let recorder = Recorder<String>()
        let (begun, gate) = (Recorder<Bool>(), Recorder<Bool>())
        try await withLoop { reactor in
            let first = reactor.startTask {
                await worker.run {
                    begun.record(true)
                    while gate.values.isEmpty { sched_yield() }
                }
            }
            let patience = Patience()
            while begun.values.isEmpty, patience.isLeft { await reactor.nextTurn() }
            var tasks = [first]
            for name in ["a", "b"] {
                tasks.append(reactor.startTask { await worker.run { recorder.record(name) } })
            }
            for name in ["u", "v"] {
                tasks.append(reactor.startTask { await worker.run(isUrgent: true) { recorder.record(name) } })
            }
            while worker.load < 5, patience.isLeft { await reactor.nextTurn() }
            #expect(worker.load == 5)
            gate.record(true)
            for task in tasks { await task.value }
        }
        #expect(recorder.values == ["u", "v", "a", "b"])
    }

    @Test func `finishes what it was given before it stops`() async throws {
        let worker = try WorkerThread(name: "worker")
        let recorder = Recorder<Int>()
        try await withLoop { reactor in
            let task = reactor.startTask { await worker.run { recorder.record(1) } }
            await reactor.nextTurn()
            worker.stop()
            await task.value
        }
        worker.join()
        #expect(recorder.values == [1])
    }

    @Test func `ends with its owner`() async throws {
        func use() async throws {
            let worker = try WorkerThread(name: "short-lived-one")
            #expect(await worker.run { 1 } == 1)
        }
        try await use()
        try await withLoop { reactor in
            #expect(
                await waitUntil(reactor) { (try? Machine.threadNames().contains("short-lived-one")) == false }
            )
        }
    }
}

@Suite struct `Random bytes of the kernel` {
    @Test(arguments: [0, 1, 32, 4095, 4096, 4097, 10_000])
    func `come in any number`(count: Int) {
        let random = KernelRandom()
        #expect(random.bytes(3).count == 3)
        #expect(random.bytes(count).count == count)
    }

    @Test func `do not repeat`() {
        let random = KernelRandom()
        let pieces = (0..<1_000).map { _ in random.bytes(16) }
        #expect(Set(pieces).count == 1_000)
        #expect(!pieces.contains(Array(repeating: 0, count: 16)))
    }

    @Test func `do not repeat as numbers, whatever was drawn between`() {
        let random = KernelRandom()
        let numbers = (0..<2_000).map { index in
            _ = random.bytes(index % 3)
            return random.number(byteCount: 8)
        }
        #expect(Set(numbers).count == 2_000)
        #expect((0..<500).allSatisfy { _ in random.number(byteCount: 2) <= 0xFFFF })
    }
}

@Suite struct `Monotonic time` {
    @Test func `is held at the ends of its range`() {
        let start = MonotonicTime(nanoseconds: 5)
        #expect(start + .nanoseconds(7) == MonotonicTime(nanoseconds: 12))
        #expect(start + .nanoseconds(-7) == MonotonicTime(nanoseconds: 0))
        #expect(MonotonicTime(nanoseconds: .max) + .seconds(1) == MonotonicTime(nanoseconds: .max))
        #expect(start + .seconds(Int64.max) == MonotonicTime(nanoseconds: UInt64(Int64.max) + 5))
        #expect(MonotonicTime(nanoseconds: 3) - start == .nanoseconds(-2))
        #expect(start - MonotonicTime(nanoseconds: 3) == .nanoseconds(2))
    }

    @Test(arguments: [
        (Duration.seconds(1), Int64(1_000_000_000)), (.nanoseconds(-3), -3), (.seconds(Int64.max), .max),
        (.seconds(Int64.min), .min),
    ])
    func `counts durations in nanoseconds`(duration: Duration, nanoseconds: Int64) {
        #expect(duration.wholeNanoseconds == nanoseconds)
    }
}
