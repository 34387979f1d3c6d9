import CheckoutCodes
import Commerce
import MerchantOrders
import Primitives
package import ServiceAPI
import StrictJSON
import Web

// One order in the course of its life: two packs of tea, delivered for 540 yen.
extension AnswerExample {
    /// Of the route that opens a session.
    package static let openedSession = AnswerExample(
        "OpenedSession",
        "a session that was just opened",
        ExampleOrder.session(.created).adding("launch", ExampleOrder.launch)
    )
    /// Of the routes that read and complete a session.
    package static let session = AnswerExample(
        "Session",
        "a session that is paid",
        ExampleOrder.session(.captured, ExampleOrder.charge)
    )
    static let payingSession = AnswerExample("PayingSession", "the payment is under way", ExampleOrder.session(.paying))
    static let endedSession = AnswerExample(
        "EndedSession",
        "a session that has ended unpaid",
        ExampleOrder.session(.canceled)
    )
    static let sessions = AnswerExample(
        "Sessions",
        "a page of sessions",
        ExampleOrder.page(session.value, next: String(repeating: "A", count: 22))
    )

    static let charge = AnswerExample("Charge", "a charge that is captured", JSONValue(charge: ExampleOrder.charge))
    static let authorizedCharge = AnswerExample(
        "AuthorizedCharge",
        "a charge whose amount is held",
        JSONValue(charge: ExampleOrder.charge(.authorized))
    )
    static let pendingCharge = AnswerExample(
        "PendingCharge",
        "a charge about which the bank has not decided yet",
        JSONValue(charge: ExampleOrder.charge(.authorizationInitiated))
    )
    static let pendingCapture = AnswerExample(
        "PendingCapture",
        "a charge whose capture is under way",
        JSONValue(charge: ExampleOrder.charge(.captureInitiated))
    )
    static let canceledCharge = AnswerExample(
        "CanceledCharge",
        "a charge that was canceled",
        JSONValue(charge: ExampleOrder.charge(.canceled))
    )
    static let charges = AnswerExample(
        "Charges",
        "a page of charges",
        ExampleOrder.page(charge.value, next: ExampleOrder.charge.id)
    )

    static let refund = AnswerExample("Refund", "a refund that is under way", JSONValue(refund: ExampleOrder.refund))
    static let refunds = AnswerExample(
        "Refunds",
        "a page of refunds",
        ExampleOrder.page(refund.value, next: ExampleOrder.refund.id)
    )
    static let permission = AnswerExample(
        "ChargePermission",
        "a permission that has ended",
        JSONValue(
            permission: LedgerObject(
                ExampleOrder.permissionID,
                of: ExampleOrder.id,
                LedgerRow(.permission, .closed, ExampleOrder.total),
                created: ExampleOrder.opened,
                updated: ExampleOrder.paid
            )
        )
    )
    static let buyer = AnswerExample(
        "Buyer",
        "the buyer of a paid session, and the address of the delivery",
        JSONValue(
            buyer: Buyer(id: "amzn1.account.AEXAMPLE", name: "佐藤 花子", email: "hanako@example.com"),
            address: Address([
                .name: "佐藤 花子", .addressLine1: "下目黒1-8-1", .stateOrRegion: "東京都", .postalCode: "153-0064",
                .countryCode: "JP", .phoneNumber: "0312345678",
            ])
        )
    )
    static let events = AnswerExample(
        "Events",
        "a page of events",
        ExampleOrder.page(ExampleOrder.event, next: String(repeating: "A", count: 43))
    )
}

/// What the examples are made of.
private enum ExampleOrder {
    static let id = UUIDBytes(high: 0x019A_6C2E_8D4F_7B31, low: 0x9C05_2E7F_41D0_8A63)
    static let permissionID = "S03-1234567-1234567"
    static let opened = WallTime(seconds: 1_790_000_000)
    static let paid = opened + .seconds(240)
    static let total = Money(Yen(3_132))

    static func page(_ element: JSONValue, next: String) -> JSONValue {
        (try? JSONParser.parse(ListForm.content([element.bytes], next: next, hasMore: false))) ?? .null
    }

    static func session(_ state: OrderState, _ charge: LedgerObject? = nil) -> JSONValue {
        var sums = MerchantOrder.Sums(subtotal: Money(Yen(2_592)), tax: Money(Yen(241)))
        sums.postage = Money(Yen(540))
        sums.total = total
        if charge != nil { sums.captured = total }
        let isOpen = state == .created
        let times = MerchantOrder.Times(
            created: opened,
            updated: isOpen ? opened : paid,
            expires: isOpen ? opened + .seconds(600) : nil
        )
        var order = MerchantOrder(webviewSession: id, reference: "A-1001", state: state, sums: sums, times: times)
        order.client = "site"
        order.environment = "live"
        let yen = { (amount: Int) in "{\"amount\":\"\(amount)\",\"currencyCode\":\"JPY\"}" }
        order.lines = Array(
            """
            [{"id":"sku-1","name":"煎茶 100g","unitPrice":\(yen(1_296)),"quantity":2,"taxRate":8,"sum":\(yen(2_592))}]
            """.utf8
        )
        order.taxes = Array(
            """
            [{"rate":10,"taxable":\(yen(540)),"amount":\(yen(49))},{"rate":8,"taxable":\(yen(2_592)),"amount":\(yen(192))}]
            """.utf8
        )
        order.postageRate = 10
        order.captureMode = CaptureMode.automatic.rawValue
        order.returnURL = "https://shop.example.com/paid"
        if let charge {
            order.checkoutSession = "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e11"
            order.permission = permissionID
            order.charges = [charge]
        }
        return SessionBody(order).json
    }

    static let launch: JSONValue = {
        let ticket = "swa_" + String(repeating: "A", count: 64)
        let url = "https://pay.example.com/button?secureWebviewSessionId=" + ticket
        let proof = "swp_" + String(repeating: "A", count: 43)
        return LaunchBody(ticket: ticket, url: url, proof: proof, expires: opened + .seconds(600)).json
    }()

    static let charge = charge(.captured)

    static func charge(_ state: ObjectState) -> LedgerObject {
        var row = LedgerRow(.charge, state, total)
        if state == .captured { row.capturedUnits = total.units }
        var charge = LedgerObject(permissionID + "-C123456", of: id, row, created: paid, updated: paid)
        charge.parent = permissionID
        if state == .captured { charge.capturedAt = paid }
        return charge
    }

    static let refund: LedgerObject = {
        let row = LedgerRow(.refund, .refundInitiated, Money(Yen(1_296)))
        var refund = LedgerObject(permissionID + "-R123456", of: id, row, created: paid, updated: paid)
        refund.parent = charge.id
        refund.memo = PaymentMemo(reason: "one pack was damaged")
        return refund
    }()

    static let event: JSONValue = [
        "object": "event", "id": .string("evt_" + id.description), "type": "charge.captured",
        "createdAt": JSONValue(time: paid),
        "sessionId": .string(id.description), "sequence": 2,
        "data": session(.captured, charge).adding(
            "about",
            [
                "kind": "charge", "id": .string(charge.id), "state": .string(charge.row.state.word), "reasonCode": nil,
                "amount": JSONValue(money: total), "chargeId": .string(charge.id), "captured": JSONValue(money: total),
                "refunded": JSONValue(money: Money.nothing(.jpy)),
            ]
        ),
    ]
}

extension Failure {
    /// Refusals as the description of the interface shows them, where they have more than a code.
    static let examples = [
        Failure(field: "reference", "is missing"),
        Failure(.invalidAmount, field: "amount"), Failure(.amountExceeds, field: "amount"),
        Failure(.referenceHeld, session: ExampleOrder.id, context: HeldReference(session: ExampleOrder.id)),
        Failure(.paymentDeclined, context: MerchantOrder.Decline(reason: "BuyerCanceled", at: ExampleOrder.paid)),
        Failure(.chargeBlocked, context: OperationProblem(id: ExampleOrder.id, kind: "capture")),
        Failure(
            .providerRefused,
            context: RefusedOperation(
                id: ExampleOrder.id,
                provider: ProviderProblem(
                    status: 422,
                    reasonCode: "TransactionAmountExceeded",
                    requestID: "call-1"
                )
            )
        ),
        Failure(.providerFailed, context: RefusedOperation(id: ExampleOrder.id)),
    ]
}
