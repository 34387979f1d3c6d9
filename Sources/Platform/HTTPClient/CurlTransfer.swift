import EventIO
import HTTPCore
import Primitives

/// One exchange under way: what is left to send and what has come so far.
final class CurlTransfer {
    /// How an exchange ends.
    typealias Outcome = Result<InboundResponse, HTTPExchangeError>

    let handle: EasyHandle
    /// Whether the peer's certificate is looked at in the end.
    var keepsCertificate = false
    /// The peer's certificate in PEM, once the exchange has ended well.
    var certificate: [UInt8]?
    private let body: [UInt8]
    private let headerLimit: Int
    private let bodyLimit: Int
    private let reach: ClientConfiguration.Reach
    private let needs: NeededContent
    private var sent = 0
    private var head = ResponseHead()
    private var received: [UInt8] = []
    private var dropped = 0
    /// Called once the status line of a response has come that counts by it.
    var onDecided: () -> Void = {}
    /// Ends what follows a status line that decided.
    var dropTimer: TimerID?
    /// Why a callback has stopped the library, if one has.
    private(set) var refusal: HTTPExchangeError?
    /// Whether an address was left out because of where it leads.
    private(set) var hasLeftOutAddress = false
    private var suspension: Suspension<Outcome>?
    /// How the exchange ended, where that was before its task came to wait.
    private var early: Outcome?

    init(handle: EasyHandle, request: OutboundRequest, _ configuration: ClientConfiguration) {
        self.handle = handle
        body = request.body
        needs = request.needs
        headerLimit = configuration.headerLimit
        bodyLimit = configuration.bodyLimit
        reach = configuration.reach
    }

    /// Keeps the waiting task.
    func wait(_ suspension: Suspension<Outcome>) {
        guard let outcome = early else {
            self.suspension = suspension
            return
        }
        early = nil
        suspension.resume(outcome)
    }

    /// Lets the waiting task go on; once.
    func finish(_ outcome: Outcome) {
        guard let waiting = suspension else {
            // On a loop with much to do the exchange may be over before its task comes to wait for it.
            early = outcome
            return
        }
        suspension = nil
        waiting.resume(outcome)
    }

    /// Whether the outcome stands, however the exchange ends.
    var isDecided: Bool { head.status >= 200 && needs.isDecided(by: head.status) }

    /// The outcome of an exchange that has ended.
    ///
    /// - Parameter failure: How it ended, where it did not end well.
    func outcome(_ failure: @autoclosure () -> HTTPExchangeError?) -> Outcome {
        if isDecided { return .success(InboundResponse(status: head.status, fields: head.fields)) }
        if let failure = failure() { return .failure(failure) }
        guard head.isComplete else {
            return .failure(HTTPExchangeError(.protocolViolation, detail: "no response head"))
        }
        return .success(InboundResponse(status: head.status, fields: head.fields, body: received))
    }

    /// Whether the library may connect to an address that the host's name has led to.
    func mayConnect(to address: IPNumber) -> Bool {
        let isReached = reach.includes(address)
        if !isReached { hasLeftOutAddress = true }
        return isReached
    }

    /// Takes a part of the response's content.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isDecided {
            // Read for the sake of the connection, which can be used again behind it.
            dropped += bytes.count
            return dropped <= bodyLimit
        }
        guard bytes.count <= bodyLimit - received.count else {
            refusal = HTTPExchangeError(.bodyTooLarge, detail: "more than \(bodyLimit) bytes")
            return false
        }
        unsafe received.append(contentsOf: bytes)
        return true
    }

    /// Takes one line of the response's head.
    ///
    /// - Returns: False for a line that is not HTTP, and beyond the limit.
    func receiveLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        let wasDecided = isDecided
        defer { if isDecided, !wasDecided { onDecided() } }
        guard head.take(line, limit: headerLimit) else {
            refusal = HTTPExchangeError(.protocolViolation, detail: "response head")
            return false
        }
        return true
    }

    /// Gives the next part of the request's content.
    ///
    /// - Returns: How many bytes were given; zero at the end.
    func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, body.count - sent)
        unsafe buffer.copyBytes(from: body[sent..<(sent + count)])
        sent += count
        return count
    }
}
