import HTTP1
import HTTPCore

/// Decides what an HTTP/1.1 connection does next; does none of it itself.
///
///              +--------------------- response, kept -----------------------+
///              v                                                            |
///     waiting -> head -> content -> handling -> (response) -----------------+
///        |        |         |           |            \-- last one -> ending
///        |        +- parser refuses, deadline: refusal -> ending
///        +- end of input, drain, idle deadline: ending
///
/// One request is in flight at a time, so responses leave in order; what a client sends meanwhile stays in the buffer,
/// which is bounded. `next` returns what to do, the other functions take in what has happened.
struct HTTP1ConnectionState {
    enum Phase: Equatable { case waiting, head, content, handling, ending }

    /// What to do now.
    enum Next: Equatable {
        /// Feed the parser with what is in the buffer, be it empty.
        case parse
        /// Wait for bytes, not longer than the deadline.
        case wait(Deadline)
        /// Wait for a handler or for the end of the connection.
        case nothing
        /// Wait until the client has read some of its responses.
        case pause
        /// Let other connections have their turn.
        case yield
        /// Send what waits and close.
        case close(lingers: Bool)
    }

    /// What a step of the parser asks for.
    enum Parsed: Equatable {
        case nothing
        /// Look at the route's limit and feed once more, which checks the announced length.
        case checkLimit
        /// Send `100 Continue`.
        case sendContinue
        /// Hand the request to the handler.
        case handle
        /// Answer with this status; nothing more is read.
        case refuse(HTTPStatus)
    }

    private(set) var phase = Phase.waiting
    /// Requests that were answered or are being answered.
    private(set) var requestCount = 0
    private let requestsPerConnection: Int
    private let requestsPerTurn: Int
    private let pendingOutputBytes: Int
    private var answeredInTurn = 0
    private var turn: UInt64 = 0
    private var mustParse = false
    private var owesContinue = false
    private var clientKeeps = true
    private var inputHasEnded = false
    private var isDraining = false

    init(_ limits: ServerLimits) {
        requestsPerConnection = limits.requestsPerConnection
        requestsPerTurn = max(1, limits.requestsPerTurn)
        pendingOutputBytes = limits.pendingOutputBytes
    }

    // MARK: What to do

    /// What to do now.
    ///
    /// - Parameters:
    ///   - inputIsEmpty: Whether the buffer holds nothing.
    ///   - pendingOutput: Bytes of responses that the client has not taken.
    ///   - hasShare: Whether the client may have more of the turn.
    /// - Returns: One thing; ask again when it is done.
    mutating func next(inputIsEmpty: Bool, pendingOutput: Int, turn: UInt64, hasShare: Bool) -> Next {
        switch phase {
        case .handling, .ending: return .nothing
        case .waiting, .head, .content: break
        }
        if mustParse {
            mustParse = false
            return .parse
        }
        if inputIsEmpty { return waitOrClose() }
        if phase == .waiting {
            if self.turn != turn {
                self.turn = turn
                answeredInTurn = 0
            }
            guard hasShare, answeredInTurn < requestsPerTurn else { return .yield }
            guard pendingOutput <= pendingOutputBytes else { return .pause }
        }
        return .parse
    }

    /// What follows when the parser wants more than there is.
    mutating func waitOrClose() -> Next {
        if inputHasEnded || (isDraining && phase == .waiting && requestCount > 0) { return end(lingers: false) }
        return .wait(deadline)
    }

    private mutating func end(lingers: Bool) -> Next {
        phase = .ending
        return .close(lingers: lingers)
    }

    /// What the connection waits for.
    private var deadline: Deadline {
        switch phase {
        case .waiting where requestCount > 0: .idle
        case .waiting where isDraining: .patience
        case .content: .body
        case .waiting, .head, .handling, .ending: .header
        }
    }

    // MARK: What has happened

    /// The parser has made a step.
    ///
    /// - Parameters:
    ///   - isInside: Whether it is inside a request.
    ///   - inputIsEmpty: Whether the buffer holds nothing after the step.
    /// - Returns: What the step asks for.
    mutating func parsed(_ outcome: ParseStep.Outcome, isInside: Bool, inputIsEmpty: Bool) -> Parsed {
        switch outcome {
        case .needMore:
            if phase == .waiting, isInside { phase = .head }
            guard owesContinue else { return .nothing }
            owesContinue = false
            return .sendContinue
        case .head(let content):
            phase = .content
            owesContinue = content.expectsContinue && inputIsEmpty
            mustParse = true
            return .checkLimit
        case .complete:
            phase = .handling
            owesContinue = false
            requestCount += 1
            return .handle
        case .failed(let error):
            phase = .ending
            return .refuse(error.status)
        }
    }

    /// The handler took too long: it still has the request, so no other one follows.
    mutating func handlerGivenUp() {
        phase = .ending
    }

    /// The content of the request is not taken.
    mutating func contentRefused() {
        phase = .ending
    }

    /// A response is about to be written.
    ///
    /// - Parameter clientKeeps: Whether the request allows another one behind it.
    /// - Returns: Whether the connection goes on, which the response says.
    mutating func willRespond(clientKeeps: Bool) -> Bool {
        let keeps =
            clientKeeps && !isDraining && requestCount < requestsPerConnection
            && !(inputHasEnded && clientIsGone)
        self.clientKeeps = keeps
        return keeps
    }

    /// The response is in the output.
    ///
    /// - Parameter inputIsEmpty: Whether the client has sent nothing further so far.
    /// - Returns: What to do now, if that is already known.
    mutating func responded(inputIsEmpty: Bool) -> Next? {
        answeredInTurn += 1
        phase = .waiting
        guard !clientKeeps else { return nil }
        return end(lingers: !inputIsEmpty)
    }

    /// Set when the end of input came while nothing was left to answer but the request in flight.
    private var clientIsGone = false

    /// The client sends no more.
    ///
    /// - Parameter inputIsEmpty: Whether everything it has sent is used up.
    /// - Returns: Whether the handler in flight should stop: most likely nobody waits for its response.
    mutating func inputEnded(inputIsEmpty: Bool) -> Bool {
        inputHasEnded = true
        clientIsGone = phase == .handling && inputIsEmpty
        return clientIsGone
    }

    /// The server drains.
    mutating func drainBegins() {
        isDraining = true
    }

    /// A deadline has passed.
    ///
    /// - Returns: The status to answer with; `nil` where the client has asked for nothing.
    mutating func deadlinePassed(_ deadline: Deadline) -> HTTPStatus? {
        let isInsideRequest = phase == .head || phase == .content
        phase = .ending
        return isInsideRequest && (deadline == .header || deadline == .body) ? .requestTimeout : nil
    }
}
