import AmazonPay
import Commerce
import Cryptography
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import SessionBroker
import StrictJSON
import Webhooks

/// What a merchant's program sends: orders, and the words of its requests (cursors, ids, keys, tokens, amounts).
///
/// The first byte selects the reader.
let orderTarget = FuzzTarget(
    name: "order",
    examine: { unit in
        guard let selection = Selection(unit, of: 2) else { return }
        if selection.number == 0 { examineOrder(selection.rest) } else { examineWords(selection.rest) }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 2) else { return }
        guard selection.number == 0 else { return readWords(text(selection.rest)) }
        guard let value = try? JSONParser.parse(selection.rest), let reader = try? JSONReader(value) else { return }
        _ = try? SessionRequest(reader, policy)
        _ = try? FinalizeRequest(reader)
        _ = OrderTerms(stored: selection.rest)
    }
)

private let policy = {
    let origins = Set(["https://shop.example"].compactMap { CallbackOrigin(setting: $0) })
    var policy = OrderPolicy(ledgerCurrency: .jpy, returnOrigins: origins, postageOrigins: origins)
    policy.appLinks = Set(["https://shop.example", "com.example.shop:"].compactMap { AppLinkOrigin(setting: $0) })
    return policy
}()

// MARK: - Orders

private func examineOrder(_ body: [UInt8]) {
    if let terms = OrderTerms(stored: body) {
        guard let stored = terms.stored else { return check(false, "terms that were stored can be stored again") }
        check(OrderTerms(stored: stored) == terms, "terms survive a round trip")
    }
    guard let value = try? JSONParser.parse(body), let reader = try? JSONReader(value) else { return }
    _ = try? FinalizeRequest(reader)
    guard let request = try? SessionRequest(reader, policy) else { return }
    guard let canonical = JSONGrammar.canonical(body) else { return check(false, "an order is strict JSON") }
    let again = (try? JSONParser.parse(canonical)).flatMap { try? JSONReader($0) }.flatMap {
        try? SessionRequest($0, policy)
    }
    check(again?.draft == request.draft, "the canonical form is the same order")
    let members = JSONGrammarMembers(canonical)
    check(members.texts(["client"]) == [Array(request.client.utf8)], "an order names one client")
    check(SessionRequest.clients.contains(request.client), "an order's client is known")
    examineSums(request.draft)
    if let address = request.draft.options.returnURL {
        let parts = AddressGrammar.url(Array(address.utf8))
        let isOurs = parts?.isSecure == true && parts?.host == Array("shop.example".utf8)
        check(isOurs && [[], Array(":443".utf8)].contains(parts?.port), "buyers go back to the merchant alone")
    }
    guard let terms = OrderTerms(request.draft) else { return }
    check(terms.stored.flatMap { OrderTerms(stored: $0) } == terms, "terms survive a round trip")
}

/// The sums once more, in numbers that cannot overflow.
private func examineSums(_ draft: OrderDraft) {
    check((1...200).contains(draft.lines.count), "an order has 1 to 200 lines")
    let ids = draft.lines.map { Array($0.id.utf8) }
    check(Set(ids).count == ids.count, "no line's id comes twice")
    let lines = draft.lines.reduce(Int128(0)) { $0 + Int128($1.unitPrice.units) * Int128($1.quantity) }
    check(lines == Int128(draft.subtotal.units) && lines > 0, "the subtotal is the sum of the lines")
    let adjusted = draft.options.adjustments.reduce(lines + Int128(draft.tax.units)) { $0 + Int128($1.units) }
    if let bases = draft.bases {
        check(Int128(bases.total) == adjusted && draft.tax.units == 0, "the rates add up to what is paid")
        // Discounts may take something off a postage that is known.
        var paid = bases
        if case .fixed(let postage) = draft.postage, let sum = postage.yen {
            paid = bases.adding(sum, at: draft.options.postageRate)
        }
        let sums = TaxRate.allCases.map { (paid[$0], paid.tax(at: $0), $0.percent) }
        check(sums.allSatisfy { $0 >= 0 && $1 >= 0 && $1 * (100 + $2) <= $0 * $2 }, "a tax is a part of its sum")
    }
    guard case .fixed(let postage) = draft.postage else { return }
    check(draft.total.map { Int128($0.units) } == adjusted + Int128(postage.units), "the total is the sum of all")
    check((draft.total?.units ?? 0) > 0, "something is to be paid")
}

// MARK: - Words

private func readWords(_ text: String) {
    _ = EventCursor(text)
    _ = OrderCursor(text)
    _ = UUIDBytes(text)
    _ = APIKey.parse(text)
    _ = IdempotencyWord(text)
    _ = LaunchTicket.parse(text)
    _ = AppProof.parse(text)
    _ = CodeChallenge.parse(text, method: "S256")
    _ = CodeVerifier.parse(text)
    _ = OrderNumber(typed: text)
    _ = SessionMark(text)
    _ = Money.parse(text, .jpy)
    _ = Money.parse(text, .usd)
    _ = ChargeID(text)
    _ = RefundID(text)
    _ = CheckoutSessionID(text)
    _ = BuyerToken(text)
    _ = Base64.decode(text)
    _ = PrintableText.isGood(text, length: 1...255)
    _ = WebhookEventType.parse(text, among: [])
}

/// What is taken is written again as it came: no word has two spellings.
private func examineWords(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return }
    let word = text(bytes)
    readWords(word)
    let written: [(String, String?)] = [
        ("a cursor of events", EventCursor(word)?.text), ("a cursor of orders", OrderCursor(word)?.text),
        ("a key", APIKey.parse(word)?.text), ("a launch ticket", LaunchTicket.parse(word)?.text),
        ("a tab token", TabToken.parse(word)?.text), ("a return ticket", ReturnTicket.parse(word)?.text),
        ("a mark", SessionMark(word)?.description), ("a charge", ChargeID(word)?.text),
        ("a session", CheckoutSessionID(word)?.text),
        ("Base64", Base64.decode(word).map(Base64.encode)), ("Base64URL", Base64URL.decode(word).map(Base64URL.encode)),
    ]
    for (name, found) in written {
        check(found.map { Array($0.utf8) == bytes } ?? true, "\(name) has one spelling: \(shown(bytes))")
    }
    if let id = UUIDBytes(word) {
        check(Array(id.description.utf8) == RequestGrammar.lower(bytes), "an id is what was written, in lower case")
    }
    if let key = IdempotencyWord(word) {
        let written = Array(key.text.utf8)
        check(written.allSatisfy { $0 > 0x20 && $0 < 0x7F } && (1...255).contains(written.count), "a key is a word")
        check(bytes.first == UInt8(ascii: "\"") || written == bytes, "a bare key is what was written")
    }
    if let number = OrderNumber(typed: word) {
        check(OrderNumber(typed: number.description) == number, "a number survives a round trip")
    }
    for currency in [Currency.jpy, .usd] {
        guard let money = Money.parse(word, currency) else { continue }
        check(Money.parse(money.text, currency) == money, "an amount survives a round trip")
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
        check(areDigits && parts.count <= (currency == .jpy ? 1 : 2), "an amount is digits and at most a point")
        check(bytes.first != 0x30 || parts[0].count == 1, "an amount has no leading zero")
    }
    if let kept = try? PrintableText.cleaned(word, length: 0...255) {
        let octets = Array(kept.utf8)
        check(
            !octets.contains { $0 < 0x20 || $0 == 0x7F } && octets.first != 0x20 && octets.last != 0x20,
            "a printable text is one line"
        )
        check(PrintableText.isGood(kept, length: 0...255), "nothing more goes of what was kept: \(shown(bytes))")
    }
}
