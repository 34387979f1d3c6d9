import AmazonPay
import CheckoutCodes
import Commerce
import MerchantOrders
import ServiceAPI
import StrictJSON
import Web

/// What a merchant asks to be done with money.
struct PaymentRequest {
    /// What is to be done.
    let intent: OperationIntent
    /// What it is to be done to.
    let target: LedgerObject
    /// On the card statement.
    var softDescriptor: String?
    /// Of a new charge: whether the money is taken at once.
    var capturesNow = false
    /// What the provider keeps, where something is ended.
    var reason = ""
    /// What the object that comes of it has afterwards, as far as the merchant has said something.
    var memo = PaymentMemo.none

    init(_ intent: OperationIntent, on target: LedgerObject) {
        self.intent = intent
        self.target = target
    }

    /// What every try sends, and under which key.
    ///
    /// - Parameter claim: Makes the key: a repeat has the same key, also where everything about the first request was lost.
    /// - Returns: Octets that are stored before the first try and sent as they were stored.
    /// - Throws: `not_found` for an id that is none of the provider's, `invalid_request`.
    func call(_ claim: IdempotencyClaim) throws(Failure) -> (body: [UInt8], key: String) {
        switch intent {
        case .capture(let amount):
            let key = providerKey("capture", claim)
            let call = PayingCall.capture(try charge, amount, softDescriptor: softDescriptor, key: key)
            return (call.body, key.text)
        case .refund(let amount):
            let key = providerKey("refund", claim)
            let call = PayingCall.refund(try charge, amount, softDescriptor: softDescriptor, key: key)
            return (call.body, key.text)
        case .createCharge(let amount):
            let key = providerKey("createCharge", claim)
            return (PayingCall.create(try creation(amount), key: key).body, key.text)
        case .cancelCharge: return (Ending(reason: reason, cancelsPending: false).bytes, "")
        case .closePermission(let cancels): return (Ending(reason: reason, cancelsPending: cancels).bytes, "")
        }
    }

    private func providerKey(_ step: StaticString, _ claim: IdempotencyClaim) -> IdempotencyKey {
        IdempotencyKey.derive(
            scope: claim.scope,
            webviewSession: target.webviewSession,
            step: step,
            target: target.id,
            word: claim.text
        )
    }

    private var charge: ChargeID {
        get throws(Failure) {
            guard let id = ChargeID(target.id) else { throw Failure(.notFound) }
            return id
        }
    }

    private func creation(_ amount: Money) throws(Failure) -> ChargeCreation {
        guard let permission = ChargePermissionID(target.id) else { throw Failure(.notFound) }
        var creation = ChargeCreation(permission, amount)
        creation.capturesNow = capturesNow
        creation.softDescriptor = softDescriptor
        creation.canHandlePendingAuthorization = !capturesNow
        if let problem = creation.problems.first {
            throw Failure(.invalidRequest, message: problem.prefix(1).uppercased() + problem.dropFirst() + ".")
        }
        return creation
    }
}

/// What is stored of a call that ends something; such calls carry no key and may be repeated at will.
struct Ending {
    let reason: String
    let cancelsPending: Bool

    init(reason: String, cancelsPending: Bool) {
        self.reason = reason
        self.cancelsPending = cancelsPending
    }

    /// Reads what was stored; `nil` where it is something else.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONParser.parse(bytes, depth: 2), let reason = value["reason"]?.text else { return nil }
        self.reason = reason
        cancelsPending = value["cancelsPending"]?.flag ?? false
    }

    var bytes: [UInt8] {
        let value: JSONValue = ["reason": .string(reason), "cancelsPending": .bool(cancelsPending)]
        return value.bytes
    }
}
