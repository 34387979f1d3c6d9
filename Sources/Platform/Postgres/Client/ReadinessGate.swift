import EventIO

/// Lets waiters through when all connections are there and answer, or their patience is at its end.
final class ReadinessGate {
    private struct Waiter {
        let caller: Suspension<Bool>
        let timer: TimerID
    }

    private let reactor: Reactor
    private let needed: Set<ConnectionRole>
    private var ready: Set<ConnectionRole> = []
    private var waiters: [Int: Waiter] = [:]
    private var nextWaiter = 0

    init(reactor: Reactor, needing roles: Set<ConnectionRole>) {
        self.reactor = reactor
        needed = roles
    }

    /// Whether all are there.
    var isOpen: Bool { ready == needed }

    /// A connection came or went.
    func set(_ role: ConnectionRole, isReady: Bool) {
        if isReady { ready.insert(role) } else { ready.remove(role) }
        guard isOpen else { return }
        for waiter in waiters.values {
            reactor.cancel(waiter.timer)
            waiter.caller.resume(true)
        }
        waiters = [:]
    }

    /// Waits for all; false when that took too long.
    func wait(for patience: Duration) async -> Bool {
        await suspend { caller in
            guard !isOpen else { return caller.resume(true) }
            let number = nextWaiter
            nextWaiter += 1
            let timer = reactor.schedule(after: patience) { [weak self] in self?.giveUp(number) }
            waiters[number] = Waiter(caller: caller, timer: timer)
        }
    }

    private func giveUp(_ number: Int) {
        waiters.removeValue(forKey: number)?.caller.resume(false)
    }
}
