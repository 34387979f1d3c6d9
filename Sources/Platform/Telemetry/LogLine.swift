import Primitives

/// Builds one line of the log.
struct LogLine {
    private(set) var bytes: [UInt8] = []
    private let format: LogFormat

    /// The names that every line has.
    static let names = ["time", "level", "event"]

    init(_ format: LogFormat) {
        self.format = format
        bytes.reserveCapacity(384)
    }

    /// Starts the line with what every line has, behind its priority where the reader takes that off.
    mutating func open(time: WallTime, level: LogLevel, event: StaticString, hasPriority: Bool) {
        if hasPriority { append("<\(level.priority)>") }
        let date = CalendarDate(time)
        switch format {
        case .json:
            append(#"{"time":""#)
            date.appendExtended(to: &bytes)
            bytes.removeLast()
            appendMilliseconds(of: time)
            append(#"Z","level":""#)
            append(level.description)
            append(#"","event":""#)
            append(event.description)
            append("\"")
        case .text:
            append(date.extendedText.dropLast().suffix(8))
            appendMilliseconds(of: time)
            append(" ")
            append(level.description)
            append(String(repeating: " ", count: max(1, 8 - level.description.utf8.count)))
            append(event.description)
        }
    }

    /// Adds a field under a name that the line does not have yet; names are ours, and plain.
    mutating func add(_ name: String, _ value: LogField.Value) {
        switch format {
        case .json:
            append(#",""#)
            append(name)
            append(#"":"#)
        case .text:
            append(" ")
            append(name)
            append("=")
        }
        switch value {
        case .text(let text) where format == .text && LogLine.isWord(text):
            bytes.append(contentsOf: TokenScrubber.scrub(Array(text.utf8)))
        case .text(let text): appendText(text)
        case .integer(let number): DecimalDigits.append(number, to: &bytes)
        case .number(let number): append(number.isFinite ? number.description : "null")
        case .flag(let flag): append(flag ? "true" : "false")
        }
    }

    /// Adds fields that are written already.
    mutating func add(rendered fields: [UInt8]) {
        bytes.append(contentsOf: fields)
    }

    /// Ends the line.
    mutating func close() {
        append(format == .json ? "}\n" : "\n")
    }

    /// Whether a text can be read without quotation marks around it.
    private static func isWord(_ text: String) -> Bool {
        let isPlain = { (byte: UInt8) in
            byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return !text.isEmpty && text.utf8.allSatisfy(isPlain)
    }

    private mutating func append(_ text: some StringProtocol) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func appendMilliseconds(of time: WallTime) {
        let milliseconds = (time.microseconds - time.seconds * 1_000_000) / 1000
        let digits = String(milliseconds)
        append(".")
        append(String(repeating: "0", count: max(0, 3 - digits.count)))
        append(digits)
    }

    private mutating func appendText(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.contains(UInt8(ascii: "_")) {
            for byte in TokenScrubber.scrub(Array(text.utf8)) { appendEscaped(byte) }
        } else {
            // Every tag has one: most texts need no copy.
            for byte in text.utf8 { appendEscaped(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "\n"): append(#"\n"#)
        case UInt8(ascii: "\r"): append(#"\r"#)
        case UInt8(ascii: "\t"): append(#"\t"#)
        case 0..<0x20, 0x7F:
            append(#"\u00"#)
            let code = [byte]
            Hex.append(code.span, to: &bytes)
        default:
            bytes.append(byte)
        }
    }
}
