/// A connection as the fuzzer writes it: lines, of which each becomes a frame, or bytes as they are.
///
///     h1 :method GET      a line that begins a head on stream 1; further lines that begin with a blank are more fields
///     H1 :method POST     the same, with content to come
///     d1 text             content that ends the request; D1 text: content that does not
///     s w r p g           SETTINGS, WINDOW_UPDATE, RST_STREAM, PING, GOAWAY with the bytes behind
///     x...                the bytes behind as they are, with the next lines
struct FrameScript {
    /// The frames, SETTINGS first.
    private(set) var bytes: [UInt8] = []
    /// Whether frames are not as they are written here: heads may be cut, or use the table.
    private(set) var isRaw = false
    /// What the first head of each stream names as the host; a second one is a trailer, or comes too late.
    private(set) var hosts: [Int32: [[UInt8]]] = [:]
    /// What the heads of each stream say, and its content up to the end.
    private(set) var answers: [Int32: Answer] = [:]
    /// Whether heads or content stand in frames that were not written as such.
    private(set) var hasOtherAnswers = false
    private var block: [UInt8] = []
    private var opening: (stream: UInt8, ends: Bool)?
    private var isFirstHead = false

    /// What is written on one stream.
    struct Answer {
        var fields: [RequestGrammar.Field] = []
        var content: [UInt8] = []
        var isEnded = false
    }

    /// The frames behind what a client sends first.
    var fromClient: [UInt8] { Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + bytes }

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
        case UInt8(ascii: "d"), UInt8(ascii: "D"):
            let ends = kind == UInt8(ascii: "d")
            frame(0, ends ? 1 : 0, number, content)
            note(number) { answer in
                answer.content += content
                answer.isEnded = ends
            }
        case UInt8(ascii: "s"): frame(4, 0, 0, content)
        case UInt8(ascii: "w"): frame(8, 0, number, content)
        case UInt8(ascii: "r"): frame(3, 0, number, content)
        case UInt8(ascii: "p"): frame(6, 0, 0, content)
        case UInt8(ascii: "g"): frame(7, 0, 0, content)
        default:
            if kind & 15 < 2 { hasOtherAnswers = true }
            frame(kind & 15, 4, number, content)
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
        note(stream) { $0.fields.append(RequestGrammar.Field(name: name, value: value)) }
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
        note(opening.stream) { $0.isEnded = opening.ends }
    }

    private mutating func note(_ stream: UInt8, _ change: (inout Answer) -> Void) {
        guard answers[Int32(stream)]?.isEnded != true else { return }
        change(&answers[Int32(stream), default: Answer()])
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
