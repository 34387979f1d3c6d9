import EventIO
import HTTP1
import HTTP2
import HTTPCore
import Primitives
import Telemetry

/// Speaks HTTP/2 over a connection: feeds its session, hands requests to the handler, watches over time.
///
/// Everything that a turn brings about is put into the session; it leaves in one piece when the connection is flushed.
final class HTTP2Driver: ProtocolDriver {
    private let part: LoopServer
    private let session: HTTP2Session
    /// Complete requests that wait for their turn.
    private var waiting: [HTTP2Stream] = []
    private var nextWaiting = 0
    /// For handlers that take their time; never more than there were streams at once.
    private var idleJobs: [HTTP2Job] = []
    private var requestCount = 0
    private var answeredInTurn = 0
    private var turn: UInt64 = 0
    private var isAdvancing = false
    private var goAway = GoAwayState.none
    private var clientHasEnded = false
    private var reportedResets = (received: 0, sent: 0)
    /// When it began, when it was last busy, when its drain began.
    private let beginning: Int64
    private var lastBusy: Int64
    private var drainStart: Int64 = 0
    /// What is held of its requests' content, of their heads beyond that of one request, and of answers that nobody reads.
    ///
    /// A proxy's connection is many clients': what it holds is bounded, and nobody's share.
    private var content: ContentShare
    private var heldContent = 0
    /// What is held of answers because the client does not take them, beyond what may wait on any connection.
    private var unread = 0
    /// Whether all has left that the client's windows let pass.
    private var isHeldUp = false
    private var armed: (kind: Deadline, since: Int64)?

    /// How far the session has come in taking its leave.
    private enum GoAwayState {
        case none
        /// The server drains; no GOAWAY was sent yet.
        case wanted
        /// GOAWAY was sent; the client may still open streams.
        case announced
        /// No stream is taken any more.
        case final
    }

    init?(_ connection: Connection) {
        part = connection.part
        beginning = HTTP2Driver.milliseconds(connection.part.reactor.now)
        lastBusy = beginning
        content = ContentShare(of: connection.peer.limiterKey)
        guard let common = connection.part.http2,
            let session = try? HTTP2Session(common, isSecure: connection.isSecure, at: beginning)
        else { return nil }
        self.session = session
        part.counters.http2Connections.increment()
    }

    private static func milliseconds(_ time: MonotonicTime) -> Int64 { Int64(time.nanoseconds / 1_000_000) }

    private var now: Int64 { HTTP2Driver.milliseconds(part.reactor.now) }

    func begin(on connection: Connection) {
        watch(connection)
        connection.flushSoon()
    }

    func advance(on connection: Connection) {
        // Answering at once comes back here from inside.
        guard !isAdvancing, connection.takesOutput else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        if turn != part.turn.number {
            turn = part.turn.number
            answeredInTurn = 0
        }
        do throws(HTTP2Error) {
            repeat {
                takeEvents(on: connection)
                guard connection.takesOutput else { return }
                answerWaiting(on: connection)
            } while try receive(connection)
        } catch {
            part.shared.logger.debug("http.h2_failed", [LogField("error", error.description)])
            return end(connection)
        }
        settle(connection)
    }

    /// Feeds the session with what has come.
    ///
    /// - Returns: Whether there was anything.
    private func receive(_ connection: Connection) throws(HTTP2Error) -> Bool {
        guard !connection.input.isEmpty, session.flood == nil else { return false }
        guard connection.output.pending <= part.limits.pendingOutputBytes else {
            connection.advanceWhenDrained()
            return false
        }
        let input = connection.input
        let bytes = input.bytes.span.extracting(input.start...)
        defer { connection.consume(bytes.count) }
        try session.receive(bytes, at: now)
        return true
    }

    private func takeEvents(on connection: Connection) {
        while let event = session.nextEvent() { take(event, on: connection) }
    }

    private func take(_ event: HTTP2Event, on connection: Connection) {
        switch event {
        case .head(let stream):
            guard !stream.isClosed, admitHead(of: stream) else { return }
            identify(stream, on: connection)
            let limit = part.handler.bodyLimit(for: stream.request) ?? part.limits.bodyBytes
            if !session.allowContent(stream, limit) { refuseContent(of: stream, .payloadTooLarge) }
        case .request(let stream):
            guard admitHead(of: stream) else { return }
            requestCount += 1
            stream.hold = .held
            waiting.append(stream)
        case .refusal(let stream, let status):
            requestCount += 1
            if stream.isKnown { refuseContent(of: stream, status) } else { refuse(stream, status) }
        case .closed(let stream):
            stream.work?.cancel()
            if stream.hold == .free { session.recycle(stream) } else { stream.hold = .orphaned }
        case .goAwaySeen:
            if goAway == .announced { acceptNoMore() }
        }
    }

    /// What counts in the process's budget: content, heads beyond the largest that one request may have, and unread answers.
    private var heldBytes: Int {
        session.heldContent + max(0, session.heldHeads - part.limits.headerBytes) + min(unread, waitingAnswers)
    }

    /// What is held of answers beyond what may wait on any connection.
    private var waitingAnswers: Int { max(0, session.heldAnswers - part.limits.pendingOutputBytes) }

    /// Counts the head of a request; where the process has no room for it, the stream is refused, and its client may try again.
    ///
    /// Not the first ones of a connection: over HTTP/1.1 each connection may have one of that size, too.
    private func admitHead(of stream: HTTP2Stream) -> Bool {
        session.countHead(of: stream)
        guard session.heldHeads > part.limits.headerBytes, heldBytes > heldContent else { return true }
        guard part.hold(heldBytes, in: &content) else {
            part.counters.refusedContent.increment()
            session.turnAway(stream)
            return false
        }
        heldContent = heldBytes
        return true
    }

    private func identify(_ stream: HTTP2Stream, on connection: Connection) {
        stream.request.peer = connection.peer.address
        stream.request.isSecure = connection.isSecure
        part.identify(stream.request, from: connection.peer)
    }
}

// MARK: Requests

extension HTTP2Driver {
    /// Hands over the requests that are complete, as many as a turn and a slow reader allow.
    private func answerWaiting(on connection: Connection) {
        while nextWaiting < waiting.count {
            guard answeredInTurn < part.limits.requestsPerTurn, part.turn.shares.isOpen(to: connection.peer.limiterKey)
            else { return connection.continueNextTurn() }
            // Goes on when some of it has gone out: `collectOutput` sees to that.
            guard session.unsentBytes <= part.limits.pendingOutputBytes else { return }
            let stream = waiting[nextWaiting]
            nextWaiting += 1
            if stream.isClosed { release(stream) } else { handle(stream, on: connection) }
        }
        nextWaiting = 0
        waiting.removeAll(keepingCapacity: true)
    }

    private func handle(_ stream: HTTP2Stream, on connection: Connection) {
        part.turn.shares.count(TurnShares.request + stream.request.body.count, of: connection.peer.limiterKey)
        answeredInTurn += 1
        identify(stream, on: connection)
        stream.handedOver = part.reactor.now.nanoseconds
        switch part.handler.handle(stream.request) {
        case .now(let response):
            release(stream)
            observe(stream)
            respond(response, on: stream)
        case .precomposed(let response):
            release(stream)
            observe(stream)
            respond(response, on: stream)
        case .later(let handler):
            let share = connection.peer.shareKey(of: stream.request)
            if let refusal = part.refusalOfHandler(of: stream.request, share) {
                release(stream)
                observe(stream)
                return respond(refusal, on: stream)
            }
            stream.start = HTTP2Driver.milliseconds(part.handlerStart(of: stream.request))
            let assignment = HTTP2Job.Assignment(
                driver: self,
                stream: stream,
                connection: connection,
                share: share,
                handler: handler
            )
            (idleJobs.popLast() ?? HTTP2Job()).start(assignment, on: part.reactor)
        }
    }

    /// What a failed handler is answered with.
    ///
    /// - Returns: `nil` when it failed because nobody waits for it any more, or wants to hang up.
    func answer(to error: any Error, _ stream: HTTP2Stream, on connection: Connection) -> HTTPResponse? {
        if let hangUp = error as? HangUp {
            hang(up: hangUp, connection)
            return nil
        }
        return Task.isCancelled ? nil : part.answer(toFailure: error, of: stream.request)
    }

    /// Sends bytes that are no frames behind those that wait, and ends the connection with all its streams.
    private func hang(up hangUp: HangUp, _ connection: Connection) {
        guard !hangUp.lastBytes.isEmpty, connection.takesOutput, pump(connection) else { return connection.close() }
        connection.write { $0.append(contentsOf: hangUp.lastBytes) }
        connection.closeAfterOutput(lingers: false)
    }

    /// A handler has come to its end.
    func finish(_ response: HTTPResponse?, _ stream: HTTP2Stream, by job: HTTP2Job, on connection: Connection) {
        part.handlerEnded(job.share)
        stream.work = nil
        idleJobs.append(job)
        // No longer where the stream has ended, or was answered in the handler's place.
        let isAwaited = stream.phase == .handling
        release(stream)
        guard connection.takesOutput else { return }
        if isAwaited {
            if let response {
                observe(stream)
                respond(response, on: stream)
            } else {
                session.reset(stream, .cancel)
            }
        }
        advance(on: connection)
    }

    /// Answers in the place of a handler that takes too long; the connection takes its leave.
    ///
    /// What the handler has begun to completion goes on; what it returns is dropped. Until it ends, its stream counts as one of
    /// the connection's: a new connection has all of its own.
    private func giveUpHandler(of stream: HTTP2Stream) {
        let response = part.giveUp(stream.request)
        observe(stream)
        submit(response, on: stream)
        if goAway == .none { goAway = .wanted }
        stream.work?.cancel()
    }

    private func observe(_ stream: HTTP2Stream) {
        part.counters.observe(from: MonotonicTime(nanoseconds: stream.handedOver), to: part.reactor.now)
    }

    /// Ends the driver's work on a stream.
    private func release(_ stream: HTTP2Stream) {
        if stream.hold == .orphaned { session.recycle(stream) } else { stream.hold = .free }
    }

    private func respond(_ response: HTTPResponse, on stream: HTTP2Stream) {
        dropContent(of: stream)
        submit(response, on: stream)
    }

    private func submit(_ response: HTTPResponse, on stream: HTTP2Stream) {
        session.now = now
        part.turn.refreshDate()
        let date = part.turn.date.bytes
        session.respond(response, on: stream, date: date.span.extracting(DateLine.valueRange))
        part.counters.count(response.status)
    }

    private func respond(_ response: StaticResponse, on stream: HTTP2Stream) {
        dropContent(of: stream)
        session.now = now
        part.turn.refreshDate()
        let date = part.turn.date.bytes
        session.respond(response, on: stream, date: date.span.extracting(DateLine.valueRange))
        part.counters.count(response.response.status)
    }

    /// Frees what a request has brought: its room is given back with its response, which a client may leave unread for minutes.
    private func dropContent(of stream: HTTP2Stream) {
        if !stream.request.body.isEmpty { stream.request.body = [] }
    }

    /// Answers a request whose head is there and whose content is not taken; the other streams of the connection go on.
    private func refuseContent(of stream: HTTP2Stream, _ status: HTTPStatus) {
        guard !stream.isClosed else { return }
        refuse(stream, status, part.handler.refusal(of: stream.request, with: status))
    }

    /// Answers a request that is not handed over; the other streams of the connection go on.
    private func refuse(_ stream: HTTP2Stream, _ status: HTTPStatus, _ response: HTTPResponse? = nil) {
        guard !stream.isClosed else { return }
        session.refuse(stream)
        respond(response ?? part.refusal(status), on: stream)
    }
}

// MARK: Output and the end

extension HTTP2Driver {
    func collectOutput(on connection: Connection) {
        guard connection.takesOutput else { return }
        repeat {
            guard pump(connection) else { return end(connection) }
            // Streams that end by what is sent are given back now: their client may not send again for long.
            takeEvents(on: connection)
            guard connection.takesOutput else { return }
        } while boundUnread(of: connection)
        if nextWaiting < waiting.count, session.unsentBytes <= part.limits.pendingOutputBytes {
            connection.continueNextTurn()
        }
        settle(connection)
    }

    func outputBlocked(on connection: Connection) {
        // What is reset leaves behind the rest of the output.
        _ = boundUnread(of: connection)
    }

    /// Counts the answers that the client does not take, and gives up those beyond a limit, the youngest first.
    ///
    /// What leaves as soon as it can is none of them, however much it is: they wait for the client's windows, or for its network.
    ///
    /// - Returns: Whether some were given up.
    private func boundUnread(of connection: Connection) -> Bool {
        guard waitingAnswers > 0, isHeldUp || connection.isBlocked else { return false }
        var count = 0
        if connection.peer.limiterKey != nil { count = session.giveUpAnswers(beyond: part.limits.unreadBytes) }
        unread = waitingAnswers
        if heldBytes > heldContent, !part.hold(heldBytes, in: &content) {
            count += session.giveUpAnswers(beyond: part.limits.pendingOutputBytes)
        }
        if heldBytes != heldContent { countContent() }
        part.counters.slowReaders.increment(by: count)
        return count > 0
    }

    /// Moves frames to the connection's output.
    ///
    /// - Returns: False where the session has failed.
    private func pump(_ connection: Connection) -> Bool {
        isHeldUp = true
        guard session.wantsToSend else { return true }
        session.now = now
        let limit = connection.output.bytes.count - connection.output.pending + part.limits.pendingOutputBytes
        var sent = HTTP2Session.Sent.everything
        connection.write { sent = session.send(into: &$0, upTo: limit) }
        isHeldUp = sent == .everything
        if sent == .some { connection.advanceWhenDrained() }
        return sent != .failed
    }

    /// What follows when nothing is left to do in this turn.
    private func settle(_ connection: Connection) {
        if heldBytes != heldContent { countContent() }
        countResets()
        if let flood = session.flood {
            part.counters.count(flood)
            part.shared.logger.debug("http.h2_flood", [LogField("kind", "\(flood)")])
            session.terminate(.enhanceYourCalm)
            return end(connection)
        }
        takeLeave()
        if session.isOver { return end(connection) }
        if hasNothingLeft { return end(connection, lingers: !part.isDraining) }
        if session.wantsToSend { connection.flushSoon() }
        watch(connection)
    }

    /// Notes how much content is held; where that is too much, requests whose large content is on the way are refused.
    ///
    /// Forms are not: behind a balancer all buyers may share a connection.
    private func countContent() {
        heldContent = heldBytes
        guard !part.hold(heldContent, in: &content) else { return }
        session.forEachStream { stream in
            guard stream.phase == .content, stream.request.body.count > ContentBudget.uncounted else { return }
            part.counters.refusedContent.increment()
            refuseContent(of: stream, .serviceUnavailable)
        }
        heldContent = heldBytes
        // Whole requests are answered: those of a connection are no more than its window.
        _ = part.hold(heldContent, in: &content)
    }

    private func countResets() {
        let resets = session.resets
        if resets.received > reportedResets.received {
            part.counters.resetsReceived.increment(by: resets.received - reportedResets.received)
        }
        if resets.sent > reportedResets.sent {
            part.counters.resetsSent.increment(by: resets.sent - reportedResets.sent)
        }
        reportedResets = resets
    }

    private func takeLeave() {
        if goAway == .wanted {
            goAway = .announced
            drainStart = now
            session.announceEnd()
        }
        if goAway != .final, requestCount >= part.limits.requestsPerConnection { acceptNoMore() }
    }

    private func acceptNoMore() {
        goAway = .final
        session.acceptNoMore()
    }

    /// Whether every stream has come to its end and no other will come.
    private var hasNothingLeft: Bool {
        guard session.openStreams == 0 else { return false }
        return goAway == .final || session.peerHasLeft || clientHasEnded
    }

    /// Says what is left to say and closes.
    private func end(_ connection: Connection, lingers: Bool = true) {
        _ = pump(connection)
        connection.closeAfterOutput(lingers: lingers && !clientHasEnded)
    }
}

// MARK: Time

extension HTTP2Driver {
    func inputEnded(on connection: Connection) {
        clientHasEnded = true
        // Most likely nobody waits any more; what is answered all the same is sent.
        session.forEachStream { $0.work?.cancel() }
        advance(on: connection)
    }

    func drainBegins() {
        if goAway == .none { goAway = .wanted }
    }

    func connectionClosed() {
        session.forEachStream { $0.work?.cancel() }
        _ = part.hold(0, in: &content)
    }

    /// Sets the deadline of whatever comes due first.
    private func watch(_ connection: Connection) {
        guard let next = nextDeadline() else {
            if armed != nil { connection.setDeadline(nil) }
            armed = nil
            return
        }
        guard armed == nil || armed?.kind != next.kind || armed?.since != next.since else { return }
        armed = next
        let start = MonotonicTime(nanoseconds: UInt64(max(0, next.since)) * 1_000_000)
        connection.setDeadline(next.kind, since: start)
    }

    private func nextDeadline() -> (kind: Deadline, since: Int64)? {
        if session.openStreams == 0 { return quietDeadline() }
        lastBusy = now
        var earliest: (kind: Deadline, since: Int64)?
        func consider(_ kind: Deadline, _ since: Int64) {
            let isEarlier = earliest.map { due(kind, since) < due($0.kind, $0.since) } ?? true
            if isEarlier { earliest = (kind, since) }
        }
        if session.isInsideHead { consider(.header, isAtFirstHead ? beginning : session.headStart) }
        if session.unsentBytes > 0 { consider(.write, session.lastProgress) }
        session.forEachStream { stream in
            if stream.phase == .content { consider(.body, stream.start) }
            if stream.phase == .handling, stream.work != nil { consider(.handler, stream.start) }
            if stream.phase == .responding { consider(.response, stream.start) }
            if stream.phase == .lingering { consider(.rest, stream.start) }
        }
        if goAway == .announced { consider(.patience, drainStart) }
        return earliest
    }

    /// Whether nothing has come but a part of the first head.
    private var isAtFirstHead: Bool { requestCount == 0 && session.openStreams == 1 }

    private func quietDeadline() -> (kind: Deadline, since: Int64) {
        if goAway == .announced { return (.patience, drainStart) }
        return requestCount == 0 ? (.header, beginning) : (.idle, lastBusy)
    }

    private func due(_ kind: Deadline, _ since: Int64) -> Int64 {
        since + kind.length(part.limits).milliseconds
    }

    func deadlinePassed(_ deadline: Deadline, on connection: Connection) {
        armed = nil
        switch deadline {
        case .body: dropLate(.content, deadline)
        case .handler: dropLate(.handling, deadline)
        case .response: dropLate(.responding, deadline)
        case .rest: dropLate(.lingering, deadline)
        case .patience: acceptNoMore()
        case .write:
            part.counters.slowReaders.increment()
            session.terminate(.enhanceYourCalm)
            return end(connection)
        case .header, .idle, .handshake, .linger:
            session.terminate(.noError)
            return end(connection, lingers: false)
        }
        settle(connection)
    }

    /// Ends the streams whose time is over: the connection and its other streams go on.
    private func dropLate(_ phase: HTTP2Stream.Phase, _ deadline: Deadline) {
        var late: [HTTP2Stream] = []
        session.forEachStream { stream in
            guard stream.phase == phase, phase != .handling || stream.work != nil else { return }
            if due(deadline, stream.start) <= now { late.append(stream) }
        }
        for stream in late {
            switch phase {
            case .content: refuseContent(of: stream, .requestTimeout)
            case .handling: giveUpHandler(of: stream)
            case .lingering: session.reset(stream, .noError)
            default:
                part.counters.slowReaders.increment()
                session.reset(stream, .cancel)
            }
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension HTTP2Driver {
    /// Whether a clear connection begins with HTTP/2; `nil` where too few bytes have come to decide.
    static func isPreface(_ input: InputBuffer) -> Bool? {
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8Span.span
        let bytes = input.bytes.span.extracting(input.start...)
        for index in 0..<min(bytes.count, preface.count) where bytes[index] != preface[index] { return false }
        return bytes.count >= preface.count ? true : nil
    }
}
