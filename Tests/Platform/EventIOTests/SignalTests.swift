import EventIO
import TestKit
import Testing

@Suite struct `A signal source` {
    @Test func `receives the signals of its set on the loop, and no others`() async throws {
        try await withLoop { reactor in
            // Blocked and sent in this thread alone, so that the test process is left as it was.
            let set: SignalSet = [.user1, .user2]
            try set.block()
            var received: [Signal] = []
            let source = try SignalSource(reactor, [.user1]) { received.append($0) }
            try Signal.user2.sendToThisThread()
            try Signal.user1.sendToThisThread()
            #expect(await waitUntil(reactor) { !received.isEmpty })
            await reactor.nextTurn()
            #expect(received == [.user1])
            let second = try SignalSource(reactor, [.user2]) { received.append($0) }
            #expect(await waitUntil(reactor) { received.count == 2 })
            #expect(received == [.user1, .user2])
            source.cancel()
            second.cancel()
            try Signal.user1.sendToThisThread()
            await reactor.nextTurn()
            await reactor.nextTurn()
            #expect(received.count == 2)
        }
    }

    @Test func `may end itself in its handler`() async throws {
        try await withLoop { reactor in
            let set: SignalSet = [.user1, .user2]
            try set.block()
            let holder = Holder()
            holder.source = try SignalSource(reactor, set) { signal in
                holder.received.append(signal)
                holder.source?.cancel()
            }
            try Signal.user1.sendToThisThread()
            try Signal.user2.sendToThisThread()
            #expect(await waitUntil(reactor) { !holder.received.isEmpty })
            await reactor.nextTurn()
            #expect(holder.received.count == 1)
        }
    }

    @Test(arguments: [0, 65, -1] as [Int32])
    func `knows no signal outside the kernel's range`(number: Int32) {
        #expect(Signal(number: number) == nil)
    }

    @Test func `names what operators send`() {
        #expect([Signal.hangUp, .interrupt, .terminate].map(\.description) == ["SIGHUP", "SIGINT", "SIGTERM"])
        #expect(Signal(number: 40)?.description == "signal 40")
    }
}

private final class Holder {
    var source: SignalSource?
    var received: [Signal] = []
}
