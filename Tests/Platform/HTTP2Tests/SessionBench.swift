import HTTP2
import HTTPCore
import TestKit

/// A session that is given bytes and answers each request at once.
final class SessionBench {
    /// What a session has told of.
    enum Seen: Equatable {
        case request(HTTPMethod, path: String, body: [UInt8])
        case refusal(Int)
    }

    let session: HTTP2Session
    /// How each request is answered; `nil` leaves it open.
    var answer: (HTTPRequest) -> HTTPResponse? = { _ in HTTPResponse(.ok) }
    /// What it has told of, in order.
    private(set) var seen: [Seen] = []
    /// Whether it could not go on.
    private(set) var hasFailed = false
    /// Streams whose request has come, by number.
    private(set) var open: [UInt32: HTTP2Stream] = [:]
    /// What it has sent and was not taken.
    private(set) var output: [UInt8] = []
    /// The present, in milliseconds.
    var now: Int64 = 0

    init(_ limits: HTTP2Limits = HTTP2Limits()) throws {
        session = try HTTP2Session(HTTP2Common(limits), isSecure: false, at: 0)
    }

    /// Takes bytes in, in pieces of a size, and does what a driver does after each.
    func receive(_ bytes: [UInt8], pieces: Int = .max) {
        var start = 0
        while start < bytes.count, !hasFailed {
            let end = start + min(pieces, bytes.count - start)
            feed(Array(bytes[start..<end]))
            start = end
        }
    }

    func receive(_ frames: HTTP2Frame...) {
        receive(frames.flatMap(\.bytes))
    }

    private func feed(_ bytes: [UInt8]) {
        do throws(HTTP2Error) {
            try session.receive(bytes.span, at: now)
        } catch {
            hasFailed = true
        }
        while let event = session.nextEvent() { take(event) }
        if session.flood != nil { hasFailed = true }
    }

    private func take(_ event: HTTP2Event) {
        switch event {
        case .head(let stream): _ = session.allowContent(stream, 1000)
        case .request(let stream):
            let request = stream.request
            seen.append(.request(request.method, path: request.path, body: request.body))
            open[UInt32(stream.id)] = stream
            if let response = answer(request) { respond(response, on: stream) }
        case .refusal(let stream, let status):
            seen.append(.refusal(status.code))
            session.refuse(stream)
            respond(HTTPResponse(status), on: stream)
        case .closed(let stream):
            open[UInt32(stream.id)] = nil
            session.recycle(stream)
        case .goAwaySeen: break
        }
    }

    func respond(_ response: HTTPResponse, on stream: HTTP2Stream) {
        session.respond(response, on: stream, date: SessionBench.date.span)
    }

    static let date = Array("Sat, 21 Nov 2026 00:00:00 GMT".utf8)

    /// Lets everything leave, in pieces that end as soon as they have a length.
    @discardableResult
    func send(upTo limit: Int = .max) -> [UInt8] {
        while session.wantsToSend {
            var piece: [UInt8] = []
            guard session.send(into: &piece, upTo: limit) != .failed, !piece.isEmpty else { break }
            output += piece
        }
        return output
    }

    /// Takes what has left apart.
    func frames() -> [HTTP2Frame] {
        send()
        var frames: [HTTP2Frame] = []
        while let frame = HTTP2Frame.take(from: &output) { frames.append(frame) }
        return frames
    }
}

extension SessionBench {
    /// A bench behind the preface and the first settings.
    static func begun(_ settings: [(UInt16, UInt32)] = [], _ limits: HTTP2Limits = HTTP2Limits()) throws -> SessionBench
    {
        let bench = try SessionBench(limits)
        bench.receive(HTTP2Frame.preface + HTTP2Frame.settings(settings).bytes)
        return bench
    }
}
