import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import Testing

/// A request that moves or releases money, and what it comes to.
struct Payment: Sendable, CustomTestStringConvertible {
    /// The operation, as it is stored.
    let kind: String
    let request: MerchantRequest
    /// The object that it is done to.
    let target: String
    /// What it moves; `nil` for what ends something.
    var amount: Int64?
    /// What goes to the provider: method, end of the address.
    let call: (method: String, path: String)
    /// What the provider answers where it is done at once, and the state of the object then.
    let done: (body: String, state: String)
    /// The end that is stored then, and the status of the answer.
    let end: (word: String, status: Int)

    var testDescription: String { kind }
    /// Whether an idempotency key goes along.
    var isPaying: Bool { amount != nil }
    /// Whether it is done to a charge; otherwise to the permission of a session.
    var isOfCharge: Bool { target == Sample.charge }
    /// The kind and id of the object that comes of it.
    var object: (kind: String, id: String) {
        switch kind {
        case "refund": ("refund", Sample.refund)
        case "close_permission": ("permission", Sample.permission)
        default: ("charge", Sample.charge)
        }
    }

    static let capture = Payment(
        kind: "capture",
        request: MerchantRequest(
            .post,
            "/v1/charges/\(Sample.charge)/capture",
            "",
            "",
            #"{"amount":\#(Sample.yen(3_180)),"softDescriptor":"SENCHA"}"#
        ),
        target: Sample.charge,
        amount: 3_180,
        call: ("POST", "charges/\(Sample.charge)/capture"),
        done: (ProviderBodies.charge("Captured"), "Captured"),
        end: ("done", 200)
    )
    static let refund = Payment(
        kind: "refund",
        request: MerchantRequest(
            .post,
            "/v1/charges/\(Sample.charge)/refunds",
            "",
            "",
            #"{"amount":\#(Sample.yen(180)),"softDescriptor":"SENCHA"}"#
        ),
        target: Sample.charge,
        amount: 180,
        call: ("POST", "refunds"),
        done: (ProviderBodies.refund("RefundInitiated", amount: 180), "RefundInitiated"),
        end: ("pending", 201)
    )
    static let createCharge = Payment(
        kind: "create_charge",
        request: MerchantRequest(.post, "/v1/sessions/\(Sample.session)/charges", "", "", Sample.amount(500)),
        target: Sample.permission,
        amount: 500,
        call: ("POST", "charges"),
        done: (ProviderBodies.charge("Authorized", amount: 500), "Authorized"),
        end: ("done", 201)
    )
    static let cancelCharge = Payment(
        kind: "cancel_charge",
        request: MerchantRequest(
            .post,
            "/v1/charges/\(Sample.charge)/cancel",
            "",
            "",
            #"{"reason":"Out of stock"}"#
        ),
        target: Sample.charge,
        call: ("DELETE", "charges/\(Sample.charge)/cancel"),
        done: (ProviderBodies.charge("Canceled"), "Canceled"),
        end: ("done", 200)
    )
    static let close = Payment(
        kind: "close_permission",
        request: MerchantRequest(
            .post,
            "/v1/sessions/\(Sample.session)/close",
            "",
            "",
            #"{"reason":"Out of stock"}"#
        ),
        target: Sample.permission,
        call: ("DELETE", "chargePermissions/\(Sample.permission)/close"),
        done: (ProviderBodies.permission("Closed"), "Closed"),
        end: ("done", 200)
    )

    static let all = [capture, refund, createCharge, cancelCharge, close]
    static let paying = all.filter(\.isPaying)
    static let ending = all.filter { !$0.isPaying }

    /// Scripts the looks at what it is done to, and that it is of this account.
    func reach(_ shop: ScriptedProgram) {
        if isOfCharge {
            shop.database.answer("ledger_object", ObjectRow.charge().row)
        } else {
            shop.database.answer("order_read", OrderRow("paid").row)
            shop.database.answer("ledger_objects")
            shop.database.answer("ledger_object", ObjectRow.permission().row)
        }
        shop.database.answer("order_own", Cell.one)
    }

    /// Asks, where the operation begins.
    func begin(_ shop: ScriptedProgram) async throws -> Answer {
        reach(shop)
        shop.database.answer("operation_begin", BeginRow.begun)
        return try await shop.send(request)
    }
}

/// What `operation_begin` decided.
enum BeginRow {
    static let begun = row("begun")

    /// An outcome; the limit and the state are those of a refusal, the answer that of a repeat.
    static func row(
        _ outcome: String,
        limit: Int64? = nil,
        state: String = "",
        status: Int32? = nil,
        answer: String? = nil,
        left: UUIDBytes? = nil
    ) -> Parameters {
        Parameters { row in
            row.append(text: outcome)
            row.append(int64: limit)
            row.append(text: state)
            row.append(int32: status)
            row.append(bytes: answer.map { Array($0.utf8) })
            row.append(uuid: left)
        }
    }
}

/// What is sent to `operation_settle`.
struct Settled {
    let operation: UUIDBytes
    let attempt: UUIDBytes
    let end: String
    let reason: String?
    let status: Int?
    let body: String?
    /// Kind, id and state of the object that was read; `nil` where none was.
    let object: (kind: String, id: String, state: String)?
    /// The provider's id of its call.
    let call: String?

    init(_ parameters: ResultSet) throws {
        let row = LazyRow(parameters, 0)
        operation = try row.read(0)
        attempt = try row.read(1)
        end = try row.read(2)
        reason = try row.read(3)
        status = try row.read(4)
        body = try row.read(5, [UInt8]?.self).map { String(decoding: $0, as: UTF8.self) }
        object = try row.isPresent(6) ? (try row.read(6), try row.read(7), try row.read(9)) : nil
        call = try row.read(17)
    }
}
