package import EventIO
package import HTTP2
package import HTTPCore
import Primitives
import TLS
import Telemetry

/// One connection over HTTP/2 to a server, with many requests at once; made by an `HTTP2Connector`.
///
/// It is open until either side ends it; the owner closes one that it does not want any more. Not `Sendable`.
package final class HTTP2Connection {
    private let reactor: Reactor
    private let socket: ClientSocket
    private let destination: HTTP2Destination
    private let tls: TLSSession
    private let session: HTTP2ClientSession
    private let logger: Logger
    private let metrics: ClientMetrics
    private var registration: Registration?
    private var handshake: OneShot<HTTPExchangeError>?
    private var waiters: [Int32: Waiter] = [:]
    private var isFlushing = false
    private var isWaitingToWrite = false
    private var isEnding = false
    private var isRetired = false
    private var silence: TimerID?
    private var isPinging = false
    private var input: [UInt8] = []
    private var plain: [UInt8] = []
    private var output: [UInt8] = []
    private var sent = 0

    /// So many requests at most may be under way; `nil` for as many as the server allows.
    package var streamBound: Int?
    /// Called when there may be room for requests, and at the end of the connection.
    package var onChange: () -> Void = {}
    /// How the server has announced the end, where it has.
    package private(set) var goAway: HTTP2GoAway?

    private static let bytesAtOnce = 65_536

    init(
        _ reactor: Reactor,
        _ socket: ClientSocket,
        _ destination: HTTP2Destination,
        logger: Logger,
        metrics: ClientMetrics
    ) throws(HTTPExchangeError) {
        self.reactor = reactor
        self.socket = socket
        self.destination = destination
        self.logger = logger
        self.metrics = metrics
        do {
            tls = try TLSSession(connecting: destination.tls, serverName: destination.host)
            session = try HTTP2ClientSession(destination.limits, at: reactor.now.microseconds / 1000)
        } catch {
            throw HTTPExchangeError(.connectFailed, detail: "\(error)", isOurs: true)
        }
    }

    // MARK: Requests

    /// Whether requests may still begin, now or when others are over.
    package var isOpen: Bool { !isEnding && !isRetired && goAway == nil && registration != nil }

    /// How many requests may begin now.
    package var room: Int {
        guard isOpen else { return 0 }
        return max(0, min(session.room, (streamBound ?? .max) - waiters.count))
    }

    /// How many requests are under way.
    package var activeCount: Int { waiters.count }

    /// Sends a request and waits for the whole answer; a cancelled task gives it up.
    ///
    /// - Returns: The answer, whatever its status.
    /// - Throws: `refused` where nothing was done, also without room; otherwise the outcome is unknown.
    package func send(_ request: HTTP2Request) async throws(HTTPExchangeError) -> InboundResponse {
        let start = reactor.now
        let outcome = await exchange(request)
        metrics.count(outcome, took: reactor.now - start)
        return try outcome.get()
    }

    private func exchange(_ request: HTTP2Request) async -> Result<InboundResponse, HTTPExchangeError> {
        let waiter = Waiter()
        return await reactor.suspend { suspension in
            guard room > 0, let stream = session.submit(request) else {
                let error = HTTPExchangeError(.refused, detail: "no room for the request", isOurs: true)
                return suspension.resume(.failure(error))
            }
            waiter.suspension = suspension
            waiter.stream = stream
            waiters[stream] = waiter
            waiter.timer = reactor.schedule(after: destination.requestTimeout) { [weak self] in
                self?.giveUp(waiter, HTTPExchangeError(.timedOut, detail: "no answer in time"))
            }
            flushSoon()
        } onCancel: {
            self.giveUp(waiter, HTTPExchangeError(.connectionLost, detail: "cancelled", isOurs: true))
        }
    }

    private func giveUp(_ waiter: Waiter, _ error: HTTPExchangeError) {
        guard waiters[waiter.stream] === waiter else { return }
        session.cancel(waiter.stream)
        finish(waiter.stream, .failure(error))
        flushSoon()
    }

    private func finish(_ stream: Int32, _ outcome: Result<InboundResponse, HTTPExchangeError>) {
        guard let waiter = waiters.removeValue(forKey: stream) else { return }
        if let timer = waiter.timer { reactor.cancel(timer) }
        let suspension = waiter.suspension
        waiter.suspension = nil
        suspension?.resume(outcome)
    }

    // MARK: Begin and end

    /// Takes TLS to its end, and begins to speak HTTP/2.
    func begin(until deadline: MonotonicTime) async throws(HTTPExchangeError) {
        do throws(IOError) {
            registration = try reactor.add(
                socket.descriptor.raw,
                interest: .readable,
                trigger: .level,
                handler: self
            )
        } catch {
            throw HTTPExchangeError(.connectFailed, detail: error.description)
        }
        let failure: HTTPExchangeError?? = await OneShot.wait(on: reactor, until: deadline) { shot in
            handshake = shot
            stepHandshake()
        }
        handshake = nil
        guard tls.isEstablished, registration != nil else {
            let error = (failure ?? nil) ?? HTTPExchangeError(.connectFailed, detail: "TLS: no answer in time")
            end(error)
            throw error
        }
        let silence = reactor.makeTimer { [weak self] in self?.silenceIsOver() }
        self.silence = silence
        reactor.arm(silence, after: destination.pingAfter)
        flush()
    }

    private func stepHandshake() {
        do throws(TLSError) {
            let isDone = try tls.handshake()
            flush()
            guard isDone else { return }
            guard tls.negotiatedProtocol.map({ $0.utf8.elementsEqual("h2".utf8) }) == true else {
                return end(HTTPExchangeError(.connectFailed, detail: "TLS: the server does not speak h2"))
            }
            handshake?.end(nil)
        } catch {
            // An alert says why.
            flush()
            end(HTTPExchangeError(.connectFailed, detail: "TLS: \(error.detail)"))
        }
    }

    /// Begins no further request, and closes when those under way are over.
    package func retire() {
        isRetired = true
        if waiters.isEmpty { close() }
    }

    /// Ends the connection; requests under way end with it, their outcome unknown.
    package func close() {
        guard registration != nil else { return }
        isEnding = true
        session.terminate(.noError)
        flush()
        tls.close()
        flush()
        end(HTTPExchangeError(.connectionLost, detail: "closed", isOurs: true))
    }

    private func end(_ error: HTTPExchangeError) {
        isEnding = true
        if let registration { reactor.remove(registration) }
        registration = nil
        socket.close()
        if let silence { reactor.cancel(silence) }
        silence = nil
        handshake?.end(error)
        if !waiters.isEmpty { logger.info("outbound.connection_lost", [LogField("detail", error.detail)]) }
        for stream in Array(waiters.keys) { finish(stream, .failure(error)) }
        onChange()
        onChange = {}
    }

    private func silenceIsOver() {
        guard !isPinging else { return end(HTTPExchangeError(.connectionLost, detail: "no answer to a PING")) }
        isPinging = true
        session.ping()
        if let silence { reactor.arm(silence, after: destination.pingTimeout) }
        flush()
    }

    // MARK: In

    private func receive() throws(ConnectionFailure) -> Bool {
        input.removeAll(keepingCapacity: true)
        do throws(IOError) {
            guard
                case .done(let count) = try Socket.receive(
                    socket.descriptor,
                    appendingTo: &input,
                    limit: HTTP2Connection.bytesAtOnce
                )
            else { return false }
            guard count > 0 else { throw IOError(code: IOError.connectionReset, operation: "end of connection") }
        } catch {
            throw ConnectionFailure(detail: error.description)
        }
        let ciphertext = input
        do throws(TLSError) { try tls.feed(ciphertext.span) } catch {
            throw ConnectionFailure(detail: error.debugDescription)
        }
        return true
    }

    private func decrypt() throws(ConnectionFailure) {
        var isOver = false
        while !isOver {
            plain.removeAll(keepingCapacity: true)
            do throws(TLSError) {
                switch try tls.read(appendingTo: &plain, limit: HTTP2Connection.bytesAtOnce) {
                case .bytes: break
                case .needsInput: return
                case .closed: isOver = true
                }
            } catch { throw ConnectionFailure(detail: error.debugDescription) }
            if !plain.isEmpty { try take(plain) }
        }
        throw ConnectionFailure(detail: "the server has closed the connection")
    }

    private func take(_ bytes: [UInt8]) throws(ConnectionFailure) {
        isPinging = false
        if let silence { reactor.arm(silence, after: destination.pingAfter) }
        var failure: ConnectionFailure?
        do throws(HTTP2Error) {
            try session.receive(bytes.span, at: reactor.now.microseconds / 1000)
        } catch {
            failure = ConnectionFailure(detail: "HTTP/2: \(error)")
        }
        takeEvents()
        if let failure { throw failure }
    }

    private func takeEvents() {
        while let event = session.nextEvent() {
            switch event {
            case .over(let stream, let outcome): finish(stream, outcome)
            case .pong: break
            case .goAway(let notice):
                goAway = notice
                let fields = [LogField("code", Int(notice.code)), LogField("reason", notice.reason)]
                logger.info("outbound.go_away", fields)
            }
        }
    }

    // MARK: Out

    /// Sends in the loop's next turn, so that requests of one turn leave together.
    private func flushSoon() {
        guard !isFlushing else { return }
        isFlushing = true
        _ = reactor.schedule(after: .zero) { [weak self] in
            self?.isFlushing = false
            self?.flush()
        }
    }

    private func flush() {
        guard registration != nil else { return }
        do throws(ConnectionFailure) {
            while true {
                if sent == output.count { try fill() }
                guard sent < output.count else { return try wantToWrite(false) }
                guard try sendSome() else { return try wantToWrite(true) }
            }
        } catch {
            end(HTTPExchangeError(.connectionLost, detail: error.detail))
        }
    }

    /// Encrypts the next piece of what is to be sent.
    private func fill() throws(ConnectionFailure) {
        output.removeAll(keepingCapacity: true)
        sent = 0
        if tls.isEstablished {
            var frames: [UInt8] = []
            guard session.send(into: &frames, upTo: HTTP2Connection.bytesAtOnce) else {
                throw ConnectionFailure(detail: "HTTP/2: no more can be sent")
            }
            // A stream that the library gives up is over once its reset has left.
            takeEvents()
            do throws(TLSError) {
                if !frames.isEmpty { try tls.write(frames.span) }
            } catch { throw ConnectionFailure(detail: error.debugDescription) }
        }
        tls.takeCiphertext(into: &output)
    }

    /// Whether the kernel has taken anything.
    private func sendSome() throws(ConnectionFailure) -> Bool {
        let output = output
        do throws(IOError) {
            guard case .done(let count) = try Socket.send(socket.descriptor, output.span.extracting(sent...)) else {
                return false
            }
            sent += count
            return true
        } catch { throw ConnectionFailure(detail: error.description) }
    }

    private func wantToWrite(_ wants: Bool) throws(ConnectionFailure) {
        guard let registration, wants != isWaitingToWrite else { return }
        isWaitingToWrite = wants
        do throws(IOError) {
            try reactor.modify(registration, interest: wants ? [.readable, .writable] : .readable)
        } catch { throw ConnectionFailure(detail: error.description) }
    }
}

extension HTTP2Connection: ReadinessHandler {
    package func ready(_ readiness: Readiness) {
        do throws(ConnectionFailure) {
            if readiness.isReadable || readiness.isHangUp || readiness.isError, try receive() {
                guard tls.isEstablished else {
                    stepHandshake()
                    // What came behind the handshake.
                    if tls.isEstablished, registration != nil { try decrypt() }
                    return
                }
                try decrypt()
            }
        } catch {
            flush()
            end(HTTPExchangeError(handshake == nil ? .connectionLost : .connectFailed, detail: error.detail))
            return
        }
        flush()
        guard registration != nil else { return }
        if session.isOver || (!isOpen && waiters.isEmpty) { close() } else { onChange() }
    }
}

/// One request that waits for its answer.
private final class Waiter {
    var stream: Int32 = 0
    var suspension: Suspension<Result<InboundResponse, HTTPExchangeError>>?
    var timer: TimerID?
}

/// Why a connection cannot go on, for operators.
private struct ConnectionFailure: Error {
    let detail: String
}
