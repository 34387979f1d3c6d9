/// A second reader of HTTP/1.1 requests, from the letter of RFC 9112 and of this server's rules: slow, by whole lines, and without
/// a line of the parser.
///
/// The parser must not read anything else out of a stream, and nothing that this reader refuses.
struct RequestGrammar {
    /// What stands in one request.
    struct Message: Equatable {
        var method: [UInt8] = []
        /// Path and query.
        var target: [UInt8] = []
        /// The host in absolute-form.
        var authority: [UInt8]?
        var isOld = false
        var fields: [Field] = []
        var body: [UInt8] = []

        var host: [UInt8]? { values("host").first ?? authority }

        func values(_ name: String) -> [[UInt8]] { fields.filter { $0.name == Array(name.utf8) }.map(\.value) }
    }

    /// A field, its name in lower case.
    struct Field: Equatable {
        let name: [UInt8]
        let value: [UInt8]
    }

    private let bytes: [UInt8]
    private(set) var position = 0
    /// The first rule that the bytes break.
    private(set) var broken: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next request, or `nil` where the bytes are none.
    mutating func message() -> Message? {
        if bytes[position...].starts(with: [13, 10]) { position += 2 }
        var message = Message()
        guard let first = line(), requestLine(first, &message) else { return fail("a request line") }
        while true {
            guard let line = line() else { return fail("lines that end in CR LF") }
            if line.isEmpty { break }
            guard let field = RequestGrammar.field(line) else { return fail("name, colon, value") }
            message.fields.append(field)
        }
        guard RequestGrammar.hosts(message) else { return fail("one host") }
        guard let body = content(message) else { return fail("one length, and content as long") }
        message.body = body
        return message
    }

    private mutating func fail(_ rule: String) -> Message? {
        broken = rule
        return nil
    }

    /// The bytes up to the next CR LF; `nil` where another line end comes first.
    private mutating func line() -> [UInt8]? {
        var end = position
        while end + 1 < bytes.count, bytes[end] != 13 || bytes[end + 1] != 10 { end += 1 }
        guard end + 1 < bytes.count else { return nil }
        let line = Array(bytes[position..<end])
        position = end + 2
        return line.contains { $0 == 13 || $0 == 10 || $0 == 0 } ? nil : line
    }

    // MARK: Parts

    static func isToken(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    static func isHost(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy { isAlphanumeric($0) || "-._:[]".utf8.contains($0) }
    }

    static func isValue(_ text: some Collection<UInt8>) -> Bool {
        text.allSatisfy { $0 == 9 || ($0 >= 32 && $0 != 127) }
    }

    static func lower(_ text: some Collection<UInt8>) -> [UInt8] {
        text.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    }

    static func trimmed(_ text: some BidirectionalCollection<UInt8>) -> [UInt8] {
        let blanks: [UInt8] = [9, 32]
        return Array(text.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
    }

    static func isTarget(_ target: some Collection<UInt8>) -> Bool {
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard target.first == UInt8(ascii: "/"), let path = parts.first else { return false }
        let isPath = path.allSatisfy { isAlphanumeric($0) || "/-._~%!$&'()*+,;=:@".utf8.contains($0) }
        return isPath
            && parts.dropFirst().allSatisfy { query in
                query.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"#<>".utf8.contains($0) }
            }
    }

    private func requestLine(_ line: [UInt8], _ message: inout Message) -> Bool {
        let parts = line.split(separator: 32, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 3, RequestGrammar.isToken(parts[0]), parts[0].count <= 16 else { return false }
        message.method = parts[0]
        guard parts[2].count == 8, parts[2].starts(with: "HTTP/1.".utf8), (0x30...0x39).contains(parts[2][7]) else {
            return false
        }
        message.isOld = parts[2][7] == 0x30
        guard parts[1].first != UInt8(ascii: "/") else {
            message.target = parts[1]
            return RequestGrammar.isTarget(parts[1])
        }
        let schemes = ["https://", "http://"].map { Array($0.utf8) }
        let target = RequestGrammar.lower(parts[1].prefix(8)) + parts[1].dropFirst(8)
        guard let scheme = schemes.first(where: { target.starts(with: $0) }) else { return false }
        let rest = parts[1].dropFirst(scheme.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        message.authority = Array(authority)
        let path = Array(rest.dropFirst(authority.count))
        message.target = path.first == UInt8(ascii: "/") ? path : [UInt8(ascii: "/")] + path
        return RequestGrammar.isHost(authority) && RequestGrammar.isTarget(message.target)
    }

    /// A field line.
    static func field(_ line: some BidirectionalCollection<UInt8>) -> Field? {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        let value = trimmed(line.dropFirst(name.count + 1))
        guard name.count < line.count, isToken(name), isValue(value) else { return nil }
        return Field(name: lower(name), value: value)
    }

    private static func hosts(_ message: Message) -> Bool {
        let hosts = message.values("host")
        guard hosts.count <= 1, hosts.allSatisfy(isHost) else { return false }
        if let authority = message.authority, let host = hosts.first, lower(host) != lower(authority) { return false }
        return message.isOld || message.host != nil
    }

    // MARK: Content

    private mutating func content(_ message: Message) -> [UInt8]? {
        let lengths = message.values("content-length")
        let codings = message.values("transfer-encoding")
        guard lengths.count + codings.count <= 1 else { return nil }
        if let coding = codings.first {
            guard !message.isOld, RequestGrammar.lower(coding) == Array("chunked".utf8) else { return nil }
            return chunks()
        }
        guard let length = lengths.first else { return [] }
        let isNumber = length.allSatisfy { (0x30...0x39).contains($0) } && (length == [0x30] || length.first != 0x30)
        guard isNumber, length.count < 10, let count = Int(text(length)) else { return nil }
        return take(count)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard bytes.count - position >= count else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    private mutating func chunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            guard let line = line() else { return nil }
            let digits = line.prefix { RequestGrammar.isHex($0) }
            let rest = line.dropFirst(digits.count)
            guard (1...8).contains(digits.count), let size = Int(text(digits), radix: 16) else { return nil }
            guard rest.isEmpty || (rest.first == UInt8(ascii: ";") && rest.allSatisfy(RequestGrammar.isExtension))
            else {
                return nil
            }
            if size == 0 { break }
            guard let chunk = take(size), take(2) == [13, 10] else { return nil }
            body += chunk
        }
        while let line = line() {
            if line.isEmpty { return body }
            guard RequestGrammar.field(line) != nil else { return nil }
        }
        return nil
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func isExtension(_ byte: UInt8) -> Bool { byte == 9 || (0x20..<0x7F).contains(byte) }
}

extension RequestGrammar.Message {
    /// The message in its one canonical form: origin-form, one length, no chunks.
    var canonical: [UInt8] {
        var output = method + [32] + target + Array(" HTTP/1.\(isOld ? 0 : 1)\r\n".utf8)
        var fields = fields.filter {
            !["content-length", "transfer-encoding"].map { Array($0.utf8) }.contains($0.name)
        }
        if let authority, values("host").isEmpty {
            fields.append(RequestGrammar.Field(name: Array("host".utf8), value: authority))
        }
        if !body.isEmpty {
            fields.append(RequestGrammar.Field(name: Array("content-length".utf8), value: Array("\(body.count)".utf8)))
        }
        for field in fields { output += field.name + Array(": ".utf8) + field.value + [13, 10] }
        return output + [13, 10] + body
    }
}
