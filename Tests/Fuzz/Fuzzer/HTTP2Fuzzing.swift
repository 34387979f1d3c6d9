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
        let script = Script(unit)
        let bytes = script.bytes
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
        let bytes = Script(unit).bytes
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

/// A connection as the fuzzer writes it: lines, of which each becomes a frame, or bytes as they are.
///
///     h1 :method GET      a line that begins a head on stream 1; further lines that begin with a blank are more fields
///     H1 :method POST     the same, with content to come
///     d1 text             content that ends the request; D1 text: content that does not
///     s w r p g           SETTINGS, WINDOW_UPDATE, RST_STREAM, PING, GOAWAY with the bytes behind
///     x...                the bytes behind as they are, with the next lines
private struct Script {
    private(set) var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// Whether frames are not as they are written here: heads may be cut, or use the table.
    private(set) var isRaw = false
    /// What the first head of each stream names as the host; a second one is a trailer, or comes too late.
    private(set) var hosts: [Int32: [[UInt8]]] = [:]
    private var block: [UInt8] = []
    private var opening: (stream: UInt8, ends: Bool)?
    private var isFirstHead = false

    init(_ unit: [UInt8]) {
        frame(4, 0, 0, [])
        var rest = unit[...]
        while let kind = rest.first {
            if kind == UInt8(ascii: "x") {
                flush()
                bytes += rest.dropFirst()
                isRaw = true
                return
            }
            let line = rest.prefix { $0 != 10 }
            rest = rest.dropFirst(line.count + 1)
            add(kind, Array(line.dropFirst()))
        }
        flush()
    }

    private mutating func add(_ kind: UInt8, _ line: [UInt8]) {
        if kind == 32 { return field(line) }
        flush()
        let number = line.first.map { ($0 & 15) | 1 } ?? 1
        let content = Array(line.dropFirst())
        switch kind {
        case UInt8(ascii: "h"), UInt8(ascii: "H"):
            opening = (number, kind == UInt8(ascii: "h"))
            isFirstHead = hosts[Int32(number)] == nil
            if isFirstHead { hosts[Int32(number)] = [] }
            field(Array(content.drop { $0 == 32 }))
        case UInt8(ascii: "d"): frame(0, 1, number, content)
        case UInt8(ascii: "D"): frame(0, 0, number, content)
        case UInt8(ascii: "s"): frame(4, 0, 0, content)
        case UInt8(ascii: "w"): frame(8, 0, number, content)
        case UInt8(ascii: "r"): frame(3, 0, number, content)
        case UInt8(ascii: "p"): frame(6, 0, 0, content)
        case UInt8(ascii: "g"): frame(7, 0, 0, content)
        default: frame(kind & 15, 4, number, content)
        }
    }

    /// Name, blank and value as literals; a line that begins with `@` or beyond ASCII is a piece of a block as it is.
    private mutating func field(_ line: [UInt8]) {
        guard let stream = opening?.stream, let first = line.first else { return }
        if first & 0x80 != 0 || first == 0x40 {
            isRaw = true
            return block.append(contentsOf: line)
        }
        let name = Array(line.prefix { $0 != 32 })
        let value = Array(line.dropFirst(name.count + 1))
        block.append(0)
        string(name)
        string(value)
        if isFirstHead, [":authority", "host"].contains(text(name)) {
            hosts[Int32(stream), default: []].append(RequestGrammar.trimmed(value))
        }
    }

    private mutating func string(_ text: [UInt8]) {
        guard text.count >= 127 else {
            block += [UInt8(text.count)] + text
            return
        }
        block.append(127)
        var rest = text.count - 127
        while rest >= 128 {
            block.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        block += [UInt8(rest)] + text
    }

    private mutating func flush() {
        guard let opening else { return }
        self.opening = nil
        frame(1, opening.ends ? 5 : 4, opening.stream, block)
        block = []
    }

    private mutating func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ content: [UInt8]) {
        if type == 9 || content.count > 16_384 { isRaw = true }
        let count = content.count
        bytes += [
            UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8),
            UInt8(truncatingIfNeeded: count),
        ]
        bytes += [type, flags, 0, 0, 0, stream] + content
    }
}
