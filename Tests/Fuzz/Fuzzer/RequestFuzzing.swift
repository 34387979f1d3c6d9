import HTTP1

@testable import HTTPCore

/// Streams of HTTP/1.1.
///
/// However a stream is cut, it is read the same way; what is read out of it is what the second grammar reads; and what was accepted is
/// accepted again in its canonical form.
let requestTarget = FuzzTarget(
    name: "request",
    examine: { unit in
        let whole = Reading.of(unit, pieces: max(1, unit.count), .narrow)
        check(Reading.of(unit, pieces: 1, .narrow) == whole, "single bytes change nothing")
        check(Reading.of(unit, pieces: 7, .narrow) == whole, "small pieces change nothing")
        judge(whole, unit)
    },
    read: { unit in _ = Reading.of(unit, pieces: max(1, unit.count), HTTP1Limits()) }
)

extension HTTP1Limits {
    /// Limits that short units reach.
    fileprivate static let narrow = {
        var limits = HTTP1Limits()
        limits.headBytes = 512
        limits.targetBytes = 128
        limits.fieldCount = 8
        limits.bodyBytes = 256
        limits.chunkExtensionBytes = 16
        limits.trailerBytes = 32
        return limits
    }()
}

/// What of a request its reader can see.
struct SeenRequest: Equatable {
    var method = ""
    var target: [UInt8] = []
    var host: [UInt8]?
    var fields: [RequestGrammar.Field] = []
    var body: [UInt8] = []

    init(_ request: HTTPRequest) {
        method = String(describing: request.method.text)
        target = Array((request.path + (request.query.map { "?" + $0 } ?? "")).utf8)
        let head = request.head
        host = head.fields.first { $0.known == .host }.map { Array(head.bytes[head.checked($0.value)]) }
        fields = head.fields.map { field in
            let name = field.known?.rawValue.lowercased() ?? text(head.bytes[head.checked(field.name)])
            return RequestGrammar.Field(name: Array(name.utf8), value: Array(head.bytes[head.checked(field.value)]))
        }
        body = request.body
    }

    /// As the second grammar has it.
    init(_ message: RequestGrammar.Message) {
        let names = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        method = names.contains(text(message.method)) ? text(message.method) : "?"
        target = message.target
        host = message.host
        fields = message.fields
        if let authority = message.authority, message.values("host").isEmpty {
            fields.append(RequestGrammar.Field(name: Array("host".utf8), value: authority))
        }
        body = message.body
    }
}

/// What a stream of bytes was read as.
struct Reading: Equatable {
    private(set) var requests: [SeenRequest] = []
    private(set) var failure: HTTP1Error?

    /// Reads a stream cut into pieces of the given size, as a connection would.
    static func of(_ bytes: [UInt8], pieces: Int, _ limits: HTTP1Limits) -> Reading {
        var parser = HTTP1RequestParser(limits: limits)
        let request = HTTPRequest()
        var reading = Reading()
        var buffer: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + pieces)
            buffer += bytes[start..<end]
            start = end
            var isHungry = false
            while !isHungry {
                let step = parser.feed(buffer.span, into: request)
                check(step.consumed <= buffer.count, "no more is consumed than was fed")
                buffer.removeFirst(step.consumed)
                switch step.outcome {
                case .needMore: isHungry = true
                case .head: break
                case .complete:
                    check(request.body.count <= parser.bodyLimit, "content has a limit")
                    reading.requests.append(SeenRequest(request))
                case .failed(let error):
                    reading.failure = error
                    return reading
                }
            }
        }
        return reading
    }
}

private func judge(_ reading: Reading, _ unit: [UInt8]) {
    var grammar = RequestGrammar(unit)
    for (index, request) in reading.requests.enumerated() {
        guard let message = grammar.message() else {
            return check(false, "request \(index) that was accepted has \(grammar.broken ?? "a form")")
        }
        check(SeenRequest(message) == request, "request \(index) is read as the second grammar reads it")
        let again = Reading.of(message.canonical, pieces: 5, .wide)
        check(again.failure == nil && again.requests.count == 1, "what was accepted is accepted in its canonical form")
        guard let canonical = again.requests.first else { return }
        let same = canonical.target == request.target && canonical.body == request.body
        check(same && canonical.method == request.method, "the canonical form says the same")
    }
}

extension HTTP1Limits {
    /// Room for the canonical form, which may be longer.
    static let wide = {
        var limits = HTTP1Limits()
        limits.headBytes = 262_144
        limits.targetBytes = 65_536
        limits.fieldCount = 4_096
        limits.bodyBytes = 262_144
        return limits
    }()
}
