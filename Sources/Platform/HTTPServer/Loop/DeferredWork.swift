import EventIO
import HTTP1
import Primitives

/// What connections put off to the end of a turn or to the next one, and what a turn allows.
final class DeferredWork: TurnObserver {
    /// For bytes that are used at once: ciphertext, and what is read only to be dropped.
    private(set) var scratch: [UInt8] = []
    /// One record of TLS with all its overhead fits.
    static let scratchSize = 16_384 + 1024
    /// Grows with each turn.
    private(set) var number: UInt64 = 0
    /// What each client has had of it.
    var shares: TurnShares
    private var hasDate = false
    private var dateSecond: Int64
    private let reactor: Reactor
    private let handshakesPerTurn: Int
    private var handshakesLeft: Int
    /// The Date field of the present.
    private(set) var date: DateLine
    private var dirty: [Connection] = []
    private var flushing: [Connection] = []
    private var postponed: [Connection] = []
    private var continuing: [Connection] = []
    private var waiting: [Connection] = []
    private var nextTurn: TimerID?

    init(_ reactor: Reactor, _ limits: ServerLimits) {
        self.reactor = reactor
        shares = TurnShares(share: limits.readBytesPerTurn)
        handshakesPerTurn = max(1, limits.handshakesPerTurn)
        handshakesLeft = handshakesPerTurn
        date = DateLine(reactor.wallNow)
        dateSecond = reactor.wallNow.seconds
        nextTurn = reactor.makeTimer { [unowned self] in continuePostponed() }
        reactor.addTurnObserver(self)
    }

    /// Brings the Date field up to date; cheap after the first call of a turn.
    func refreshDate() {
        guard !hasDate else { return }
        hasDate = true
        let now = reactor.wallNow
        guard now.seconds != dateSecond else { return }
        dateSecond = now.seconds
        // Replaced, not changed in place: see `HTTP1Driver.feed`.
        date = DateLine(now)
    }

    /// Reads once into the scratch buffer.
    func receiveIntoScratch(from socket: StreamSocket) throws(IOError) -> IOResult {
        scratch.removeAll(keepingCapacity: true)
        return try socket.receive(appendingTo: &scratch, limit: DeferredWork.scratchSize)
    }

    /// Whether one more handshake may begin in this turn.
    func admitHandshake() -> Bool {
        guard handshakesLeft > 0 else { return false }
        handshakesLeft -= 1
        return true
    }

    /// Flushes a connection at the end of this turn; the caller asks once until it is flushed.
    func flushAtEnd(_ connection: Connection) {
        dirty.append(connection)
    }

    /// Lets a connection go on in the next turn; the caller asks once until it does.
    func continueNextTurn(_ connection: Connection) {
        if postponed.isEmpty, let nextTurn { reactor.arm(nextTurn, after: .zero) }
        postponed.append(connection)
    }

    private func continuePostponed() {
        // Those that wait come before what their clients send meanwhile.
        shares.begin()
        swap(&postponed, &continuing)
        for connection in continuing {
            if connection.isClosed || shares.isOpen(to: connection.peer.limiterKey) {
                connection.continueAfterPause()
            } else {
                waiting.append(connection)
            }
        }
        continuing.removeAll(keepingCapacity: true)
        guard !waiting.isEmpty, let nextTurn else { return }
        // They come before those that have had some now and want more.
        swap(&postponed, &waiting)
        postponed.append(contentsOf: waiting)
        waiting.removeAll(keepingCapacity: true)
        reactor.arm(nextTurn, after: .zero)
    }

    func turnWillEnd() {
        number &+= 1
        hasDate = false
        handshakesLeft = handshakesPerTurn
        // A flush may let a connection answer the next of its requests, which is then flushed too.
        while !dirty.isEmpty {
            swap(&dirty, &flushing)
            for connection in flushing { connection.flush() }
            flushing.removeAll(keepingCapacity: true)
        }
        if postponed.isEmpty { shares.begin() }
    }
}
