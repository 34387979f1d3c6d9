package import Primitives
package import SimulatorCore

/// The simulated Amazon Pay service as a value: requests in, answers out.
///
/// It holds the objects and the money (`MoneyEngine`), the idempotency table, the faults, the log of calls, the hosted
/// pages' visits and the clock. It opens no socket, reads no clock and draws no chance: the time comes with each request,
/// ids come from the seed. So the same seed, times and requests give the same answers.
package struct AmazonPayModel: Sendable {
    var configuration: SimulatorConfiguration
    let gate: SignatureGate
    var switches: SimulatorSwitches
    /// The simulated calendar.
    package var clock = SimulatedClock()
    var engine: MoneyEngine
    var idempotency = IdempotencyTable()
    var throttle = RequestRateLimiter()
    /// Faults that wait for their request.
    package var faults = FaultQueue()
    /// Calls that were answered.
    package var calls = CallLog<CallEntry>()
    var pages: HostedPageState
    var requestIDs: IdentifierMint
    var notices: NotificationSender
    /// What a tester may come back to, by name.
    package var snapshots: [String: Snapshot] = [:]
    /// What the real clock showed when the present request came: requests are signed by it.
    package private(set) var realTime: WallTime

    /// A service without any object.
    package init(_ configuration: SimulatorConfiguration, at real: WallTime) {
        self.configuration = configuration
        gate = SignatureGate(configuration)
        switches = configuration.switches
        realTime = real
        engine = MoneyEngine(
            mint: IdentifierMint(seed: configuration.seed, purpose: "objects"),
            now: real,
            capacity: configuration.sessionCapacity
        )
        engine.bankDelay = configuration.switches.bankDelay
        requestIDs = IdentifierMint(seed: configuration.seed, purpose: "requests")
        pages = HostedPageState(mint: IdentifierMint(seed: configuration.seed, purpose: "visits"))
        let targets = configuration.merchants.compactMap { merchant in
            merchant.notifications.map { (merchant.id, $0) }
        }
        notices = NotificationSender(
            targets: Dictionary(targets) { first, _ in first },
            root: configuration.senderRoot,
            mint: IdentifierMint(seed: configuration.seed, purpose: "notifications")
        )
    }

    /// Takes a request in.
    ///
    /// - Returns: The answer, or a pause after which `resume` gives it.
    package mutating func receive(_ request: SimulatorRequest, at real: WallTime) -> AmazonPayStep {
        moveTo(real)
        if AmazonPayModel.isControl(request) { return .answer(control(request)) }
        if let route = APIRoute(method: request.method, path: request.path) { return receiveCall(request, route) }
        if let file = certificateFile(request) { return .answer(file) }
        return receivePage(request)
    }

    /// Goes on with a request after its pause.
    ///
    /// - Parameters:
    ///   - pause: As it was given out; once.
    /// - Returns: The answer, or one more pause.
    package mutating func resume(_ pause: AmazonPayPause, at real: WallTime) -> AmazonPayStep {
        moveTo(real)
        switch pause.stage {
        case .effect(let call): return finishCall(call, pause.fault)
        case .entrance:
            if let route = APIRoute(method: pause.request.method, path: pause.request.path) {
                return enterCall(pause.request, route, pause.fault)
            }
            return enterPage(pause.request, pause.fault)
        }
    }

    /// Forgets everything but the configuration, and who is notified; ids go on, so that none comes twice in a run.
    package mutating func reset() {
        let (objects, requests, visits, told) = (engine.mint, requestIDs, pages.mint, notices)
        self = AmazonPayModel(configuration, at: realTime)
        (engine.mint, requestIDs, pages.mint, notices) = (objects, requests, visits, told)
        notices.queue.removeAll()
        notices.queue.isPaused = false
    }

    /// Goes back to what was kept under a name; ids go on, and so does the log.
    package mutating func restore(_ snapshot: Snapshot) {
        let (objects, visits) = (engine.mint, pages.mint)
        (switches, engine) = (snapshot.switches, snapshot.engine)
        (idempotency, throttle, faults, pages) =
            (snapshot.idempotency, snapshot.throttle, snapshot.faults, snapshot.pages)
        (engine.mint, pages.mint) = (objects, visits)
        // The clock stands where it stood: the time since then has not passed.
        clock.set(to: snapshot.engine.now, at: realTime)
    }

    /// Moves to the present; what has changed since then, and on the way, goes into the queue.
    package mutating func moveTo(_ real: WallTime) {
        realTime = real
        engine.advance(to: clock.time(at: real))
        queueChanges()
    }
}
