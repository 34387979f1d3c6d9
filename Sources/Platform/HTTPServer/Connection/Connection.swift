import EventIO
import HTTPCore
import Primitives
import TLS
import Telemetry

/// One accepted connection: moves bytes between its socket and its protocol, watches deadlines, and closes.
///
/// Edge-triggered and registered once. It reads once per edge, again only while a read fills the room it was given, and
/// to the end once the kernel has reported a hang-up, because the end may come together with the last bytes. What is to
/// be sent collects in `output` and leaves with one call at the end of the turn.
final class Connection: ReadinessHandler {
    /// Who is at the other end.
    struct Peer {
        let address: PeerAddress
        /// Whether its word on who the client is counts.
        let isProxy: Bool
        /// What it is counted by; `nil` for a proxy.
        let limiterKey: UInt64?

        /// Whose share the content of a request is of, after its client is known; `nil` for nobody's.
        func shareKey(of request: HTTPRequest) -> UInt64? {
            isProxy ? request.peer.bucketKey : limiterKey
        }
    }

    private enum Closing {
        case no
        case afterOutput(lingers: Bool)
        case lingering(dropped: Int)
    }

    let peer: Peer
    let isSecure: Bool
    let part: LoopServer
    /// Plaintext that has come; used up by the driver.
    private(set) var input: InputBuffer
    /// Plaintext to send; grows by `write`.
    private(set) var output = OutputBuffer()
    /// Where the part's table holds it.
    var tableIndex = 0

    private var socket: StreamSocket?
    private let channel: any Channel
    private var driver: (any ProtocolDriver)?
    private var registration: Registration?
    private var reading = ReadState()
    private var closing = Closing.no
    private var isDirty = false
    private var isPaused = false
    private var isReading = false
    private var timer: TimerID?
    private var deadline: (kind: Deadline, start: MonotonicTime)?
    /// Whether the kernel takes no more output at present.
    private(set) var isBlocked = false
    /// Whether the driver is notified when all output is gone.
    private var driverWaitsForOutput = false

    init(_ socket: StreamSocket, _ channel: any Channel, peer: Peer, isSecure: Bool, part: LoopServer) {
        self.socket = socket
        self.channel = channel
        self.peer = peer
        self.isSecure = isSecure
        self.part = part
        input = InputBuffer(part.pool)
    }

    /// Whether it has ended; then nothing is written any more.
    var isClosed: Bool { socket == nil }

    /// Whether what is appended to the output still leaves.
    var takesOutput: Bool {
        guard case .no = closing else { return false }
        return !isClosed
    }

    /// Whether the peer has said that it sends no more.
    var inputHasEnded: Bool { reading.hasEnded }

    /// Registers with the loop.
    func begin() throws(IOError) {
        guard let socket else { return }
        let everything: Interest = [.readable, .writable]
        registration = try part.reactor.add(socket.raw, interest: everything, trigger: .edge, handler: self)
        timer = part.reactor.makeTimer { [self] in timerFired() }
        guard channel.isOpen else { return setDeadline(.handshake) }
        // Without TLS the first bytes decide on the protocol, where there is a choice.
        if part.shared.configuration.acceptsClearHTTP2 { setDeadline(.header) } else { use(HTTP1Driver(self)) }
    }

    /// Chooses the protocol once it is known.
    private func chooseDriver() {
        guard channel.isOpen else { return }
        if isSecure {
            use(channel.negotiatedProtocol == ServerConfiguration.http2Name ? HTTP2Driver(self) : HTTP1Driver(self))
        } else if let isHTTP2 = HTTP2Driver.isPreface(input) {
            use(isHTTP2 ? HTTP2Driver(self) : HTTP1Driver(self))
        }
    }

    private func use(_ driver: (any ProtocolDriver)?) {
        guard let driver else { return close() }
        self.driver = driver
        driver.begin(on: self)
        if part.isDraining {
            driver.drainBegins()
            driver.advance(on: self)
        }
    }

    func ready(_ readiness: Readiness) {
        guard !readiness.isError else { return close() }
        if isBlocked, readiness.isWritable { flushSoon() }
        // Asked before, so that nothing of another target runs while the state is changed.
        let (isReadable, isHangUp) = (readiness.isReadable, readiness.isHangUp)
        reading.note(isReadable: isReadable, isHangUp: isHangUp)
        readWhatIsThere()
    }

    /// Goes on in a new turn after this connection has had its share of an earlier one.
    func continueAfterPause() {
        isPaused = false
        guard !isClosed else { return }
        driver?.advance(on: self)
        readWhatIsThere()
    }

    /// Lets the other connections of the loop have their turn first.
    func continueNextTurn() {
        guard !isPaused else { return }
        isPaused = true
        part.turn.continueNextTurn(self)
    }

    /// Finishes what is in flight, for a server that drains.
    func drain() {
        driver?.drainBegins()
        // A request may have come that no edge has reported yet.
        reading.expectMore()
        readWhatIsThere()
        guard !isClosed else { return }
        if let driver { driver.advance(on: self) } else { setDeadline(.patience) }
    }

    /// Closes now: cancels what runs for this connection and gives back what it holds.
    func close() {
        guard socket != nil else { return }
        if let registration { part.reactor.removeBeforeClose(registration) }
        if let timer { part.reactor.cancel(timer) }
        timer = nil
        socket = nil
        channel.close()
        input.consume(.max)
        releaseInput()
        discardOutput()
        driver?.connectionClosed()
        part.forget(self)
    }
}

// MARK: Reading

extension Connection {
    /// Reads for as long as there is something to read, room for it, and some of this turn's share left.
    func readWhatIsThere() {
        // A driver that uses up input asks for more from inside this loop.
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        var share = max(1, part.limits.readBytesPerTurn)
        while wantsInput {
            guard share > 0, part.turn.shares.isOpen(to: peer.limiterKey) else { return continueNextTurn() }
            guard let count = readOnce() else { break }
            share -= count
            part.turn.shares.count(count, of: peer.limiterKey)
        }
        releaseInput()
    }

    private var wantsInput: Bool {
        guard socket != nil, !reading.hasEnded, !isPaused else { return false }
        switch closing {
        case .afterOutput: return false
        case .lingering: return reading.mayHaveMore
        case .no: return !input.isFull && (reading.mayHaveMore || channel.hasBufferedInput)
        }
    }

    /// Reads once and lets the driver have it.
    ///
    /// - Returns: How many bytes the network gave, or `nil` when there is no reason to go on now.
    private func readOnce() -> Int? {
        guard let socket else { return nil }
        if case .lingering(let dropped) = closing { return drop(from: socket, dropped) }
        do throws(ChannelError) {
            let received = try receive(from: socket)
            if channel.hasOwnOutput { flushSoon() }
            return take(received)
        } catch {
            fail(error)
            return nil
        }
    }

    private func receive(from socket: StreamSocket) throws(ChannelError) -> Received {
        // The buffer leaves the connection for the call: a property of an object that is lent out costs a check at each
        // of its uses, and this one has many for each request.
        var buffer = InputBuffer(part.pool)
        swap(&buffer, &input)
        defer { swap(&buffer, &input) }
        buffer.makeRoom(part.pool)
        return try channel.receive(from: socket, into: &buffer)
    }

    /// Gives the input's buffer back if nothing is in it.
    private func releaseInput() {
        guard input.isEmpty, input.hasBuffer else { return }
        var buffer = InputBuffer(part.pool)
        swap(&buffer, &input)
        buffer.release(part.pool)
    }

    /// Drops bytes from the front of the input.
    func consume(_ count: Int) {
        input.consume(count)
    }

    private func take(_ received: Received) -> Int? {
        switch received {
        case .postponed:
            continueNextTurn()
            return nil
        case .nothing:
            reading.noteEmpty()
            return nil
        case .end:
            reading.noteEnd()
            guard let driver else {
                close()
                return nil
            }
            driver.inputEnded(on: self)
            return nil
        case .bytes(let count, let mayHaveMore):
            reading.noteBytes(mayHaveMore: mayHaveMore)
            if driver == nil { chooseDriver() }
            if !input.isEmpty { driver?.advance(on: self) }
            return count
        }
    }

    /// Reads what a refused client still sends, only to drop it.
    private func drop(from socket: StreamSocket, _ dropped: Int) -> Int? {
        let result = try? part.turn.receiveIntoScratch(from: socket)
        if case .wouldBlock = result {
            reading.noteEmpty()
            return nil
        }
        guard case .done(let count) = result, count > 0, dropped < Connection.mostDropped else {
            close()
            return nil
        }
        closing = .lingering(dropped: dropped + count)
        reading.noteBytes(mayHaveMore: count == DeferredWork.scratchSize)
        return count
    }

    /// What a refused client may still send before it is cut off.
    ///
    /// Clients that send a whole content before they read get the refusal of one that is up to this long. The deadline and the
    /// share of a turn hold besides, so that dropping costs no more than reading.
    private static let mostDropped = 4_194_304

    private func fail(_ error: ChannelError) {
        guard case .tls(let failure) = error else { return close() }
        part.shared.logger.debug("http.tls_failed", [LogField("error", failure.debugDescription)])
        if driver == nil { part.counters.count(.handshakeFailed) }
        driver?.connectionClosed()
        if failure.code == .plainHTTP {
            // Without this a person who typed the wrong scheme sees an empty page.
            write { PlainRequestAnswer.append(fields: part.errorFields, to: &$0) }
        } else {
            // What may be left to send is the alert that says what went wrong.
            discardOutput()
        }
        closeAfterOutput(lingers: true)
    }
}

// MARK: Writing and closing

extension Connection {
    /// Appends to the output, which leaves at the end of this turn.
    func write(_ append: (inout [UInt8]) -> Void) {
        var buffer = OutputBuffer()
        swap(&buffer, &output)
        buffer.open(part.pool)
        append(&buffer.bytes)
        swap(&buffer, &output)
        flushSoon()
    }

    /// Notifies the driver when all output is gone.
    func advanceWhenDrained() {
        driverWaitsForOutput = true
    }

    private func discardOutput() {
        var buffer = OutputBuffer()
        swap(&buffer, &output)
        buffer.discard(part.pool)
    }

    /// Sends what waits at the end of this turn, together with whatever is still to come.
    func flushSoon() {
        guard !isDirty, !isClosed else { return }
        isDirty = true
        part.turn.flushAtEnd(self)
    }

    /// Sends what waits; called by the turn.
    func flush() {
        driver?.collectOutput(on: self)
        isDirty = false
        guard let socket else { return }
        do throws(ChannelError) {
            switch try send(to: socket) {
            case .everything: outputDrained()
            case .some: outputBlocked(progress: true)
            case .nothing: outputBlocked(progress: false)
            }
        } catch {
            close()
        }
    }

    private func send(to socket: StreamSocket) throws(ChannelError) -> Sent {
        var buffer = OutputBuffer()
        swap(&buffer, &output)
        defer { swap(&buffer, &output) }
        let sent = try channel.send(&buffer, to: socket)
        buffer.release(part.pool)
        return sent
    }

    private func outputBlocked(progress: Bool) {
        let wasBlocked = isBlocked
        isBlocked = true
        if !wasBlocked || progress { armTimer() }
        if takesOutput { driver?.outputBlocked(on: self) }
    }

    private func outputDrained() {
        if isBlocked {
            isBlocked = false
            armTimer()
        }
        switch closing {
        case .no:
            guard driverWaitsForOutput else { return }
            driverWaitsForOutput = false
            driver?.advance(on: self)
            readWhatIsThere()
        case .afterOutput(lingers: false): close()
        case .afterOutput(lingers: true): beginLingering()
        case .lingering: break
        }
    }

    /// Closes when everything that waits has been sent; takes no more input.
    ///
    /// - Parameter lingers: Whether the peer may still be sending. A close with unread bytes makes the kernel send a
    ///   reset, and that can overtake the answer; so its bytes are read and dropped for a while.
    func closeAfterOutput(lingers: Bool) {
        guard case .no = closing, !isClosed else { return }
        closing = .afterOutput(lingers: lingers)
        setDeadline(nil)
        input.consume(.max)
        channel.endOutput()
        flushSoon()
    }

    private func beginLingering() {
        guard !reading.hasEnded else { return close() }
        socket?.shutDownWriting()
        closing = .lingering(dropped: 0)
        setDeadline(.linger)
        reading.expectMore()
        readWhatIsThere()
    }
}

// MARK: Deadlines

extension Connection {
    /// Replaces the deadline; it runs from now.
    func setDeadline(_ kind: Deadline?) {
        guard let kind else {
            deadline = nil
            if let timer, !isBlocked { part.reactor.disarm(timer) }
            return
        }
        setDeadline(kind, since: part.reactor.now)
    }

    /// Replaces the deadline by one that has run for a while.
    func setDeadline(_ kind: Deadline, since start: MonotonicTime) {
        deadline = (kind, start)
        if !isBlocked { armTimer() }
    }

    /// A slow reader comes first: while it blocks, what the driver waits for cannot happen.
    private func armTimer() {
        guard let timer else { return }
        if isBlocked {
            part.reactor.arm(timer, at: part.deadlines.due(.write, since: part.reactor.now))
        } else if let deadline {
            part.reactor.arm(timer, at: part.deadlines.due(deadline.kind, since: deadline.start))
        } else {
            part.reactor.disarm(timer)
        }
    }

    private func timerFired() {
        if isBlocked {
            socket?.resetOnClose()
            return close()
        }
        guard let kind = deadline?.kind else { return }
        deadline = nil
        switch kind {
        case .handshake:
            part.counters.count(.handshakeTimeout)
            close()
        case .linger:
            socket?.resetOnClose()
            close()
        case .header, .body, .handler, .idle, .write, .response, .rest, .patience:
            if let driver { driver.deadlinePassed(kind, on: self) } else { close() }
        }
    }
}
