import CFuzzer
import HTTPCore
import Primitives
import StrictJSON
import Web

@testable import Wallet

/// What phones send to the web service of their passes: paths, dates, tags, tokens, and JSON.
///
/// The first byte selects the reader.
let phoneTarget = FuzzTarget(
    name: "phone",
    examine: { unit in
        guard let selection = Selection(unit, of: 7) else { return }
        switch selection.number {
        case 0: examinePath(selection.rest)
        case 1: examineDate(selection.rest)
        case 2: examineTag(selection.rest)
        case 3: examineAuthorization(selection.rest)
        case 4: examineRegistration(selection.rest)
        case 5: examineLog(selection.rest)
        default: examineLine(text(selection.rest))
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 7) else { return }
        let rest = selection.rest
        switch selection.number {
        case 0: _ = parts(of: rest)
        case 1: _ = HTTPDate.time(ofAnyForm: text(rest), now: now)
        case 2: _ = tag(in: rest)
        case 3: _ = passToken(in: rest)
        case 4: _ = try? PushToken(rest)
        case 5: _ = (try? DeviceLog.lines(rest))?.map { DeviceLogLine($0).message }
        default: _ = DeviceLogLine(text(rest))
        }
    }
)

// MARK: - Paths

private let pattern = RoutePattern("/wallet/v1/devices/{device:any}/registrations/{type:any}/{serial:any}")
    .withLenientSlashes

/// The three names in a path as the routes read them; `nil` where it is no path of a registration.
private func parts(of target: [UInt8]) -> [PathPart]? {
    let request = HTTPRequest()
    guard request.head.appendTarget(target.span) else { return nil }
    var match = RouteMatch()
    guard request.withPath({ pattern.matches($0, &match) }) else { return nil }
    request.note(match)
    return (0..<3).map { index in
        do throws(Failure) {
            return .text(try PhonePath.part(request, index))
        } catch {
            return error.code == .pathTooLong ? .tooLong : .malformed
        }
    }
}

private enum PathPart: Equatable {
    case text(String)
    case malformed, tooLong

    static func == (one: PathPart, other: PathPart) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)): one.octets == other.octets
        case (.malformed, .malformed), (.tooLong, .tooLong): true
        default: false
        }
    }
}

private func examinePath(_ target: [UInt8]) {
    guard HTTPRequest().head.appendTarget(target.span) else {
        return check(parts(of: target) == nil, "no target has parts")
    }
    let found = parts(of: target)
    check(found == splitParts(of: target), "both readers find the same parts of \(shown(target))")
    guard let found else { return }
    // With every byte as an escape, so that nothing in it has a meaning.
    for case .text(let name) in found {
        let written = Array("/wallet/v1/devices/\(escaped(name))/registrations/t/s".utf8)
        check(parts(of: written) == [.text(name), .text("t"), .text("s")], "a part survives a round trip")
    }
}

/// A second reader, by splitting.
private func splitParts(of target: [UInt8]) -> [PathPart]? {
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    while segments.first == [] { segments.removeFirst() }
    if segments.last == [] { segments.removeLast() }
    guard segments.count == 7, segments[0...2].map(text) == ["wallet", "v1", "devices"],
        text(segments[4]) == "registrations", !segments.contains([])
    else { return nil }
    return [segments[3], segments[5], segments[6]].map(unescaped)
}

private func unescaped(_ segment: [UInt8]) -> PathPart {
    let pieces = segment.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var output = Array(pieces[0])
    for piece in pieces.dropFirst() {
        let digits = piece.prefix(2)
        guard digits.count == 2, digits.allSatisfy(RequestGrammar.isAlphanumeric),
            let byte = UInt8(text(digits), radix: 16)
        else { return .malformed }
        output += [byte] + piece.dropFirst(2)
    }
    guard !output.contains(where: { $0 < 32 || $0 == 127 }), let name = String(validating: output, as: UTF8.self) else {
        return .malformed
    }
    return output.count > 256 ? .tooLong : .text(name)
}

private func escaped(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

// MARK: - Dates

/// The C library has two digits of a year mean the same years.
private let now = WallTime(seconds: 1_540_000_000)

private func examineDate(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return }
    let written = text(bytes)
    guard let time = HTTPDate.time(ofAnyForm: written, now: now) else { return }
    let forms = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
    check(
        forms.contains { unsafe readTime(written, $0) == time.seconds },
        "both readers find the same date: \(written)"
    )
    let spellings = spellings(of: time)
    check(spellings.contains(written), "a date is in one of the forms: \(written)")
    for spelling in spellings {
        check(HTTPDate.time(ofAnyForm: spelling, now: now) == time, "a date survives a round trip: \(spelling)")
    }
}

/// A date in all its forms.
private func spellings(of time: WallTime) -> [String] {
    let date = CalendarDate(time)
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let (long, month) = (days[date.weekday], months[date.month - 1])
    let short = long.prefix(3)
    func pair(_ number: Int, _ fill: String = "0") -> String { (number % 100 < 10 ? fill : "") + String(number % 100) }
    let clock = "\(pair(date.hour)):\(pair(date.minute)):\(pair(date.second))"
    let year = pair(date.year / 100) + pair(date.year)
    var all = [
        "\(short), \(pair(date.day)) \(month) \(year) \(clock) GMT",
        "\(short) \(month) \(pair(date.day)) \(clock) \(year)",
        "\(short) \(month) \(pair(date.day, " ")) \(clock) \(year)",
    ]
    if (1_969...2_068).contains(date.year) {
        all.append("\(long), \(pair(date.day))-\(month)-\(pair(date.year)) \(clock) GMT")
    }
    return all
}

// MARK: - Tags and tokens

private func tag(in query: [UInt8]) -> Int64? {
    let request = HTTPRequest()
    let target = Array("/?".utf8) + query
    return request.head.appendTarget(target.span) ? request.knownTag : nil
}

private func examineTag(_ query: [UInt8]) {
    guard let found = tag(in: query) else { return }
    let pairs = FormGrammar.decode(query) ?? []
    let value = pairs.count > 64 ? nil : pairs.first { text($0.name) == "passesUpdatedSince" }.map { text($0.value) }
    let number = value.flatMap { Int64($0) }.flatMap { $0 >= 0 && "\($0)".octets == value?.octets ? $0 : nil }
    check(found == number ?? 0, "both readers find the same tag: \(shown(query))")
    check(tag(in: Array("passesUpdatedSince=\(found)".utf8)) == found, "a tag survives a round trip")
}

private func passToken(in value: [UInt8], times: Int = 1) -> [UInt8]? {
    let request = HTTPRequest()
    for _ in 0..<times {
        guard request.head.appendField(name: "authorization".utf8Span.span, value: value.span) else { return nil }
    }
    return request.withPassToken { span in span.indices.map { span[$0] } }
}

private func examineAuthorization(_ bytes: [UInt8]) {
    let found = passToken(in: bytes)
    let value = RequestGrammar.trimmed(bytes)
    let scheme = value.prefix { $0 != 32 }
    let rest = Array(value.dropFirst(scheme.count).drop { $0 == 32 })
    let isToken =
        RequestGrammar.isValue(bytes) && text(RequestGrammar.lower(Array(scheme))) == "applepass" && !rest.isEmpty
    check(found == (isToken ? rest : nil), "both readers find the same token: \(shown(bytes))")
    check(passToken(in: bytes, times: 2) == nil, "of two tokens none counts")
}

// MARK: - Contents

private func examineRegistration(_ body: [UInt8]) {
    let found = (try? PushToken(body)).map { Array($0.text.utf8) }
    let canonical = JSONGrammar.canonical(body) ?? []
    let written = canonical.first == UInt8(ascii: "{") ? JSONGrammarMembers(canonical).texts(["pushToken"]).first : nil
    let digits = Set("0123456789abcdef".utf8)
    let token = written.map(RequestGrammar.lower).flatMap { token in
        token.allSatisfy(digits.contains) && token.count.isMultiple(of: 2) && (2...2_048).contains(token.count)
            ? token : nil
    }
    if let found { check(found == token, "a push token is what is written, in lower case") }
    // A longer one may have too many values.
    if canonical.count < 256 || token == nil { check(found == token, "both readers find the same push token") }
}

private func examineLog(_ body: [UInt8]) {
    guard let lines = try? DeviceLog.lines(body) else { return }
    guard let canonical = JSONGrammar.canonical(body) else { return check(false, "a log is strict JSON") }
    check(canonical.firstRange(of: Array("\"logs\":[".utf8)) != nil, "a log has lines")
    let again = "{\"logs\":[" + lines.map { JSONValue.string($0).description }.joined(separator: ",") + "]}"
    let found = try? DeviceLog.lines(Array(again.utf8))
    check(found?.map(\.octets) == lines.map(\.octets), "lines survive a round trip")
    for line in lines { examineLine(line) }
}

private func examineLine(_ line: String) {
    let read = DeviceLogLine(line)
    check(read.message.utf8.count <= 4_096, "a message has a limit")
    let unseen: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
    let all = [read.message, read.device, read.passType, read.serial, read.tag, read.ifModifiedSince].compactMap(\.self)
    for text in all {
        check(
            !text.unicodeScalars.contains { unseen.contains($0.properties.generalCategory) },
            "a text is seen as it is"
        )
    }
    check(JSONGrammar.canonical(read.json.bytes) != nil, "a line can be stored")
    guard read.kind != .other else { return }
    let names = [read.device, read.passType, read.serial, read.tag, read.ifModifiedSince].compactMap(\.self)
    check(names.allSatisfy { $0.utf8.count <= 256 }, "a name has a limit")
    let (device, type, serial) = (read.device ?? "", read.passType ?? "", read.serial ?? "")
    let pass = "\(device), pass type \(type), serial number \(serial); with web service url "
    let written =
        switch read.kind {
        case .register: "Register task (for device \(pass)"
        case .unregister: "Unregister task (for device \(pass)"
        case .list:
            "Get serial #s task (for device \(device), pass type \(type), last updated \(read.tag ?? "(null)"); with web service url "
        case .get:
            "Get pass task (pass type \(type), serial number \(serial), if-modified-since \(read.ifModifiedSince ?? ""); with web service url "
        case .service: "Web service error for \(type) ("
        case .other: ""
        }
    let bytes = Array(line.utf8)
    check(bytes.dropFirst(28).starts(with: written.utf8), "what was read is what is written: \(shown(bytes))")
    let isEnd = bytes.suffix(read.message.utf8.count).elementsEqual(read.message.utf8)
    check(isEnd || read.message.contains("\\u{"), "a message is the end of its line")
    let hours = Int64(text(bytes[22..<24]))
    let minutes = Int64(text(bytes[24..<26]))
    let sign: Int64 = bytes[21] == UInt8(ascii: "-") ? 1 : -1
    let local = unsafe readTime(text(bytes[1..<20]), "%Y-%m-%d %H:%M:%S")
    check(
        read.at?.seconds == local + sign * ((hours ?? 0) * 3_600 + (minutes ?? 0) * 60),
        "both readers find the same time"
    )
}
