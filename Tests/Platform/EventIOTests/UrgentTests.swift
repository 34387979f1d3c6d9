import EventIO
import Glibc
import TestKit
import Testing

@Suite struct `What is urgent` {
    @Test(arguments: [true, false])
    func `goes before all others when more is ready than one turn takes`(isUrgent: Bool) async throws {
        try await withLoop { reactor in
            let told = Told()
            let others = try (0..<100).map { try Full(reactor, told, name: $0) }
            let last = try Full(reactor, told, name: 100, isUrgent: isUrgent)
            await reactor.nextTurn()
            #expect((told.names.first == 100) == isUrgent)
            #expect(told.names.contains(100) == isUrgent)
            await reactor.nextTurn()
            #expect(Set(told.names) == Set(0...100))
            for end in others + [last] { end.close() }
        }
    }

    @Test func `may end what else is urgent`() async throws {
        try await withLoop { reactor in
            let told = Told()
            let others = try (0..<100).map { try Full(reactor, told, name: $0) }
            let second = try Full(reactor, told, name: 101, isUrgent: true)
            let first = try Full(reactor, told, name: 100, isUrgent: true)
            second.onReady = { first.close() }
            await reactor.nextTurn()
            #expect(told.names.first == 101)
            await reactor.nextTurn()
            #expect(!told.names.contains(100))
            for end in others + [second] { end.close() }
        }
    }
}

/// Who was told, in order.
private final class Told {
    var names: [Int] = []
}

/// A pipe with one byte in it, which is left there.
private final class Full: ReadinessHandler {
    private let reactor: Reactor
    private let told: Told
    private let name: Int
    private var ends: [Int32] = [-1, -1]
    private var registration: Registration?
    var onReady: () -> Void = {}

    init(_ reactor: Reactor, _ told: Told, name: Int, isUrgent: Bool = false) throws {
        self.reactor = reactor
        self.told = told
        self.name = name
        try #require(unsafe pipe(&ends) == 0)
        try #require(unsafe write(ends[1], "x", 1) == 1)
        registration = try reactor.add(ends[0], interest: .readable, trigger: .edge, isUrgent: isUrgent, handler: self)
    }

    func ready(_ readiness: Readiness) {
        told.names.append(name)
        onReady()
    }

    func close() {
        guard let registration else { return }
        reactor.remove(registration)
        self.registration = nil
        for end in ends { _ = Glibc.close(end) }
    }
}
