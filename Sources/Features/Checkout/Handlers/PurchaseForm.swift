import AmazonPay
import CheckoutCodes
import Commerce
import HTTPCore
import Primitives
import SessionBroker
import Web

/// Reads what `/purchase` and `/return` are given: the return ticket, and everything that proves the other half.
enum PurchaseForm {
    private static let neverEmpty = ["accessToken", "old_secureWebviewSessionId"]

    /// Stands in the link where the old checkout had the buyer's token; there is no such token any more.
    static let sealedWord = "sealed"

    private static let names = [
        "secureWebviewSessionId", "orderReferenceId", "accessToken", "old_secureWebviewSessionId", "code_verifier",
        "totalPrice",
    ]

    /// Reads and checks body and cookies; no statement runs before all of them have the right form.
    ///
    /// - Throws: `invalid_request`, `order_mismatch` or `unknown_session`.
    static func read(_ exchange: Exchange) throws(Failure) -> PurchaseRequest {
        let form = try exchange.request.form(names)
        let ticket = try exchange.returnTicket(form)
        let reference = try form.required("orderReferenceId")
        guard CheckoutSessionID(reference) != nil else {
            throw mismatch("orderReferenceId has another form", ticket)
        }
        if let word = form["accessToken"], word.octets != sealedWord.octets {
            throw mismatch("accessToken is not ours", ticket)
        }
        // An app whose memory is empty has nothing to compare with, and must not read it as agreement.
        for name in PurchaseForm.neverEmpty where form.isEmpty(name) {
            throw Failure(.invalidRequest, "\(name) is empty", session: ticket.webviewSession)
        }
        var request = PurchaseRequest(ticket: ticket, orderReference: reference)
        request.proof = try exchange.appProof()
        request.tab = try exchange.tabToken()
        request.launch = try parse(form, "old_secureWebviewSessionId", LaunchTicket.parse)
        request.verifier = try parse(form, "code_verifier", CodeVerifier.parse)
        request.total = try form.amount("totalPrice")
        return request
    }

    /// A mismatch that nobody has looked up: anybody can bring it about, with the id of any session.
    private static func mismatch(_ detail: String, _ ticket: ReturnTicket) -> Failure {
        var failure = Failure(.orderMismatch, detail, session: ticket.webviewSession)
        failure.isUnexamined = true
        return failure
    }

    private static func parse<Value>(
        _ form: FormFields,
        _ name: String,
        _ read: (String) -> Value?
    ) throws(Failure) -> Value? {
        guard let text = form[name] else { return nil }
        guard let value = read(text) else { throw Failure(.invalidRequest, "\(name) has another form") }
        return value
    }
}

extension FormFields {
    /// An amount in yen as pages print it, with or without thousands commas; `nil` where it is absent.
    func amount(_ name: String) throws(Failure) -> Yen? {
        guard let text = self[name] else { return nil }
        guard let amount = Yen.parse(String(decoding: text.utf8.filter { $0 != UInt8(ascii: ",") }, as: UTF8.self))
        else {
            throw Failure(.invalidRequest, "\(name) is no amount")
        }
        return amount
    }
}
