import EventIO
import Glibc
import Primitives
import Synchronization
import Telemetry
import TestKit
import Testing

@Suite struct `Tasks of a loop` {
    @Test func `a task keeps its thread over suspensions, children and groups`() async throws {
        let threads = try await withLoop { reactor in
            var seen: Set<UInt> = [UInt(pthread_self())]
            await reactor.sleep(for: .milliseconds(1))
            seen.insert(UInt(pthread_self()))
            async let child = threadAfterYield()
            seen.insert(await child)
            await withTaskGroup(of: UInt.self) { group in
                for _ in 0..<4 { group.addTask { await threadAfterYield() } }
                for await thread in group { seen.insert(thread) }
            }
            seen.insert(UInt(pthread_self()))
            return seen
        }
        #expect(threads.count == 1)
    }

    @Test func `a started task runs on the loop with objects of the loop`() async throws {
        let same = try await withLoop { reactor in
            let box = Box(UInt(pthread_self()))
            var isSame = false
            await suspend { (done: Suspension<Void>) in
                reactor.startTask {
                    let before = UInt(pthread_self())
                    let value: Box = await suspend { suspension in
                        _ = reactor.schedule(after: .zero) { suspension.resume(box) }
                    }
                    isSame = value.value == before && before == UInt(pthread_self())
                    done.resume()
                }
            }
            return isSame
        }
        #expect(same)
    }

    @Test func `one resumption is one job`() async throws {
        let (jobs, count) = try await withLoop { reactor in
            var jobs: UInt64 = 0
            await suspend { (done: Suspension<Void>) in
                reactor.startTask {
                    let before = reactor.executor.jobCount
                    for _ in 0..<100 { await suspendOnce(reactor) }
                    jobs = reactor.executor.jobCount - before
                    done.resume()
                }
            }
            return (jobs, 100)
        }
        #expect(jobs <= count + 1)
    }
}

private final class Box {
    let value: UInt

    init(_ value: UInt) {
        self.value = value
    }
}

private func threadAfterYield() async -> UInt {
    await Task.yield()
    return UInt(pthread_self())
}

private func suspendOnce(_ reactor: Reactor) async {
    await suspend { (suspension: Suspension<Void>) in
        _ = reactor.schedule(after: .zero) { suspension.resume() }
    }
}
