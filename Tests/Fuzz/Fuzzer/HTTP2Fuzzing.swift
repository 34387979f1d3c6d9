import HTTP1
import HTTP2
import HTTPCore

/// Connections of HTTP/2: frames into a session, which answers each request at once.
///
/// However a connection is cut, it is read the same way. A request that comes through could as well have come over HTTP/1.1: the second
/// grammar takes it, and so does the parser.
let http2Target = FuzzTarget(
    name: "http2",
    examine: { unit in
        let script = FrameScript(unit)
        let bytes = script.fromClient
        let whole = Connection.read(bytes, pieces: max(1, bytes.count))
        // The library counts a head in several frames again for each piece that it comes in.
        if !script.isRaw {
            check(Connection.read(bytes, pieces: 5).seen == whole.seen, "small pieces change nothing")
        }
        for request in whole.seen { judge(request) }
        guard !script.isRaw else { return }
        for (stream, request) in zip(whole.streams, whole.seen) {
            let hosts = script.hosts[stream] ?? []
            let same = hosts.allSatisfy { RequestGrammar.lower($0) == RequestGrammar.lower(request.host ?? []) }
            check(same, "a request that names two hosts is none")
        }
    },
    read: { unit in
        let bytes = FrameScript(unit).fromClient
        _ = Connection.read(bytes, pieces: max(1, bytes.count))
    }
)

private func judge(_ request: SeenRequest) {
    check(
        request.fields.allSatisfy { RequestGrammar.isToken($0.name) && RequestGrammar.isValue($0.value) },
        "fields are fields"
    )
    let lengths = request.fields.filter { text($0.name) == "content-length" }.map { text($0.value) }
    check(lengths.isEmpty || lengths == ["\(request.body.count)"], "a length is that of the content")
    // In words of HTTP/1.1.
    var message = RequestGrammar.Message()
    message.method = request.method == "?" ? Array("OTHER".utf8) : Array(request.method.utf8)
    message.target = request.target
    message.fields = request.fields
    message.body = request.body
    var grammar = RequestGrammar(message.canonical)
    guard let again = grammar.message() else {
        return check(false, "a request would need \(grammar.broken ?? "a form") over HTTP/1.1")
    }
    check(again.target == request.target && again.body == request.body, "a request says the same over HTTP/1.1")
    check(again.host == request.host, "a request has the same host over HTTP/1.1")
    let reading = Reading.of(message.canonical, pieces: 64, .wide)
    check(reading.failure == nil && reading.requests.count == 1, "the parser of HTTP/1.1 takes the request too")
}

/// What a session made of the bytes that it was given.
private struct Connection {
    private(set) var seen: [SeenRequest] = []
    /// Those that were answered before their end.
    private var refused: Set<Int32> = []
    /// On which each came.
    private(set) var streams: [Int32] = []

    static func read(_ bytes: [UInt8], pieces: Int) -> Connection {
        var connection = Connection()
        guard let common = try? HTTP2Common(HTTP2Limits()),
            let session = try? HTTP2Session(common, isSecure: false, at: 0)
        else { return connection }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + pieces)
            let piece = Array(bytes[start..<end])
            start = end
            let isOpen = (try? session.receive(piece.span, at: 0)) != nil
            while let event = session.nextEvent() { connection.take(event, session) }
            guard isOpen, session.flood == nil else { break }
            check(session.heldContent <= 262_144 + 65_536, "content that is held has a limit")
        }
        var output: [UInt8] = []
        while session.wantsToSend {
            let before = output.count
            guard session.send(into: &output, upTo: 1 << 20) != .failed, output.count > before else { break }
            guard output.count < 1 << 20 else { break }
        }
        return connection
    }

    private mutating func take(_ event: HTTP2Event, _ session: HTTP2Session) {
        switch event {
        case .head(let stream):
            guard !session.allowContent(stream, 1_000) else { return }
            refused.insert(stream.id)
            session.respond(HTTPResponse(.payloadTooLarge), on: stream, date: Connection.date.span)
        case .request(let stream):
            // It may have come whole before its head was looked at.
            guard !refused.contains(stream.id) else { return }
            check(stream.request.body.count <= 1_000, "content has a limit")
            seen.append(SeenRequest(stream.request))
            streams.append(stream.id)
            session.respond(HTTPResponse(.ok), on: stream, date: Connection.date.span)
        case .refusal(let stream, let status):
            session.refuse(stream)
            session.respond(HTTPResponse(status), on: stream, date: Connection.date.span)
        case .closed(let stream): session.recycle(stream)
        case .goAwaySeen: break
        }
    }

    private static let date = Array("Sat, 21 Nov 2026 00:00:00 GMT".utf8)
}
