import CFuzzer
import Commerce
import HTTPCore
import MerchantAPI
import Primitives

@testable import AmazonPay
@testable import HTTPClient

/// Answers of other servers: heads, pauses and dates, the provider's objects, and what a merchant's server says about postage.
///
/// The first byte selects the reader.
let answerTarget = FuzzTarget(
    name: "answer",
    examine: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0: examineHead(selection.rest)
        case 1: examineTimes(selection.rest)
        case 2: examineObjects(selection.rest)
        default: examinePostage(selection.rest)
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0:
            var head = ResponseHead()
            for line in lines(selection.rest) where !head.take(line, limit: 1 << 20) { return }
        case 1: _ = readTimes(text(selection.rest))
        case 2: readObjects(selection.rest)
        default: _ = try? question?.reading(selection.rest)
        }
    }
)

// MARK: - Heads

/// The lines of a head as the library hands them over, each with its end.
private func lines(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let line = rest.prefix { $0 != 10 }
        rest = rest.dropFirst(line.count)
        lines.append(text(line) + (rest.popFirst() == nil ? "" : "\n"))
    }
    return lines
}

private func examineHead(_ bytes: [UInt8]) {
    var head = ResponseHead()
    var status: Int?
    var fields: [RequestGrammar.Field] = []
    for line in lines(bytes) {
        let isComplete = head.isComplete
        guard head.take(line, limit: 1 << 20) else { return }
        let content = Array(line.utf8.last == 10 ? trimmed(line.utf8) : Array(line.utf8))
        if content.starts(with: "HTTP/".utf8) {
            let parts = content.split(separator: 32)
            check(!isComplete && parts.count >= 2 && parts[1].count == 3, "a status line has a status")
            check(parts[1].allSatisfy { (0x30...0x39).contains($0) }, "a status has three digits")
            status = Int(text(parts[1]))
            fields = []
        } else if !isComplete, !content.isEmpty {
            let name = content.prefix { $0 != UInt8(ascii: ":") }
            check(
                status != nil && !name.isEmpty && name.count < content.count,
                "a line of a head has a name and a colon"
            )
            fields.append(
                RequestGrammar.Field(name: Array(name), value: trimmed(content.dropFirst(name.count + 1)))
            )
        }
    }
    check(head.status == status ?? 0, "both readers find the same status")
    let found = head.fields.map { RequestGrammar.Field(name: Array($0.0.utf8), value: Array($0.1.utf8)) }
    check(found == fields, "both readers find the same fields")
    check(!head.isComplete || (200...999).contains(head.status), "a head that is complete is no interim one")
}

/// Without blanks and line ends at either end.
private func trimmed(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
    let blanks: [UInt8] = [9, 10, 13, 32]
    return Array(bytes.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
}

// MARK: - Times

private func readTimes(_ text: String) -> Duration? {
    _ = CalendarDate.time(of: text)
    _ = HTTPDate.time(of: text)
    let response = InboundResponse(status: 503, fields: [("Retry-After", text)])
    return RetryAfter.pause(in: response, at: WallTime(seconds: 1_700_000_000))
}

private func examineTimes(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return }
    let written = text(bytes)
    if let pause = readTimes(written) {
        check(pause >= .zero && pause <= .seconds(86_400), "a pause is a day at most")
        let isNumber = !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) }
        check(isNumber || HTTPDate.time(of: written) != nil, "a pause is a number or a date")
    }
    if let time = HTTPDate.time(of: written) {
        check(seconds(written, "%a, %d %b %Y %H:%M:%S GMT") == time.seconds, "both readers find the same date")
        var again: [UInt8] = []
        HTTPDate.append(time, to: &again)
        check(again == bytes, "a date survives a round trip")
    }
    if let time = CalendarDate.time(of: written) {
        let form = bytes.count == 16 ? "%Y%m%dT%H%M%SZ" : "%Y-%m-%dT%H:%M:%SZ"
        check(seconds(written, form) == time.seconds, "both readers find the same time")
        let date = CalendarDate(time)
        check(
            bytes.count == 16 ? date.compactText == written : date.extendedText == written,
            "a time survives a round trip"
        )
    }
}

/// What the C library makes of a time; `nil` where it does not read all of it.
private func seconds(_ text: String, _ form: String) -> Int64? {
    let seconds = unsafe readTime(text, form)
    return seconds < 0 ? nil : seconds
}

// MARK: - Objects

private func readObjects(_ body: [UInt8]) {
    _ = try? CheckoutSession(json: body)
    _ = try? Charge(json: body)
    _ = try? ChargePermission(json: body)
    _ = try? Refund(json: body)
    _ = try? BuyerProfile(json: body)
    _ = APIAnswer(InboundResponse(status: 400, fields: [("Date", "x")], body: body)).reason
}

private func examineObjects(_ body: [UInt8]) {
    let uuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
    let digits = "A00-0000000-0000000"
    if let session = try? CheckoutSession(json: body) {
        check(fits(session.id.text, uuid), "a session's id has its form")
        examine([session.chargeAmount])
    }
    if let charge = try? Charge(json: body) {
        check(fits(charge.id.text, digits + "-C000000"), "a charge's id has its form")
        examine([charge.amount, charge.captured, charge.refunded])
    }
    if let refund = try? Refund(json: body) {
        check(fits(refund.id.text, digits + "-R000000"), "a refund's id has its form")
        examine([refund.amount])
    }
    if let permission = try? ChargePermission(json: body) {
        check(fits(permission.id.text, digits), "a permission's id has its form")
        examine([permission.limit, permission.balance])
    }
    _ = try? BuyerProfile(json: body)
    _ = APIAnswer(InboundResponse(status: 400, fields: [("Date", "x")], body: body)).reason
}

/// Whether a text has the form of a pattern: `A` a capital letter, `0` a digit, `x` a digit of base 16, anything else itself.
private func fits(_ text: String, _ pattern: String) -> Bool {
    text.utf8.count == pattern.utf8.count
        && zip(text.utf8, pattern.utf8).allSatisfy { byte, kind in
            switch kind {
            case UInt8(ascii: "A"): (0x41...0x5A).contains(byte)
            case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
            case UInt8(ascii: "x"): (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
            default: byte == kind
            }
        }
}

/// Amounts that count as money are written in digits, and no digit of them is lost.
private func examine(_ prices: [Price?]) {
    for case .some(let price) in prices { if let money = price.money { examine(price, money) } }
}

private func examine(_ price: Price, _ money: Money) {
    check(price.currencyCode == money.currency.rawValue, "money is in the currency that is written")
    let parts = price.amountText.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let areDigits = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
    check(areDigits && (1...2).contains(parts.count), "money is digits and at most a point")
    guard areDigits, parts.count <= 2 else { return }
    let places = money.currency.fractionDigits
    let fraction = parts.count == 2 ? Array(parts[1]) : []
    check(fraction.dropFirst(places).allSatisfy { $0 == 0x30 }, "no part of a coin is lost")
    let kept = fraction.prefix(places) + Array(repeating: 0x30, count: max(0, places - fraction.count))
    check(Int64(text(Array(parts[0]) + kept)) == money.units, "money is what is written")
}

// MARK: - Postage

private let question: PostageQuestion? = {
    guard let price = Yen(exactly: 1_000) else { return nil }
    let article = Article(id: "a", name: "A", price: price)
    guard let line = try? OrderLine(article: article, quantity: 1), let order = try? Order(lines: [line]) else {
        return nil
    }
    return PostageQuestion(UUIDBytes(high: 1, low: 2), order, to: PostageQuestion.Destination(Address()))
}()

private func examinePostage(_ answer: [UInt8]) {
    guard let reading = try? question?.reading(answer) else { return }
    guard let canonical = JSONGrammar.canonical(answer, depth: 3) else { return check(false, "postage is strict JSON") }
    switch reading {
    case .postage(let postage):
        let amount = "\"amount\":\"\(postage.amount)\""
        let currency = "\"currencyCode\":\"JPY\""
        let forms = ["{\"amount\":{\(amount),\(currency)}}", "{\"amount\":{\(currency),\(amount)}}"]
        check(forms.contains { Array($0.utf8) == canonical }, "postage is in the one form: \(shown(answer))")
        check(postage.amount >= 0, "postage is not negative")
    case .undeliverable(.said(let sentence)):
        check(
            canonical.starts(with: Array("{\"undeliverable\":{".utf8)),
            "a refusal is in the one form: \(shown(answer))"
        )
        let texts = [sentence.japanese, sentence.english].compactMap(\.self)
        check(!texts.isEmpty, "a refusal has a sentence")
        check(texts.allSatisfy { (1...1_020).contains($0.utf8.count) }, "a sentence has up to 255 characters")
    case .undeliverable(.restricted): check(false, "an answer is not the restrictions")
    }
}
