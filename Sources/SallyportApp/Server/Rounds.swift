import EventIO

/// Something that is done again and again on one loop, with a pause in between.
final class Rounds {
    private let reactor: Reactor
    private let pause: Duration
    private let bell: RoundBell
    private let body: () async -> Void
    private var isStopped = false

    /// Rounds on the present loop.
    ///
    /// - Parameters:
    ///   - reactor: The loop's.
    ///   - pause: Between two rounds.
    ///   - bell: Rung for each round.
    ///   - body: One round.
    init(_ reactor: Reactor, pause: Duration, bell: RoundBell, _ body: @escaping () async -> Void) {
        self.reactor = reactor
        self.pause = pause
        self.bell = bell
        self.body = body
    }

    /// Begins; the first round at once, so that what a crash left behind is taken up without a wait.
    func start() {
        reactor.startTask { await self.takeRounds() }
    }

    /// Ends after the round that is under way.
    func stop() {
        isStopped = true
    }

    private func takeRounds() async {
        while !isStopped {
            let round = bell.begin()
            await body()
            bell.end(round)
            await reactor.sleep(for: pause)
        }
        bell.close()
    }
}
