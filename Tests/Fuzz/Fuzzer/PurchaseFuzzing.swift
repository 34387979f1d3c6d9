import CFuzzer
import Cryptography
import HTTPCore
import JOSE
import Primitives
import StrictJSON

@testable import AppStoreTransactions

/// What apps, the App Store and its server API send: receipts, payloads, signed texts, answers, pauses.
///
/// The first byte selects the reader.
let purchaseTarget = FuzzTarget(
    name: "purchase",
    examine: { unit in
        guard let selection = Selection(unit, of: 6) else { return }
        switch selection.number {
        case 0: examineReceipt(selection.rest)
        case 1: examineOldReceipt(selection.rest)
        case 2: examinePayload(selection.rest)
        case 3: examineSignedText(selection.rest)
        case 4: examineAnswer(selection.rest)
        default: examinePause(text(selection.rest))
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 6) else { return }
        let rest = selection.rest
        switch selection.number {
        case 0: _ = reading(of: rest)
        case 1: _ = oldReading(of: rest)
        case 2: _ = transaction(with: rest)
        case 3: _ = payloads(of: rest)
        case 4:
            _ = try? TransactionPage(rest)
            _ = try? NotificationPage(rest)
            _ = ServerAPIFailure(status: 404, body: rest)
        default: _ = ServerAPIRetry.time(ofRetryAfter: text(rest), at: now)
        }
    }
)

private let now = WallTime(seconds: 1_795_900_000)

// MARK: - Receipts

/// What a reader makes of a receipt.
private enum ReceiptReading: Equatable {
    case refused, noPurchase
    case id(String)

    init(_ read: () throws(ReceiptError) -> String?) {
        do throws(ReceiptError) {
            self = if let id = try read() { .id(id) } else { .noPurchase }
        } catch {
            self = .refused
        }
    }

    static func == (one: ReceiptReading, other: ReceiptReading) -> Bool {
        switch (one, other) {
        case (.refused, .refused), (.noPurchase, .noPurchase): true
        case (.id(let one), .id(let other)): one.octets == other.octets
        default: false
        }
    }
}

private func reading(of receipt: [UInt8]) -> ReceiptReading {
    ReceiptReading { () throws(ReceiptError) in
        try LegacyReceipt.transactionID(inAppReceipt: Base64.encode(receipt))
    }
}

private func oldReading(of list: [UInt8]) -> ReceiptReading {
    ReceiptReading { () throws(ReceiptError) in
        try LegacyReceipt.transactionID(inTransactionReceipt: Base64.encode(list))
    }
}

private func examineReceipt(_ receipt: [UInt8]) {
    let found = reading(of: receipt)
    guard found != .refused else { return }
    check(reading(of: receipt + [0]) == .refused, "nothing stands behind a receipt")
    check(reading(of: Array(receipt.dropLast())) == .refused, "a receipt that is cut is refused")
    guard case .id(let id) = found else { return }
    check(!id.isEmpty && id.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "an id is a word: \(shown(id.utf8))")
    check(id.utf8.count <= 128, "an id has a limit")
    // A string may come in pieces.
    guard !receipt.contains(0x24) else { return }
    check(receipt.firstRange(of: Array(id.utf8)) != nil, "an id stands in its receipt")
}

private func examineOldReceipt(_ list: [UInt8]) {
    guard case .id(let id) = oldReading(of: list) else { return }
    let pieces = list.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    let inside = pieces.compactMap { Base64.decode(text($0)) }
    let line = Array("\"\(id)\";".utf8)
    check(inside.contains { $0.firstRange(of: line) != nil }, "an id is a value of the list inside")
    check(id.utf8.allSatisfy { RequestGrammar.isAlphanumeric($0) || "+/=".utf8.contains($0) }, "an id is plain")
}

// MARK: - Signed texts

private func verifier(_ environment: AppStoreEnvironment) -> SignedTextVerifier? {
    let roots = PurchaseSamples.root.map { [$0] } ?? []
    return try? SignedTextVerifier(
        environment: environment,
        bundleID: PurchaseSamples.bundleID,
        appAppleID: nil,
        paths: CertificatePathVerifier(roots: roots, purpose: .appStore)
    )
}

private let unsigned = verifier(.xcode)
private let signed = verifier(.sandbox)

private func unsignedText(_ payload: [UInt8]) -> [UInt8] {
    Array("eyJhbGciOiJFUzI1NiJ9.\(Base64URL.encode(payload)).".utf8)
}

private func transaction(with payload: [UInt8]) -> Transaction? {
    try? unsigned?.transaction(unsignedText(payload), at: now)
}

/// What is accepted of a text, by any of the four readers.
private func payloads(of text: [UInt8], by verifier: SignedTextVerifier? = signed) -> [JSONValue] {
    guard let verifier else { return [] }
    return [
        try? verifier.transaction(text, at: now).payload, try? verifier.renewal(text, at: now).payload,
        try? verifier.appTransaction(text, at: now).payload, try? verifier.notification(text, at: now).payload,
    ].compactMap(\.self)
}

private func examinePayload(_ unit: [UInt8]) {
    let text = unsignedText(unit)
    check(payloads(of: text).isEmpty, "a text without signature is worth nothing")
    for payload in payloads(of: text, by: unsigned) {
        check(JSONGrammar.canonical(unit) == payload.bytes, "a payload is what was signed")
    }
    guard let transaction = transaction(with: unit) else { return }
    check(SignedTextVerifier.claimedEnvironment(text) == .xcode, "a text is of the environment that it claims")
    check((try? unsigned?.renewal(text, at: now)) == nil, "a transaction is no renewal")
    let payload = transaction.payload
    check(payload["bundleId"] == .string(PurchaseSamples.bundleID), "a transaction is of the app")
    check(payload["environment"] == "Xcode", "a transaction is of the environment")
    check(payload["transactionId"] == .string(transaction.id), "an id is what is written")
    check(payload["productId"] == .string(transaction.productID), "a product is what is written")
    check(payload["type"] == .string(transaction.type.word), "a type is what is written")
    check((1...1_000).contains(transaction.quantity), "a quantity has bounds")
    check((0...100_000).contains(transaction.revocationPercentage ?? 0), "a percentage has bounds")
    check(transaction.unitsTakenBack(ofGranted: 10) <= 10, "no more is taken back than was granted")
    check((transaction.revoked == nil) == (payload["revocationDate"] == nil), "a revocation is seen")
    if case .number(let digits)? = payload["signedDate"] {
        let milliseconds = Double(digits) ?? -1
        let found = Double(transaction.signed.microseconds) / 1_000
        check(abs(found - milliseconds) < 1, "both readers find the same time: \(digits)")
    }
    if let token = transaction.appAccountToken {
        let written = payload["appAccountToken"]?.text.map { Array($0.utf8) } ?? []
        let lower = RequestGrammar.lower(written)
        check(lower.elementsEqual(token.description.utf8), "a token is what is written")
    }
}

private func examineSignedText(_ unit: [UInt8]) {
    guard let payload = payloads(of: unit).first else { return }
    let whole = unit.filter { !($0 == 32 || (9...13).contains($0)) }
    let parts = whole.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let key = PurchaseSamples.key, let signature = Base64URL.decode(text(parts[2])) else {
        return check(false, "a signed text has three parts")
    }
    let message = Array(whole[..<parts[1].endIndex])
    check(key.verify(signature, of: message), "a text that is accepted is signed by the one key that signs")
    let written = Base64URL.decode(text(parts[1])) ?? []
    check(JSONGrammar.canonical(written) == payload.bytes, "a payload is what was signed")
}

// MARK: - Answers

private func examineAnswer(_ body: [UInt8]) {
    if let page = try? TransactionPage(body) {
        guard let value = try? JSONParser.parse(body) else { return check(false, "a page is strict JSON") }
        let written = value["signedTransactions"]?.elements.compactMap(\.text) ?? []
        check(written.map(\.octets) == page.signedTransactions.map(\.octets), "a page has the texts that are written")
        check(page.hasMore == (value["hasMore"] == true), "a page says whether there are more")
    }
    if let page = try? NotificationPage(body) {
        check(page.notifications.allSatisfy { !$0.signedPayload.isEmpty }, "each notification has its text")
    }
    if let code = ServerAPIFailure(status: 404, body: body).code {
        check(code / 10_000 == 404, "the first digits of a code are its status")
        check(body.firstRange(of: Array(String(code).utf8)) != nil, "a code is what is written")
    }
}

private func examinePause(_ written: String) {
    let found = ServerAPIRetry.time(ofRetryAfter: written, at: now)
    let isNumber = !written.isEmpty && written.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isNumber else {
        guard let found else { return }
        let read = unsafe readTime(written, "%a, %d %b %Y %H:%M:%S GMT")
        return check(read == found.seconds, "both readers find the same date: \(written)")
    }
    guard written.utf8.count <= 15, let number = Double(written) else {
        return check(found == nil, "a number without end is no pause")
    }
    let expected = number < 1e11 ? Double(now.seconds) + number : number / 1_000
    let difference = found.map { abs(Double($0.microseconds) / 1e6 - expected) }
    check(difference.map { $0 < 0.01 } ?? false, "both readers find the same pause: \(written)")
}

/// Certificates of a test authority, and the app that the texts in the corpus are of.
private enum PurchaseSamples {
    static let bundleID = "jp.example.sallyport.tickets"
    static let root = try? X509Certificate(decoded(rootText))
    static let key: ECDSAPublicKey? = {
        guard let leaf = try? X509Certificate(decoded(leafText)),
            case .ecdsa(let key)? = try? PublicKey(certificate: leaf)
        else { return nil }
        return key
    }()

    private static func decoded(_ text: String) -> [UInt8] {
        Base64.decode(String(decoding: text.utf8.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) ?? []
    }
}

private let rootText = """
    MIICBDCCAYugAwIBAgIUM6QK4Ja+Hid9C9yQ8qPvZKJZMrowCgYIKoZIzj0EAwMwQTEeMBwGA1UEAwwVU2FsbHlwb3J0IFZlY3RvciBS
    b290MRIwEAYDVQQLDAl0ZXN0IG9ubHkxCzAJBgNVBAYTAkpQMCAXDTE4MDEwMTAwMDAwMFoYDzIwNjAwMTAxMDAwMDAwWjBBMR4wHAYD
    VQQDDBVTYWxseXBvcnQgVmVjdG9yIFJvb3QxEjAQBgNVBAsMCXRlc3Qgb25seTELMAkGA1UEBhMCSlAwdjAQBgcqhkjOPQIBBgUrgQQA
    IgNiAASO3Z2um26uzgZrrNmlWIJIxozWRIrXES8psBsRRdSlGF7/0NJJQ6x0LpS3CJ6hbveJx2dOI+EwgCgkfAZRVfRxMT1ix0HlWDNz
    eRqdpb9oIsb9DBouNjBtCfYYymvMf2GjQjBAMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFBcbl+IPz0gtklkSGO4JcVu+lJgOMA4G
    A1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAwNnADBkAjAcWod9OtH2VGbTvwCgJRaUTvtOoUNW+CONvyYtsBisnI5kQ80Zxls+foKx2r4d
    1gMCMF1i1drCmJtuNzt8Ttm9gtI+vuceiKmHFvQrZ0MjiB9EkmGTX23jMtm24gFG+U9zWg==
    """

private let leafText = """
    MIICHzCCAaagAwIBAgIUVHtwdRWM4TP1h+Qw5ceoIdVGPYYwCgYIKoZIzj0EAwMwSTEmMCQGA1UEAwwdU2FsbHlwb3J0IFZlY3RvciBJ
    bnRlcm1lZGlhdGUxEjAQBgNVBAsMCXRlc3Qgb25seTELMAkGA1UEBhMCSlAwIBcNMjIwMTAxMDAwMDAwWhgPMjA1MDAxMDEwMDAwMDBa
    MEExHjAcBgNVBAMMFVNhbGx5cG9ydCBWZWN0b3IgTGVhZjESMBAGA1UECwwJdGVzdCBvbmx5MQswCQYDVQQGEwJKUDBZMBMGByqGSM49
    AgEGCCqGSM49AwEHA0IABL3d/+0Ke/gq1cOy9PjjaZ9QGizt29vpu0W4QFXYm3Iei2rh0uBT2f04hJzmP0Nk0Xz+Sa+3Ip9R2dJDw6iv
    4byjcjBwMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFMXWQnwLzoc9sBeYz49MmKxzK3uyMB8GA1UdIwQYMBaAFAMn4xgxSITqHlyIoHiu
    UNFPfZx+MA4GA1UdDwEB/wQEAwIHgDAQBgoqhkiG92NkBgsBBAIFADAKBggqhkjOPQQDAwNnADBkAjBfTxyVsdO9vzxw6GCH95PMz7kT
    zGQb/xYIJSbfrtj5WNuqtw83eHFiogMSADja2dcCMDTZY2aAWzmnq0sYcjLLf2E2CpUePQxzEzYUDocOczE+olWcQsJRU8q/L2PIDDu8
    JQ==
    """
