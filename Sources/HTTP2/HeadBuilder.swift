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
    private var listBytes = 0
    private var count = 0
    private var hasTarget = false
    private var host: [UInt8] = []
    private var hostCount = 0
    /// Clients split Cookie into crumbs; handlers see one field.
    private var cookie: [UInt8] = []

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
        count = 0
        hasTarget = false
        host.removeAll(keepingCapacity: true)
        hostCount = 0
        cookie.removeAll(keepingCapacity: true)
    }

    /// Takes one field.
    ///
    /// - Returns: False where the peer has gone so far that the connection should end.
    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        listBytes += name.count + value.count + 32
        if listBytes > limits.fieldBytes {
            refuse(.headerTooLarge)
            return listBytes <= 2 * limits.fieldBytes
        }
        if name.count > 0, name[0] == UInt8(ascii: ":") {
            addPseudoField(name, value)
            return true
        }
        count += 1
        guard count <= limits.fieldCount else {
            refuse(.headerTooLarge)
            return count <= 4 * limits.fieldCount
        }
        if refusal == nil { addField(name, value) }
        return true
    }

    private mutating func addPseudoField(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if name.isEqual(to: ":path") {
            guard value.count <= limits.targetBytes else { return refuse(.uriTooLong) }
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
