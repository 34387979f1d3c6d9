/// The head of a request: method, target and fields, in storage that is used again for the next one.
///
/// The bytes lie in one array with a table of offsets beside it; a name the program knows is kept as its number. The
/// storage is the same for every protocol version. HTTP/1.1 notes offsets while it reads and hands the finished head
/// over at the end (`noteTarget`, `noteField`, `adopt`), HTTP/2 appends one field after the other (`appendTarget`,
/// `appendField`). A value, so that a parser holds it for as long as it works and pays for no access checks per field.
package struct RequestHead: Sendable {
    /// The method.
    package var method: HTTPMethod = .get
    /// The bytes that `pathRange`, `queryRange` and the field values lie in.
    package private(set) var bytes: [UInt8] = []

    var path = ByteRange()
    var query: ByteRange?
    /// With the path that it is about, so that no request is answered by the route of the one before.
    var match = RouteMatch()
    private(set) var fields: [FieldEntry] = []
    private let index = KnownFieldIndex.shared

    /// Stands in for a head that is being filled.
    package static let none = RequestHead(reserving: 0)

    init() {
        self.init(reserving: 1)
    }

    private init(reserving heads: Int) {
        // Enough for most. Idle connections keep it, but for what a large head made of it: `HTTPRequest.dropLargeHead`.
        bytes.reserveCapacity(heads * 736)
        fields.reserveCapacity(heads * 16)
    }

    /// Where the path lies in `bytes`.
    package var pathRange: Range<Int> { checked(path) }

    /// Where the query lies in `bytes`, without its question mark; empty where there is none.
    package var queryRange: Range<Int> { checked(query ?? ByteRange()) }

    /// How much of its storage is in use, in bytes.
    var size: Int { bytes.count + fields.count * MemoryLayout<FieldEntry>.stride }

    /// Whether it has more storage than most heads need.
    var isLarge: Bool { bytes.capacity > RequestHead.keptBytes || fields.capacity > RequestHead.keptFields }

    private static let keptBytes = 4096
    private static let keptFields = 80

    /// Forgets everything and keeps the storage.
    package mutating func reset() {
        method = .get
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        path = ByteRange()
        query = nil
        match = RouteMatch()
    }
}

// MARK: - Filling from a finished head

extension RequestHead {
    /// Notes where the parts of the target will lie.
    ///
    /// - Parameters:
    ///   - path: Offsets into the head that is adopted later.
    ///   - query: Likewise, without the question mark; `nil` where there is none.
    package mutating func noteTarget(path: Range<Int>, query: Range<Int>?) {
        self.path = ByteRange(path)
        self.query = query.map(ByteRange.init)
    }

    /// Notes where a field will lie.
    ///
    /// - Parameters:
    ///   - name: Offsets of a token of either case.
    ///   - value: Offsets of the value without the blanks around it; no control character but the tab.
    ///   - head: What is known of the head so far; the offsets lie inside.
    /// - Returns: What the field is to the framing of the message.
    package mutating func noteField(name: Range<Int>, value: Range<Int>, in head: Span<UInt8>) -> FramingField {
        let known = index.find(head.extracting(name))
        fields.append(FieldEntry(name: ByteRange(name), value: ByteRange(value), known: known))
        return FramingField(known)
    }

    /// Notes the host that the target itself names; after all fields.
    ///
    /// - Parameters:
    ///   - authority: Where it lies; stands in for a Host field that is missing.
    ///   - head: The whole head, which is adopted later.
    /// - Returns: False where a Host field names another one, or the same in another spelling (RFC 9112, 3.2).
    package mutating func noteAuthority(_ authority: Range<Int>, in head: Span<UInt8>) -> Bool {
        for field in fields where field.known == .host {
            let host = head.extracting(field.value.clamped(to: head.count))
            return host.isEqualIgnoringCase(to: head.extracting(authority))
        }
        fields.append(FieldEntry(name: ByteRange(), value: ByteRange(authority), known: .host))
        return true
    }

    /// Takes over the bytes that all noted offsets refer to, with one copy.
    package mutating func adopt(_ head: Span<UInt8>) {
        bytes.append(head)
        for field in fields where field.known == nil {
            for position in checked(field.name) { bytes[position] = ByteText.lowercase(bytes[position]) }
        }
    }
}

// MARK: - Filling piece by piece

extension RequestHead {
    /// Appends a target in origin-form and splits it.
    ///
    /// - Parameter target: Path and query.
    /// - Returns: False where it does not begin with a slash or holds a character that no target may have.
    package mutating func appendTarget(_ target: Span<UInt8>) -> Bool {
        guard target.count > 0, target[0] == UInt8(ascii: "/") else { return false }
        var question: Int?
        for position in target.indices {
            guard ByteText.isTargetCharacter(target[position], inQuery: question != nil) else { return false }
            if target[position] == UInt8(ascii: "?"), question == nil { question = position }
        }
        let start = bytes.count
        bytes.append(target)
        let end = start + (question ?? target.count)
        noteTarget(path: start..<end, query: question == nil ? nil : (end + 1)..<bytes.count)
        return true
    }

    /// Appends one field.
    ///
    /// - Parameters:
    ///   - name: A token; HTTP/2 has refused upper case before.
    /// - Returns: False where the name is no token, or the value has a control character other than the tab.
    package mutating func appendField(name: Span<UInt8>, value: Span<UInt8>) -> Bool {
        guard name.isToken else { return false }
        for position in value.indices where !ByteText.isValueCharacter(value[position]) { return false }
        var entry = FieldEntry(name: ByteRange(), value: ByteRange(), known: index.find(name))
        if entry.known == nil {
            entry.name = ByteRange(bytes.count..<(bytes.count + name.count))
            for position in name.indices { bytes.append(ByteText.lowercase(name[position])) }
        }
        let trimmed = value.trimmedRange()
        entry.value = ByteRange(bytes.count..<(bytes.count + trimmed.count))
        bytes.append(value.extracting(trimmed))
        fields.append(entry)
        return true
    }
}

// MARK: - Reading

extension RequestHead {
    /// A range that lies inside the bytes whatever was noted.
    func checked(_ part: ByteRange) -> Range<Int> {
        part.clamped(to: bytes.count)
    }
}

/// A part of the bytes of a head.
struct ByteRange: Sendable {
    var start: UInt32 = 0
    var end: UInt32 = 0

    init() {}

    /// Offsets beyond four gigabytes do not occur: heads have limits.
    init(_ range: Range<Int>) {
        start = UInt32(clamping: range.lowerBound)
        end = UInt32(clamping: range.upperBound)
    }

    /// The range as far as it lies inside a number of bytes.
    func clamped(to count: Int) -> Range<Int> {
        let end = min(Int(end), count)
        return min(Int(start), end)..<end
    }
}

/// One field of a request; a known name is kept as its number, any other one as a range.
struct FieldEntry: Sendable {
    var name: ByteRange
    var value: ByteRange
    var known: KnownFieldName?
}

/// What a field means to the code that frames messages and keeps connections.
package enum FramingField: Sendable, Hashable {
    /// `Host`.
    case host
    /// `Content-Length`.
    case contentLength
    /// `Transfer-Encoding`.
    case transferEncoding
    /// `Connection`.
    case connection
    /// `Expect`.
    case expect
    /// Any other field: of no concern.
    case none

    init(_ known: KnownFieldName?) {
        self =
            switch known {
            case .host: .host
            case .contentLength: .contentLength
            case .transferEncoding: .transferEncoding
            case .connection: .connection
            case .expect: .expect
            default: .none
            }
    }
}
