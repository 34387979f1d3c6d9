import EventIO
import HTTPCore
import SessionBroker

@testable import Checkout
@testable import HTTPServer

/// Values of single fields, of whatever version: cookies, lists, languages, forwarded addresses, and tokens anywhere in a request.
///
/// The first byte selects the reader.
let fieldTarget = FuzzTarget(
    name: "field",
    examine: { unit in
        guard let selection = Selection(unit, of: 3) else { return }
        switch selection.number {
        case 0: examineCookies(selection.rest)
        case 1: examineForwarded(selection.rest)
        default: examineTokens(selection.rest)
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 3), let request = request(selection.rest, everyReader) else { return }
        switch selection.number {
        case 0: readLists(request)
        case 1: _ = ClientAddress.find(in: request, behind: proxy, trusted: proxies)
        default: _ = PlaintextTokens(request)
        }
    }
)

private let everyReader: [HTTPFieldName] = [
    .cookie, .ifNoneMatch, .acceptLanguage, .connection, .contentType, .xForwardedFor,
]

/// A request that has one value under each name, or `nil` where no protocol would take it.
private func request(_ value: [UInt8], _ names: [HTTPFieldName]) -> HTTPRequest? {
    let request = HTTPRequest()
    for name in names {
        guard request.head.appendField(name: name.text.utf8Span.span, value: value.span) else { return nil }
    }
    request.body = value
    return request
}

// MARK: - Cookies and lists

private func readLists(_ request: HTTPRequest) {
    let cookies = HTTPCookies(request)
    _ = cookies.names.count
    _ = try? cookies.value("a")
    _ = EntityTag("x")?.matches(ifNoneMatchOf: request)
    _ = AcceptLanguage(request).preferredLanguage(among: ["ja", "en"])
    _ = request.fieldLists(.connection, "close")
    _ = request.contentTypeIs(.form)
}

private func examineCookies(_ bytes: [UInt8]) {
    guard let request = request(bytes, everyReader) else {
        return check(!RequestGrammar.isValue(bytes), "a value without control characters is taken")
    }
    check(RequestGrammar.isValue(bytes), "a value has no control characters")
    readLists(request)
    let value = RequestGrammar.trimmed(bytes)
    // A second reader of cookies, by splitting.
    let pairs = value.split(separator: UInt8(ascii: ";")).compactMap { part -> (name: [UInt8], value: [UInt8])? in
        let name = part.prefix { $0 != UInt8(ascii: "=") }
        guard name.count < part.count else { return nil }
        return (RequestGrammar.trimmed(name), RequestGrammar.trimmed(part.dropFirst(name.count + 1)))
    }
    let cookies = HTTPCookies(request)
    check(cookies.names.count == pairs.count, "both readers find as many cookies")
    for pair in pairs where String(validating: pair.name, as: UTF8.self) != nil {
        var found: [UInt8]?
        let isThere = try? cookies.read(text(pair.name)) { span in found = span.indices.map { span[$0] } }
        let isAlone = pairs.count { $0.name == pair.name } == 1
        check((isThere == true) == isAlone, "only a cookie that stands alone has a value")
        check(!isAlone || found == pair.value, "both readers find the same value")
    }
    let words = value.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }.map(RequestGrammar.trimmed)
    let lists = words.contains { RequestGrammar.lower($0) == Array("close".utf8) }
    check(request.fieldLists(.connection, "close") == lists, "both readers find the same word")
    if let cookie = SetCookie("n", text(bytes), sameSite: .lax, maxAge: 1) {
        let line = Array(cookie.fieldValue.utf8)
        check(RequestGrammar.isValue(line), "a cookie can be sent")
        let first = line.prefix { $0 != UInt8(ascii: ";") }
        check(Array(first) == Array("n=".utf8) + bytes, "a cookie's value ends where it is said to")
    }
}

// MARK: - Forwarded addresses

private let proxy = PeerAddress(ipv4: 0x0A00_0001)
private let proxies = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"].compactMap(NetworkPrefix.init)

/// A second reader of `X-Forwarded-For`, by splitting octets and asking the C library.
private func examineForwarded(_ bytes: [UInt8]) {
    // A line feed, which no value has, separates two fields.
    let values = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
    let request = HTTPRequest()
    for value in values {
        let isTaken = request.head.appendField(name: "x-forwarded-for".utf8Span.span, value: value.span)
        guard isTaken else { return }
    }
    // What is behind a part that is no address is nobody's: the answer is what stands further right, or unknown.
    var expected = [proxy.description]
    let parts = values.flatMap { value in
        RequestGrammar.trimmed(value).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    }
    for part in parts.reversed() {
        guard let address = AddressGrammar.forwarded(RequestGrammar.trimmed(part)) else {
            expected.append(PeerAddress.unknown.description)
            break
        }
        expected = [address.text]
        let isOurs =
            address.isIn([10], 8) || address.isIn([192, 0, 2, 1], 32) || address.isIn([0x20, 1, 0xD, 0xB8], 32)
        guard isOurs else { break }
    }
    let found = ClientAddress.find(in: request, behind: proxy, trusted: proxies)
    // The C library writes the end of `::ffff:aaa` in decimals, we do not: both are the same number.
    let written = AddressGrammar.version6(found.description.utf8)?.text ?? found.description
    check(expected.contains(written), "the client of \(shown(bytes)) is \(expected), not \(found)")
}

// MARK: - Tokens in clear

private func examineTokens(_ bytes: [UInt8]) {
    let request = HTTPRequest()
    let half = bytes.count / 2
    let value = Array(bytes[..<half])
    request.body = Array(bytes[half...])
    _ = request.head.appendField(name: "x".utf8Span.span, value: value.span)
    let tokens = PlaintextTokens(request)
    let found = tokens.launch.map(\.text) + tokens.tab.map(\.text) + tokens.back.map(\.text)
    check(found.count <= 4, "an honest request has two or three tokens")
    let places = [request.head.bytes, request.body].flatMap(layers)
    for token in found {
        check(places.contains { $0.firstRange(of: Array(token.utf8)) != nil }, "a token that was found stands there")
    }
    guard found.count < 4 else { return }
    for place in places {
        // What begins inside of a token is none.
        let length = LaunchTicket.characterCount
        let starts = place.indices.dropLast(length - 1).filter { place[$0...].starts(with: "sw".utf8) }
        for start in starts {
            let part = text(place[start..<start + length])
            let token =
                LaunchTicket.parse(part)?.text ?? TabToken.parse(part)?.text ?? ReturnTicket.parse(part)?.text
            check(token == nil || found.contains(part), "a token that stands there is found")
        }
    }
}

/// Bytes as they are, and behind up to three layers of escapes.
private func layers(_ bytes: [UInt8]) -> [[UInt8]] {
    var layers = [bytes]
    for _ in 0..<3 {
        var output: [UInt8] = []
        var rest = (layers.last ?? [])[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(RequestGrammar.isAlphanumeric),
                let value = UInt8(text(digits), radix: 16)
            {
                output.append(value)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        layers.append(output)
    }
    return layers
}
