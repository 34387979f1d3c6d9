import HTTPCore
import Primitives

/// Turns the fields of a request's header block into its head; one block at a time comes over a connection.
///
/// The library has checked what RFC 9113 section 8 calls malformed: order and number of pseudo-fields, upper case,
/// connection-specific fields, Content-Length. What is left are this server's own rules, the same as for HTTP/1.1: a
/// target in origin-form, exactly one plain host, limits.
struct HeadBuilder {
    private let limits: HTTP2Limits
    private let isSecure: Bool
    /// Lies here while it is filled: in its request every field would cost a check of access and a copy.
    private var head = RequestHead.none
    private(set) var contentLength: Int?
    private(set) var expectsContinue = false
    /// The first thing that was wrong.
    private(set) var refusal: HTTPStatus?
    /// Whether Host and `:authority` name two hosts, which makes a request malformed.
    private(set) var isContradictory = false
    /// All that has come, as RFC 9113 counts it.
    private var listBytes = 0
    /// Length and fields that the head would have over HTTP/1.1.
    private var headBytes = 0
    private var count = 0
    private var hasTarget = false
    private var host: [UInt8] = []
    private var hostCount = 0
    /// Clients split Cookie into pieces (RFC 9113, 8.2.3); limits and handlers see one field.
    private var cookie: [UInt8] = []
    private var cookieCount = 0

    /// Colon, blank, CR and LF of a field line.
    static let fieldOverhead = 4
    /// What RFC 9113 adds to each field.
    static let listOverhead = 32
    /// Two blanks, the version, CR and LF of a request line, and the empty line behind the fields.
    private static let emptyHead = 14

    init(_ limits: HTTP2Limits, isSecure: Bool) {
        self.limits = limits
        self.isSecure = isSecure
    }

    /// Begins another block.
    ///
    /// - Parameter head: An empty one; comes back with `takeHead`.
    mutating func begin(_ head: consuming RequestHead) {
        self.head = head
        contentLength = nil
        expectsContinue = false
        refusal = nil
        isContradictory = false
        listBytes = 0
        headBytes = HeadBuilder.emptyHead
        count = 0
        hasTarget = false
        host.removeAll(keepingCapacity: true)
        hostCount = 0
        cookie.removeAll(keepingCapacity: true)
        cookieCount = 0
    }

    /// Takes one field.
    ///
    /// - Returns: False where the peer has gone so far that the connection should end.
    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        listBytes += name.count + value.count + HeadBuilder.listOverhead
        guard listBytes <= HTTP2Limits.listBytes else { return false }
        if name.isEqual(to: ":path"), value.count > limits.targetBytes { refuse(.uriTooLong) }
        measure(name, value)
        if headBytes > limits.headBytes || count > limits.fieldCount { refuse(.headerTooLarge) }
        // What is refused is counted, and not kept.
        guard refusal == nil else { return true }
        if name.count > 0, name[0] == UInt8(ascii: ":") {
            addPseudoField(name, value)
        } else {
            addField(name, value)
        }
        return true
    }

    /// Counts what a field would add to the head over HTTP/1.1.
    private mutating func measure(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        switch name.count {
        case 5 where name.isEqual(to: ":path"), 7 where name.isEqual(to: ":method"):
            headBytes += value.count
        case 7 where name.isEqual(to: ":scheme"):
            break
        case 10 where name.isEqual(to: ":authority"):
            headBytes += "host".utf8.count + value.count + HeadBuilder.fieldOverhead
            count += 1
        case 6 where cookieCount > 0 && name.isEqual(to: "cookie"):
            headBytes += value.count + HeadBuilder.crumbOverhead
        default:
            headBytes += name.count + value.count + HeadBuilder.fieldOverhead
            if name.isEqual(to: "cookie") { cookieCount += 1 }
            // A Host field beside `:authority` is the same field once more.
            if hostCount == 0 || !name.isEqual(to: "host") { count += 1 }
        }
    }

    /// `; ` between two pieces of a cookie.
    private static let crumbOverhead = 2

    private mutating func addPseudoField(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if name.isEqual(to: ":path") {
            hasTarget = head.appendTarget(value)
            if !hasTarget { refuse(.badRequest) }
        } else if name.isEqual(to: ":method") {
            guard value.count <= HeadBuilder.longestMethod, value.isToken else { return refuse(.badRequest) }
            head.method = HTTPMethod(value)
        } else if name.isEqual(to: ":authority") {
            note(host: value)
        } else if name.isEqual(to: ":scheme") {
            // A proxy in front may speak for clients of either kind; over TLS there is nobody in between.
            let isKnown = value.isEqual(to: "https") || (!isSecure && value.isEqual(to: "http"))
            if !isKnown { refuse(.badRequest) }
        }
    }

    private static let longestMethod = 16

    private mutating func addField(_ name: Span<UInt8>, _ raw: Span<UInt8>) {
        // Blanks around a value belong to no value, whatever is made of it.
        let value = raw.extracting(raw.trimmedRange())
        switch name.count {
        case 4 where name.isEqual(to: "host"): return note(host: value)
        case 6 where name.isEqual(to: "cookie"): return note(cookie: value)
        case 6 where name.isEqual(to: "expect"):
            guard value.isEqualIgnoringCase(to: "100-continue") else { return refuse(.expectationFailed) }
            expectsContinue = true
        case 14 where name.isEqual(to: "content-length"):
            guard contentLength == nil, let length = DecimalDigits.parse(value, limit: Int.max) else {
                return refuse(.badRequest)
            }
            contentLength = length
        default: break
        }
        if !head.appendField(name: name, value: value) { refuse(.badRequest) }
    }

    private mutating func note(host value: Span<UInt8>) {
        hostCount += 1
        guard hostCount > 1 else { return host.append(value) }
        if !host.span.isSameHost(as: value, isSecure: true) { isContradictory = true }
    }

    private mutating func note(cookie value: Span<UInt8>) {
        if !cookie.isEmpty { cookie.append(text: "; ") }
        cookie.append(value)
    }

    private mutating func refuse(_ status: HTTPStatus) {
        if refusal == nil { refusal = status }
    }

    /// The block is complete: adds what had to be put together, and judges the whole.
    mutating func finish() {
        if !hasTarget || !host.span.isPlainHost { refuse(.badRequest) }
        guard refusal == nil else { return }
        let (host, cookie) = (host, cookie)
        var isAdded = head.appendField(name: "host".utf8Span.span, value: host.span)
        if !cookie.isEmpty {
            isAdded = head.appendField(name: "cookie".utf8Span.span, value: cookie.span) && isAdded
        }
        if !isAdded { refuse(.badRequest) }
    }

    /// Hands the head over, complete or not.
    mutating func takeHead() -> RequestHead {
        let head = head
        self.head = RequestHead.none
        return head
    }
}

extension Span where Element == UInt8 {
    /// Whether the bytes have the characters of names, addresses and ports only, as in HTTP/1.1.
    fileprivate var isPlainHost: Bool {
        guard count > 0 else { return false }
        for index in indices {
            switch self[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                continue
            default:
                return false
            }
        }
        return true
    }
}
