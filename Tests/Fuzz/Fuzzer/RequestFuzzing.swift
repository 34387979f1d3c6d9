import HTTP1
import HTTPCore

/// What a stream of bytes was read as.
private struct Reading: Equatable {
    var requests: [[String]] = []
    var failure: HTTP1Error?
}

/// Reads a stream cut into pieces of the given size, as a connection would.
private func read(_ bytes: [UInt8], pieces: Int) -> Reading {
    var limits = HTTP1Limits()
    limits.headBytes = 512
    limits.targetBytes = 128
    limits.fieldCount = 8
    limits.bodyBytes = 256
    limits.chunkExtensionBytes = 16
    limits.trailerBytes = 32
    var parser = HTTP1RequestParser(limits: limits)
    let request = HTTPRequest()
    var reading = Reading()
    var buffer: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        buffer += rest.prefix(pieces)
        rest = rest.dropFirst(pieces)
        var isHungry = false
        while !isHungry {
            let step = parser.feed(buffer.span, into: request)
            precondition(step.consumed <= buffer.count, "no more is consumed than was fed")
            buffer.removeFirst(step.consumed)
            switch step.outcome {
            case .needMore: isHungry = true
            case .head: break
            case .complete: reading.requests.append(describe(request, parser))
            case .failed(let error):
                reading.failure = error
                return reading
            }
        }
    }
    return reading
}

private func describe(_ request: HTTPRequest, _ parser: HTTP1RequestParser) -> [String] {
    precondition(request.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash")
    precondition(request.count(.host) <= 1, "there is one host, or none in HTTP/1.0")
    precondition(request.body.count <= parser.bodyLimit, "content has a limit")
    let values = request.values(.host) + request.values(.cookie) + request.values(.contentLength)
    let body = String(decoding: request.body, as: UTF8.self)
    return ["\(request.method)", request.path, request.query ?? "-", "\(request.fieldCount)", body] + values
}

/// However a stream is cut, it is read the same way; nothing traps.
func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let whole = read(bytes, pieces: max(1, count))
    precondition(read(bytes, pieces: 1) == whole, "single bytes change nothing")
    precondition(read(bytes, pieces: 7) == whole, "small pieces change nothing")
    return 0
}
