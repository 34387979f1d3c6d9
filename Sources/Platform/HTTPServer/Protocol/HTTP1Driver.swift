import EventIO
import HTTP1
import HTTPCore
import Primitives
import Telemetry

/// Speaks HTTP/1.1 over a connection: carries out what ``HTTP1ConnectionState`` decides.
final class HTTP1Driver: ProtocolDriver {
    private let part: LoopServer
    private let request = HTTPRequest()
    private var parser: HTTP1RequestParser
    private var state: HTTP1ConnectionState
    /// The handler in flight, if it takes its time.
    private var running: JobRun?
    /// What the next run of this driver does.
    private var work: (connection: Connection, share: UInt64?, handler: () async throws -> HTTPResponse)?
    /// The deadline that runs; a request that comes in one piece does not touch the clock.
    private var deadline: Deadline?
    private var isAdvancing = false
    /// When the request in hand was complete.
    private var start = MonotonicTime(nanoseconds: 0)
    /// Whether the head of a request is there and its content is not: what it is for is known.
    private var isAwaitingContent = false
    /// What is held of the request's content.
    private var content: ContentShare

    init(_ connection: Connection) {
        part = connection.part
        parser = HTTP1RequestParser(limits: connection.part.parserLimits, isSecure: connection.isSecure)
        state = HTTP1ConnectionState(connection.part.limits)
        content = ContentShare(of: connection.peer.limiterKey)
        request.peer = connection.peer.address
        request.isSecure = connection.isSecure
    }

    func begin(on connection: Connection) {
        wait(.header, on: connection)
    }

    func advance(on connection: Connection) {
        // Answering at once comes back here from inside.
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while connection.takesOutput {
            let next = state.next(
                inputIsEmpty: connection.input.isEmpty,
                pendingOutput: connection.output.pending,
                turn: part.turn.number,
                hasShare: part.turn.shares.isOpen(to: connection.peer.limiterKey)
            )
            guard next != .parse || parse(connection) else { return }
            if next != .parse { return carryOut(next, on: connection) }
        }
    }

    private func carryOut(_ next: HTTP1ConnectionState.Next, on connection: Connection) {
        switch next {
        case .parse, .nothing: break
        case .pause:
            waitForNothing(on: connection)
            connection.advanceWhenDrained()
        case .wait(let deadline): wait(deadline, on: connection)
        case .yield:
            waitForNothing(on: connection)
            connection.continueNextTurn()
        case .close(let lingers): connection.closeAfterOutput(lingers: lingers)
        }
    }

    private func wait(_ deadline: Deadline, on connection: Connection) {
        guard self.deadline != deadline else { return }
        self.deadline = deadline
        connection.setDeadline(deadline)
    }

    /// Ends the deadline of a wait that is over: what comes next depends on this side, or has a deadline of its own.
    private func waitForNothing(on connection: Connection) {
        deadline = nil
        connection.setDeadline(nil)
    }

    func inputEnded(on connection: Connection) {
        if state.inputEnded(inputIsEmpty: connection.input.isEmpty) { running?.cancel() }
        advance(on: connection)
    }

    func drainBegins() {
        state.drainBegins()
    }

    func deadlinePassed(_ deadline: Deadline, on connection: Connection) {
        self.deadline = nil
        if deadline == .handler { return giveUpHandler(on: connection) }
        var state = state
        let answer = state.deadlinePassed(deadline)
        self.state = state
        guard let status = answer else { return connection.closeAfterOutput(lingers: false) }
        refuse(status, on: connection)
    }

    func collectOutput(on connection: Connection) {}

    func outputBlocked(on connection: Connection) {}

    func connectionClosed() {
        running?.cancel()
        running = nil
        // The content stays: a handler that has not begun yet reads it.
        _ = part.hold(0, in: &content)
    }

    /// Gives the room of a large content back, and its memory.
    private func dropContent() {
        guard !content.isEmpty else { return }
        request.body = []
        _ = part.hold(0, in: &content)
    }
}

// MARK: Requests

extension HTTP1Driver {
    /// Feeds the parser once.
    ///
    /// - Returns: Whether to go on.
    private func parse(_ connection: Connection) -> Bool {
        let step = feed(connection)
        connection.consume(step.consumed)
        if isAwaitingContent, !part.hold(request.body.count, in: &content) {
            state.contentRefused()
            part.counters.refusedContent.increment()
            refuse(.serviceUnavailable, on: connection)
            return false
        }
        var state = state
        let inputIsEmpty = connection.input.isEmpty
        let parsed = state.parsed(step.outcome, isInside: parser.isInsideRequest, inputIsEmpty: inputIsEmpty)
        self.state = state
        switch parsed {
        case .nothing:
            // What is left in the buffer is the begin of something; only more bytes help.
            if step.outcome == .needMore {
                carryOut(self.state.waitOrClose(), on: connection)
                return false
            }
        case .checkLimit:
            part.identify(request, from: connection.peer)
            isAwaitingContent = true
            if content.isEmpty { content = ContentShare(of: connection.peer.shareKey(of: request)) }
            if let limit = part.handler.bodyLimit(for: request) { parser.bodyLimit = limit }
        case .sendContinue:
            connection.write { $0.append(contentsOf: HTTP1Serializer.continueResponse) }
        case .handle:
            part.identify(request, from: connection.peer)
            isAwaitingContent = false
            handle(connection)
        case .refuse(let status):
            refuse(status, on: connection)
        }
        return true
    }

    /// A function of its own, so that the hold on the buffer ends before the buffer is written to again.
    ///
    /// The parser leaves the driver for the call, as the state does elsewhere: if one call into another target lends out a
    /// property of an object, each of its uses is checked.
    private func feed(_ connection: Connection) -> ParseStep {
        let input = connection.input
        var parser = parser
        let step = parser.feed(input.bytes.span.extracting(input.start...), into: request)
        self.parser = parser
        return step
    }

    private func handle(_ connection: Connection) {
        part.turn.shares.count(TurnShares.request + request.body.count, of: connection.peer.limiterKey)
        start = part.reactor.now
        switch part.handler.handle(request) {
        case .now(let response):
            respond(response, on: connection)
        case .precomposed(let response):
            respond(response, on: connection)
        case .later(let handler):
            let share = connection.peer.shareKey(of: request)
            if let refusal = part.refusalOfHandler(of: request, share) { return respond(refusal, on: connection) }
            deadline = .handler
            connection.setDeadline(.handler, since: part.handlerStart(of: request))
            work = (connection, share, handler)
            running = part.reactor.start(self)
        }
    }

    /// What a failed handler is answered with.
    ///
    /// - Returns: `nil` when it failed because nobody waits for it any more, or wants to hang up.
    private func answer(to error: any Error, on connection: Connection) async -> HTTPResponse? {
        if let hangUp = error as? HangUp {
            await end(connection, after: hangUp)
            return nil
        }
        return Task.isCancelled ? nil : part.answer(toFailure: error, of: request)
    }

    private func finish(_ response: HTTPResponse?, on connection: Connection) {
        running = nil
        guard connection.takesOutput else { return }
        guard let response else { return connection.close() }
        respond(response, on: connection)
        advance(on: connection)
        connection.readWhatIsThere()
    }
}

// MARK: Handlers that take their time

extension HTTP1Driver: LoopJob {
    func run() async {
        guard let (connection, share, handler) = work else { return }
        work = nil
        let response: HTTPResponse?
        do { response = try await handler() } catch { response = await answer(to: error, on: connection) }
        part.handlerEnded(share)
        finish(response, on: connection)
    }
}

// MARK: Responses

extension HTTP1Driver {
    private func respond(_ response: HTTPResponse, on connection: Connection) {
        let wanted = parser.persistence
        let persistence = state.willRespond(clientKeeps: wanted != .close) ? wanted : .close
        part.turn.refreshDate()
        let (method, date) = (request.method, part.turn.date)
        connection.write { output in
            HTTP1Serializer.append(response, answering: method, persistence: persistence, date: date, to: &output)
        }
        responded(response.status, on: connection)
    }

    private func respond(_ response: StaticResponse, on connection: Connection) {
        let wanted = parser.persistence
        let persistence = state.willRespond(clientKeeps: wanted != .close) ? wanted : .close
        part.turn.refreshDate()
        let (method, date) = (request.method, part.turn.date)
        connection.write { output in
            HTTP1Serializer.append(response, answering: method, persistence: persistence, date: date, to: &output)
        }
        responded(response.response.status, on: connection)
    }

    /// Answers in the place of a handler that takes too long, and ends the connection: the handler still reads the request.
    ///
    /// What it has begun to completion goes on; what it returns is dropped.
    private func giveUpHandler(on connection: Connection) {
        let late = running
        running = nil
        state.handlerGivenUp()
        let response = part.giveUp(request)
        let method = request.method
        part.turn.refreshDate()
        let date = part.turn.date
        connection.write { output in
            HTTP1Serializer.append(response, answering: method, persistence: .close, date: date, to: &output)
        }
        part.counters.count(response.status)
        part.counters.observe(from: start, to: part.reactor.now)
        connection.closeAfterOutput(lingers: !connection.input.isEmpty)
        late?.cancel()
    }

    private func responded(_ status: HTTPStatus, on connection: Connection) {
        part.counters.count(status)
        dropContent()
        request.dropLargeHead()
        part.counters.observe(from: start, to: part.reactor.now)
        // The deadline of the next request runs from here.
        deadline = nil
        if let next = state.responded(inputIsEmpty: connection.input.isEmpty) { carryOut(next, on: connection) }
    }

    /// Sends bytes that are no response, and ends the connection.
    private func end(_ connection: Connection, after hangUp: HangUp) async {
        guard !hangUp.lastBytes.isEmpty, connection.takesOutput else { return }
        waitForNothing(on: connection)
        connection.write { $0.append(contentsOf: hangUp.lastBytes) }
        if !hangUp.rest.isEmpty {
            await part.reactor.sleep(for: hangUp.pause)
            guard connection.takesOutput else { return }
            connection.write { $0.append(contentsOf: hangUp.rest) }
        }
        connection.closeAfterOutput(lingers: false)
    }

    /// Answers a request that is none, or whose content is not taken, and ends the connection: nobody knows where the next one
    /// would begin.
    private func refuse(_ status: HTTPStatus, on connection: Connection) {
        let own = isAwaitingContent ? part.handler.refusal(of: request, with: status) : nil
        dropContent()
        let response = own ?? part.refusal(status)
        let method = own == nil ? .other : request.method
        part.counters.count(response.status)
        part.turn.refreshDate()
        let date = part.turn.date
        connection.write { output in
            HTTP1Serializer.append(response, answering: method, persistence: .close, date: date, to: &output)
        }
        connection.closeAfterOutput(lingers: true)
    }
}
