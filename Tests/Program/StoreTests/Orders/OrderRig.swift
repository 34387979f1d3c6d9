import Checkout
import Commerce
import EventIO
import Merchant
import MerchantOrders
import Postgres
import Primitives
import ServiceAPI
import SessionBroker
import Testing

extension Rig {
    /// A store of orders on the rig's client.
    var orders: PostgresOrderStore { PostgresOrderStore(client: client) }

    /// A paid order of 27,996 yen, with a permission of its own; the charge is `-C1` of it.
    func paid(_ permission: String) async throws -> Crossing {
        let (crossing, attempt) = try await purchasing()
        let end = Authorization(answer: Rig.answer, chargePermission: permission, charge: permission + "-C1")
        #expect(try await broker.settle(attempt, as: .authorized(end), by: caller()))
        return crossing
    }

    /// Number, type, and state in the data of each event of a webview session.
    func events(_ crossing: Crossing) throws -> [String] {
        let rows = try admin.rows(
            """
            SELECT sequence || ' ' || type || ' ' || (data ->> 'state') FROM event WHERE subject_id = $1
            ORDER BY sequence
            """,
            [crossing.webviewSession.description]
        )
        return rows.compactMap { $0[0] }
    }

    /// Gives webview sessions ids as if they had been made earlier, with their orders.
    func moveOrders(_ crossings: [Crossing], hours: Int) throws -> [Crossing] {
        try makeEarlierMonth()
        try sql(
            """
            SELECT partition_make('merchant_order', m, m + interval '1 month')
            FROM date_trunc('month', now() - interval '3 days') AS m
            """
        )
        try moveIDs(crossings, hours: hours)
        return try crossings.map { crossing in
            var moved = crossing
            moved.webviewSession = UUIDBytes(
                high: crossing.webviewSession.high - UInt64(hours * 3_600_000) << 16,
                low: crossing.webviewSession.low
            )
            for (table, key) in [
                ("merchant_order", "webview_session_id"), ("payment_object", "webview_session_id"),
                ("event", "subject_id"),
            ] {
                try sql(
                    "UPDATE \(table) SET \(key) = '\(moved.webviewSession)' WHERE \(key) = '\(crossing.webviewSession)'"
                )
            }
            return moved
        }
    }

    /// A request for an operation on an object of a webview session.
    func request(
        _ intent: OperationIntent,
        on target: String,
        of crossing: Crossing,
        mark: String? = nil,
        print: UInt8 = 1,
        key: UUIDBytes = Rig.merchant
    ) -> OperationRequest {
        let now = SystemClock().now()
        let id = UUIDBytes(version7At: now, random: random)
        let attempt = UUIDBytes(version7At: now, random: random)
        var request = OperationRequest(
            (id, attempt),
            of: crossing.webviewSession,
            intent,
            on: target,
            call: (Array("{}".utf8), "key-\(id)")
        )
        if let mark, let word = IdempotencyWord(mark), let print = Digest32(Array(repeating: print, count: 32).span) {
            request.claim = IdempotencyClaim(
                scope: Rig.account.claimScope,
                key: key,
                word: word,
                fingerprint: RequestFingerprint(print)
            )
        }
        return request
    }

    static let account = OrderAccount(merchantID: "A1", environment: "sandbox")
    static let merchant = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

    /// Begins an operation.
    func begin(_ request: OperationRequest) async throws -> PaymentOperation {
        let outcome = try await orders.begin(request)
        guard case .begun(let operation) = outcome else { throw Surprise("\(outcome)") }
        return operation
    }

    /// A charge as it would be read.
    func charge(
        _ id: String,
        _ state: ObjectState,
        at seconds: Int64 = 0,
        captured: Int64? = nil,
        amount: Int64 = 27_996
    ) -> ObservedObject {
        var object = ObservedObject(
            .charge,
            id,
            ObservedVersion(state, updated: WallTime(seconds: 1_800_000_000 + seconds))
        )
        object.parent = String(id.prefix { $0 != "C" }.dropLast())
        object.amount = yen(amount)
        object.captured = captured.map { yen($0) }
        return object
    }

    /// A refund as it would be read.
    func refund(_ id: String, _ state: ObjectState, _ amount: Int64, at seconds: Int64 = 0) -> ObservedObject {
        var object = ObservedObject(
            .refund,
            id,
            ObservedVersion(state, updated: WallTime(seconds: 1_800_000_000 + seconds))
        )
        object.parent = String(id.prefix { $0 != "R" }) + "C1"
        object.amount = yen(amount)
        return object
    }
}

extension OperationOutcome {
    /// The other operation that keeps one from its target.
    var holder: HoldingOperation? { if case .held(let holder) = self { holder } else { nil } }
}

/// A sum of yen.
func yen(_ units: Int64) -> Money {
    guard let money = Money(units: units, .jpy) else { preconditionFailure("a sum") }
    return money
}

/// An answer as it is stored.
func stored(_ status: Int, _ text: String) -> StoredAnswer {
    StoredAnswer(status: status, body: Array(text.utf8))
}
