import Primitives

/// Builds one line of JSON.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(256)
    }

    /// Starts the object with the members that every line has.
    mutating func open(time: WallTime, level: LogLevel, event: StaticString) {
        append(#"{"time":""#)
        let date = CalendarDate(time)
        append(date.extendedText.dropLast())
        appendMilliseconds(of: time)
        append(#"Z","level":""#)
        append(level.description)
        append(#"","event":"#)
        appendText(event.description)
    }

    /// Adds a member.
    mutating func add(_ field: LogField) {
        append(",")
        appendText(field.name.description)
        append(":")
        switch field.value {
        case .text(let text): appendText(text)
        case .integer(let number): DecimalDigits.append(number, to: &bytes)
        case .number(let number): append(number.isFinite ? number.description : "null")
        case .flag(let flag): append(flag ? "true" : "false")
        }
    }

    /// Adds members that are already JSON, each with a comma in front.
    mutating func add(rendered members: [UInt8]) {
        bytes.append(contentsOf: members)
    }

    /// Ends the object and the line.
    mutating func close() {
        append("}\n")
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
        for byte in TokenScrubber.scrub(Array(text.utf8)) { appendEscaped(byte) }
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
