import Primitives
import StrictJSON

/// A line in which a phone says what has gone wrong, as far as it can be read.
struct DeviceLogLine: Equatable {
    /// What the phone was doing.
    enum Kind: String {
        case register, unregister, list, get, service, other
    }

    var kind = Kind.other
    var at: WallTime?
    var device: String?
    var passType: String?
    var serial: String?
    /// The tag that it had; `nil` for none.
    var tag: String?
    var ifModifiedSince: String?
    /// What went wrong, or the whole line where it has another form; without control characters.
    var message: String

    /// More of a line, and of what stands in it, is not kept.
    private static let greatestLength = 4_096
    private static let greatestNameLength = 256

    private static let tasks: [(name: String, kind: Kind)] = [
        ("Register task (for device ", .register), ("Unregister task (for device ", .unregister),
        ("Get serial #s task (for device ", .list), ("Get pass task (pass type ", .get),
        ("Web service error for ", .service),
    ]

    /// Reads a line.
    init(_ line: String) {
        let line = DeviceLogLine.cut(line, DeviceLogLine.greatestLength)
        message = DeviceLogLine.cut(DeviceLogLine.printable(line), DeviceLogLine.greatestLength)
        // A line break or a zero byte is no part of any line that a phone writes.
        guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return }
        var rest = Remainder(line)
        guard rest.skip("["), let date = rest.take(until: "] "), let at = DeviceLogLine.time(date),
            let task = DeviceLogLine.tasks.first(where: { rest.skip($0.name) })
        else { return }
        var read = self
        read.at = at
        read.kind = task.kind
        guard read.readTask(&rest) else { return }
        self = read
    }

    private mutating func readTask(_ rest: inout Remainder) -> Bool {
        switch kind {
        case .service:
            passType = rest.take(until: " (")
            guard passType != nil, rest.take(until: "): ") != nil else { return false }
        case .get:
            passType = rest.take(until: ", serial number ")
            serial = rest.take(until: ", if-modified-since ")
            ifModifiedSince = rest.take(until: "; with web service url ")
            guard passType != nil, serial != nil, ifModifiedSince != nil else { return false }
        case .list:
            device = rest.take(until: ", pass type ")
            passType = rest.take(until: ", last updated ")
            guard device != nil, let text = rest.take(until: "; with web service url ") else { return false }
            tag = text.octets == "(null)" ? nil : text
        case .register, .unregister:
            device = rest.take(until: ", pass type ")
            passType = rest.take(until: ", serial number ")
            serial = rest.take(until: "; with web service url ")
            guard device != nil, serial != nil else { return false }
        case .other: return false
        }
        if kind != .service, rest.take(until: ") encountered error: ") == nil { return false }
        let names = [device, passType, serial, tag, ifModifiedSince].compactMap(\.self)
        guard passType != nil, names.allSatisfy(DeviceLogLine.isName) else { return false }
        message = DeviceLogLine.cut(DeviceLogLine.printable(rest.all), DeviceLogLine.greatestLength)
        return true
    }

    /// As a statement takes it.
    var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "device": JSONValue(device), "type": JSONValue(passType),
            "serial": JSONValue(serial), "message": .string(message),
        ]
    }

    /// `2026-11-21 18:00:00 +0900`.
    private static func time(_ text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        guard bytes.count == 25, bytes[10] == 0x20, bytes[19] == 0x20,
            let day = String(validating: bytes[..<10], as: UTF8.self),
            let clock = String(validating: bytes[11..<19], as: UTF8.self),
            let time = CalendarDate.time(of: "\(day)T\(clock)Z")
        else { return nil }
        let digits = bytes[21...].map { Int($0) - 0x30 }
        guard digits.allSatisfy((0...9).contains), bytes[20] == UInt8(ascii: "+") || bytes[20] == UInt8(ascii: "-")
        else { return nil }
        let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
        return time + .seconds(bytes[20] == UInt8(ascii: "-") ? minutes * 60 : minutes * -60)
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= greatestNameLength && !text.unicodeScalars.contains(where: isUnseen)
    }

    /// The text without its end, which is not cut within a character.
    private static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var bytes = Array(text.utf8.prefix(limit))
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        if let last = bytes.last, last >= 0xC0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text with what cannot be seen as escapes.
    private static func printable(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            if isUnseen(scalar) {
                output += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    /// Whether a character is a control character, among them those of Unicode, which change how a line looks.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// What is left of a line to read.
private struct Remainder {
    private var bytes: ArraySlice<UInt8>

    init(_ line: String) { bytes = Array(line.utf8)[...] }

    var all: String { String(decoding: bytes, as: UTF8.self) }

    /// Passes a text over, if it is next.
    mutating func skip(_ text: String) -> Bool {
        guard bytes.starts(with: text.utf8) else { return false }
        bytes.removeFirst(text.utf8.count)
        return true
    }

    /// What stands before the first such text, which is passed over; `nil` where there is none.
    mutating func take(until text: String) -> String? {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in bytes.startIndex...(bytes.endIndex - wanted.count) where bytes[start...].starts(with: wanted) {
            defer { bytes = bytes[(start + wanted.count)...] }
            return String(decoding: bytes[..<start], as: UTF8.self)
        }
        return nil
    }
}
