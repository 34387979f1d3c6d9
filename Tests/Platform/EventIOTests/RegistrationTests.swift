import EventIO
import Glibc
import TestKit
import Testing

@Suite struct `A registration` {
    @Test func `that is removed in a turn hears nothing more of that turn, and neither does its successor`()
        async throws
    {
        try await withLoop { reactor in
            var reused = false
            // Another test may take the freed number, so a round may miss the case; fifty do not.
            for _ in 0..<50 where !reused { reused = try await endOneInsideTheOther(reactor) }
            #expect(reused)
        }
    }

    /// Makes two connections readable in one batch; the one told first ends the other and opens a descriptor.
    ///
    /// - Returns: Whether the opened descriptor got the freed number.
    private func endOneInsideTheOther(_ reactor: Reactor) async throws -> Bool {
        let pairs = [try await ConnectedPair(reactor), try await ConnectedPair(reactor)]
        var heard: [String] = []
        var successors: [SocketEnd] = []
        var reused = false
        for (end, other) in [(pairs[0].server, pairs[1].server), (pairs[1].server, pairs[0].server)] {
            end.onReady = { _ in
                heard.append("end")
                guard successors.isEmpty else { return }
                let freed = other.raw
                other.close()
                do {
                    // The kernel gives out the lowest free number; a few are free below.
                    while !reused, successors.count < 10 {
                        let opened = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
                        reused = opened.raw == freed
                        let successor = SocketEnd(reactor, opened)
                        successor.onReady = { _ in heard.append("successor") }
                        successors.append(successor)
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        for pair in pairs { try pair.client.send("x") }
        await reactor.nextTurn()
        await reactor.nextTurn()
        #expect(heard == ["end"])
        for successor in successors { successor.close() }
        for pair in pairs { pair.close() }
        return reused
    }

    @Test func `of one descriptor is made once at a time`() async throws {
        try await withLoop { reactor in
            let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
            let deaf = Deaf()
            let first = try reactor.add(listener.raw, interest: .readable, trigger: .level, handler: deaf)
            #expect(throws: IOError(code: IOError.exists, operation: "epoll_ctl")) {
                _ = try reactor.add(listener.raw, interest: .readable, trigger: .level, handler: deaf)
            }
            reactor.remove(first)
            let second = try reactor.add(listener.raw, interest: .readable, trigger: .level, handler: deaf)
            #expect(first != second)
            reactor.remove(first)
            reactor.remove(second)
            reactor.remove(second)
        }
    }

    @Test func `of what cannot be waited for fails and leaves nothing behind`() async throws {
        try await withLoop { reactor in
            #expect(throws: IOError(code: IOError.invalidArgument, operation: "epoll_ctl")) {
                _ = try reactor.add(-1, interest: .readable, trigger: .level, handler: Deaf())
            }
            #expect(throws: IOError(code: EBADF, operation: "epoll_ctl")) {
                _ = try reactor.add(1_000_000, interest: .readable, trigger: .level, handler: Deaf())
            }
            #expect(throws: IOError(code: EBADF, operation: "epoll_ctl")) {
                _ = try reactor.add(1_000_000, interest: .readable, trigger: .level, handler: Deaf())
            }
        }
    }

    @Test func `under level trigger is told in every turn, and only what it asked for`() async throws {
        try await withLoop { reactor in
            let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
            let counter = ReadyCounter()
            let registration = try reactor.add(listener.raw, interest: [], trigger: .level, handler: counter)
            let client = SocketEnd(reactor, try Socket.connect(to: try Socket.localAddress(listener)))
            _ = await client.writable()
            await reactor.nextTurn()
            #expect(counter.count == 0)
            try reactor.modify(registration, interest: .readable)
            await reactor.nextTurn()
            await reactor.nextTurn()
            await reactor.nextTurn()
            #expect(counter.count >= 3)
            try reactor.modify(registration, interest: [])
            let count = counter.count
            await reactor.nextTurn()
            await reactor.nextTurn()
            #expect(counter.count == count)
            reactor.remove(registration)
            try reactor.modify(registration, interest: .readable)
            client.close()
        }
    }

    @Test func `under edge trigger is told once`() async throws {
        try await withLoop { reactor in
            let pair = try await ConnectedPair(reactor)
            var count = 0
            pair.server.onReady = { if $0.contains(.readable) { count += 1 } }
            try pair.client.send("x")
            for _ in 0..<5 { await reactor.nextTurn() }
            #expect(count == 1)
            try pair.client.send("y")
            for _ in 0..<5 { await reactor.nextTurn() }
            #expect(count == 2)
            #expect(try pair.server.receive() == "xy")
        }
    }

    @Test func `leaves no descriptor behind over many short connections`() async throws {
        try await withLoop { reactor in
            let before = reactor.timerCount
            // Numbers are shared with other tests, so the socket behind the number is what counts.
            var sockets: Set<String> = []
            for _ in 0..<300 {
                let pair = try await ConnectedPair(reactor)
                for end in [pair.client, pair.server] {
                    sockets.insert(try #require(Files.target(ofLink: "/proc/self/fd/\(end.raw)")))
                }
                try pair.client.send("GET")
                pair.client.close()
                #expect(try await pair.server.receiveToEnd() == "GET")
                pair.server.close()
            }
            #expect(sockets.count == 600)
            #expect(try sockets.isDisjoint(with: Machine.openPaths()))
            #expect(reactor.timerCount == before)
        }
    }
}

private final class Deaf: ReadinessHandler {
    func ready(_ readiness: Readiness) {}
}

private final class ReadyCounter: ReadinessHandler {
    var count = 0

    func ready(_ readiness: Readiness) {
        count += 1
    }
}
