import Cryptography
import Postgres
import Primitives

/// An order as `order_read` and the lists return it.
struct OrderRow {
    var id = Sample.id
    var reference = "A-1001"
    var state: String
    var postage: Int64? = 540
    var total: Int64? = 3_180
    var captured: Int64 = 0
    var refunded: Int64 = 0
    var expires: WallTime? = Sample.time + .seconds(3_600)
    var adjustments: String?
    var taxes: String?
    var postageRate: Int64?
    var metadata: String? = #"{"cart":"7"}"#
    var checkoutSession: String? = Sample.checkoutSession
    var permission: String?
    var needsAttention = false
    var captureMode: String? = "manual"
    var returnURL: String? = "https://shop.example.com/paid"
    var note: String?
    var hasDelivery: Bool? = true
    var restrictions: String?
    var declineReason: String?
    var declined: WallTime?
    var hasUniqueReference: Bool? = false
    var closeReason: String?
    var account: UUIDBytes?

    static let lines =
        #"[{"id":"sku-1","name":"Sencha","unitPrice":\#(Sample.yen(1_200)),"quantity":2,"sum":\#(Sample.yen(2_400))}]"#

    /// An order in a state; one that is paid has a permission.
    init(_ state: String) {
        self.state = state
        if ["paid", "payment_pending", "captured", "part_refunded", "refunded"].contains(state) {
            permission = Sample.permission
        }
    }

    var row: Parameters {
        Parameters { row in
            row.append(uuid: id)
            row.append(text: reference)
            row.append(text: state)
            row.append(text: "JPY")
            row.append(int64: 2_400)
            row.append(int64: 240)
            row.append(int64: postage)
            row.append(int64: total)
            row.append(int64: captured)
            row.append(int64: refunded)
            row.append(timestamp: Sample.time)
            row.append(timestamp: Sample.time)
            row.append(timestamp: expires)
            row.append(uuid: nil)
            row.append(text: "site")
            row.append(json: OrderRow.lines)
            row.append(json: metadata)
            row.append(text: note)
            row.append(text: checkoutSession)
            row.append(text: permission)
            row.append(text: "sandbox")
            row.append(json: adjustments)
            row.append(json: taxes)
            row.append(int64: postageRate)
            row.append(bool: needsAttention)
            row.append(text: captureMode)
            row.append(text: returnURL)
            row.append(bool: hasDelivery)
            row.append(json: restrictions)
            row.append(text: declineReason)
            row.append(timestamp: declined)
            row.append(bool: hasUniqueReference)
            row.append(text: closeReason)
            row.append(uuid: account)
        }
    }
}

/// An object of the ledger.
struct ObjectRow {
    let id: String
    let kind: String
    let state: String
    var amount: Int64 = 3_180
    var captured: Int64 = 0
    var refunded: Int64 = 0
    var hasOpenOperation = false
    var parent: String?
    var reason: String?
    var capturedAt: WallTime?
    var statedReason: String?
    var metadata: String?

    static func charge(_ state: String = "Authorized") -> ObjectRow {
        var row = ObjectRow(id: Sample.charge, kind: "charge", state: state)
        if state == "Captured" { row.captured = row.amount }
        row.parent = Sample.permission
        return row
    }

    static func refund(_ state: String = "RefundInitiated") -> ObjectRow {
        var row = ObjectRow(id: Sample.refund, kind: "refund", state: state)
        row.parent = Sample.charge
        return row
    }

    static func permission(_ state: String = "Chargeable") -> ObjectRow {
        ObjectRow(id: Sample.permission, kind: "permission", state: state)
    }

    var row: Parameters {
        Parameters { row in
            row.append(text: id)
            row.append(uuid: Sample.id)
            row.append(text: kind)
            row.append(text: state)
            row.append(text: "JPY")
            row.append(int64: amount)
            row.append(int64: captured)
            row.append(int64: refunded)
            row.append(int64: 0)
            row.append(bool: hasOpenOperation)
            row.append(text: parent)
            row.append(text: reason)
            row.append(timestamp: Sample.time)
            row.append(timestamp: Sample.time)
            row.append(timestamp: capturedAt)
            row.append(text: statedReason)
            row.append(json: metadata)
        }
    }
}

/// Rows with one column.
enum Cell {
    /// What a look returns that only asks whether there is something.
    static let one = Parameters { $0.append(int32: 1) }
    static let yes = Parameters { $0.append(bool: true) }
    static let no = Parameters { $0.append(bool: false) }

    static func text(_ text: String) -> Parameters { Parameters { $0.append(text: text) } }
    static func time(_ time: WallTime) -> Parameters { Parameters { $0.append(timestamp: time) } }
    static func uuid(_ id: UUIDBytes?) -> Parameters { Parameters { $0.append(uuid: id) } }
}

/// What became of a claim, as `api_claim_state` returns it.
enum ClaimRow {
    /// The claim of a request with the same content.
    static func answered(_ status: Int32, _ body: [UInt8], of session: UUIDBytes? = Sample.id) -> Parameters {
        row(true, status, body, session)
    }

    /// The same request is being carried out.
    static let running = row(true, nil, nil, nil)
    /// The word was used for another request.
    static let reused = row(false, nil, nil, nil)

    private static func row(_ isSame: Bool, _ status: Int32?, _ body: [UInt8]?, _ session: UUIDBytes?) -> Parameters {
        Parameters { row in
            row.append(bool: isSame)
            row.append(int32: status)
            row.append(bytes: body)
            row.append(uuid: session)
            row.append(bool: true)
        }
    }
}

/// What is stored of a token.
enum Halves {
    static func hash(_ token: String) -> Digest32 { SHA256.digest(of: Array(token.utf8)) }
}
