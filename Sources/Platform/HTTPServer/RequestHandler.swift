package import HTTPCore

/// Answers the requests of one loop.
///
/// There is one handler per loop, made on it; it is not `Sendable` and needs no lock. The request belongs to its
/// connection: it may be read until the response is there and must not be kept past that.
package protocol RequestHandler: AnyObject {
    /// Answers one request, at once or later.
    ///
    /// Runs inside the connection's read event: whatever takes longer than some microseconds, and everything that
    /// waits, goes into ``HandlerResult/later(_:)``.
    ///
    /// - Returns: The response or the way to it.
    func handle(_ request: HTTPRequest) -> HandlerResult

    /// How large the content of a request may be; asked when its head is complete.
    ///
    /// - Parameter request: Target and fields are there, the content is not.
    /// - Returns: Bytes; `nil` for the server's limit, which is what a handler without this function gets.
    func bodyLimit(for request: HTTPRequest) -> Int?

    /// What a request is answered whose content is not taken: too large, too slow or malformed, or more than the process can
    /// hold.
    ///
    /// What is wrong with a head is answered by the server alone: nobody knows what it is a request for.
    ///
    /// - Parameters:
    ///   - request: Target and fields are there, the content is not, or in part.
    ///   - status: 413, 408, 400 or 503.
    /// - Returns: `nil` for the status alone, which is what a handler without this function gives. Over HTTP/1.1 the connection
    ///   ends behind it.
    func refusal(of request: HTTPRequest, with status: HTTPStatus) -> HTTPResponse?

    /// How long the handler of a request may take; asked when it begins.
    ///
    /// - Returns: Less than the server's deadline, or `nil` for that one, which is what a handler without this function gets.
    func patience(for request: HTTPRequest) -> Duration?

    /// What a request is answered whose handler took too long, or did not begin because too many are under way.
    ///
    /// The task of a late handler is cancelled, and what it has begun to completion goes on.
    ///
    /// - Returns: `nil` for the status 503 alone, which is what a handler without this function gives.
    func lateAnswer(to request: HTTPRequest) -> HTTPResponse?

    /// What the log calls a request, such as its route; nothing that the client has chosen.
    func name(of request: HTTPRequest) -> String
}

extension RequestHandler {
    package func bodyLimit(for request: HTTPRequest) -> Int? { nil }

    package func refusal(of request: HTTPRequest, with status: HTTPStatus) -> HTTPResponse? { nil }

    package func patience(for request: HTTPRequest) -> Duration? { nil }

    package func lateAnswer(to request: HTTPRequest) -> HTTPResponse? { nil }

    package func name(of request: HTTPRequest) -> String { "" }
}

/// How a request is answered.
package enum HandlerResult {
    /// With this response; costs no task.
    case now(HTTPResponse)
    /// With a response whose wire form was made before; costs no allocation.
    case precomposed(StaticResponse)
    /// With what this function returns.
    ///
    /// It runs as a task on the loop. An error it throws is answered with 500 and logged, but for ``HangUp``. The task
    /// is cancelled when the client goes away, or when it takes too long; what it returns then is dropped unless the
    /// client only closed its sending side.
    case later(() async throws -> HTTPResponse)
}

/// Thrown by a handler that wants its client to lose the connection: no response is sent, only these bytes, and the
/// connection ends.
///
/// For what plays the part of a failing service; a server that means well answers.
package struct HangUp: Error, Sendable {
    /// Sent as they are, over HTTP/2 too, where they are most likely no frame; empty for not a single byte.
    package let lastBytes: [UInt8]
    /// Sent after a pause behind `lastBytes`; over HTTP/1 only.
    package let rest: [UInt8]
    /// How long the client waits for `rest`.
    package let pause: Duration

    /// The given end.
    ///
    /// - Parameters:
    ///   - lastBytes: For example a head and a part of the content that it announces.
    ///   - pause: Between the two.
    package init(lastBytes: [UInt8] = [], rest: [UInt8] = [], after pause: Duration = .zero) {
        self.lastBytes = lastBytes
        self.rest = rest
        self.pause = pause
    }
}
