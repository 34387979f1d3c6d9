import HTTP1
import HTTPCore

/// A connection's half of the work: keeps what was not consumed and feeds it again with more behind it.
final class Wire {
    /// One request as a handler would have seen it.
    struct Seen: Equatable, CustomStringConvertible {
        var method: HTTPMethod
        var path: String
        var query: String?
        var fields: [String]
        var body: String
        var persistence: HTTP1Persistence
        var announcement: BodyAnnouncement?

        var description: String { "\(method) \(path) ? \(query ?? "-") \(fields) [\(body)] \(persistence)" }
    }

    var parser: HTTP1RequestParser
    let request = HTTPRequest()
    private(set) var buffer: [UInt8] = []
    private(set) var seen: [Seen] = []
    private(set) var failure: HTTP1Error?
    private var announcement: BodyAnnouncement?

    init(limits: HTTP1Limits = HTTP1Limits(), isSecure: Bool = false) {
        parser = HTTP1RequestParser(limits: limits, isSecure: isSecure)
    }

    func receive(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
        while failure == nil {
            let step = parser.feed(buffer.span, into: request)
            buffer.removeFirst(step.consumed)
            switch step.outcome {
            case .needMore: return
            case .head(let head): announcement = head
            case .complete: take()
            case .failed(let error): failure = error
            }
        }
    }

    private func take() {
        let names: [HTTPFieldName] = [.host, .accept, .cookie, .contentLength, .transferEncoding, .connection]
        let fields = names.flatMap { name in request.values(name).map { "\(name): \($0)" } }
        let own = HTTPFieldName("x-own").map { request.values($0).map { "x-own: \($0)" } } ?? []
        seen.append(
            Seen(
                method: request.method,
                path: request.path,
                query: request.query,
                fields: fields + own,
                body: String(decoding: request.body, as: UTF8.self),
                persistence: parser.persistence,
                announcement: announcement
            )
        )
        announcement = nil
    }
}

/// What becomes of bytes that come all at once.
func read(_ text: String, limits: HTTP1Limits = HTTP1Limits()) -> Wire {
    let wire = Wire(limits: limits)
    wire.receive(text.utf8)
    return wire
}
