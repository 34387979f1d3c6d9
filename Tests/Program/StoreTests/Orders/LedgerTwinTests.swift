import Commerce
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import TestKit
import Testing

@Suite("The ledger's rules in the database")
struct LedgerTwinTests {
    private struct Case {
        let intent: OperationIntent
        let row: LedgerRow
        let held: Int64
        let count: LedgerRules.ChargeCount
    }

    private static let states: [ObjectState] = [
        .open, .completed, .canceled, .chargeable, .nonChargeable, .closed, .authorizationInitiated, .authorized,
        .captureInitiated, .captured, .declined, .refundInitiated, .refunded, ObjectState(rawValue: "Another"),
    ]

    @Test func `decide as those of the program`() throws {
        let database = try migratedDatabase()
        defer { withExtendedLifetime(database) {} }
        let admin = try database.admin()
        let random = SeededRandom(seed: 9)
        var words: [String: Int] = [:]
        for _ in 0..<3_000 {
            let item = LedgerTwinTests.randomCase(random)
            let row = item.row
            let intent = item.intent
            let found = try admin.rows(
                """
                SELECT operation_outcome(p, $1, $2, $3, $4, $5, $6, $7), operation_limit(p, $1, $4)
                FROM json_populate_record(NULL::payment_object, $8::json) AS p
                """,
                [
                    intent.kind.rawValue, intent.amount.map { "\($0.units)" }, intent.amount?.currency.rawValue,
                    "\(item.held)", "\(item.count.all)", "\(item.count.open)",
                    "\(intent == .closePermission(cancelsPending: true))", LedgerTwinTests.json(row),
                ]
            )
            let expected = LedgerRules.outcome(intent, on: row, charges: item.count)
            #expect(found[0][0] == expected.word, "\(item)")
            #expect(found[0][1] == "\(LedgerRules.limit(intent.kind, on: row).units)", "\(item)")
            words[expected.word, default: 0] += 1
        }
        // Each outcome was among them.
        #expect(words.count == 8, "\(words)")
    }

    @Test func `number an order as the program does`() throws {
        let database = try migratedDatabase()
        defer { withExtendedLifetime(database) {} }
        let admin = try database.admin()
        let random = SeededRandom(seed: 11)
        let ids =
            [UUIDBytes(high: 0, low: 0), UUIDBytes(high: .max, low: .max)]
            + (0..<500).map { _ in UUIDBytes(high: random.next(), low: random.next()) }
        for id in ids {
            #expect(try admin.rows("SELECT order_number($1)", [id.description])[0][0] == OrderNumber(id).description)
        }
    }

    @Test(arguments: ObjectKind.allCases)
    func `know the ends of objects`(kind: ObjectKind) throws {
        let database = try migratedDatabase()
        defer { withExtendedLifetime(database) {} }
        let admin = try database.admin()
        for state in LedgerTwinTests.states {
            let found = try admin.rows("SELECT object_is_final('\(kind.rawValue)', $1)", [state.rawValue])[0][0]
            #expect((found == "t") == state.isFinal(for: kind), "\(state)")
        }
    }

    private static func randomCase(_ random: SeededRandom) -> Case {
        func pick(_ count: Int) -> Int { Int(random.number(byteCount: 4) % UInt64(count)) }
        func sum(_ currency: Currency) -> Money {
            let units = [0, 1, 100, 5_000, 9_000, 10_000, 11_500, 20_000_000][pick(8)]
            return Money(units: Int64(units), currency) ?? yen(0)
        }
        let currency: Currency = pick(2) == 0 ? .jpy : .usd
        let asked = sum(pick(8) == 0 ? .eur : currency)
        let intents: [OperationIntent] = [
            .createCharge(asked), .capture(asked), .refund(asked), .cancelCharge,
            .closePermission(cancelsPending: false), .closePermission(cancelsPending: true),
        ]
        let intent = intents[pick(intents.count)]
        // Mostly the kind and state that allow it, or all would be `wrong_state`.
        let fits: [OperationKind: ObjectState] = [
            .createCharge: .chargeable, .capture: .authorized, .refund: .captured,
            .cancelCharge: .authorized, .closePermission: .chargeable,
        ]
        let kind = pick(10) == 0 ? ObjectKind.allCases[pick(4)] : intent.kind.target
        let state = pick(5) == 0 ? states[pick(states.count)] : fits[intent.kind] ?? .open
        var row = LedgerRow(kind, state, sum(currency))
        row.capturedUnits = [0, row.amount.units / 2, row.amount.units][pick(3)]
        row.refundedUnits = [0, row.capturedUnits / 3][pick(2)]
        row.reservedUnits = [0, row.capturedUnits / 4][pick(2)]
        row.hasOpenOperation = pick(8) == 0
        let count = LedgerRules.ChargeCount(all: [0, 1, 24, 25][pick(4)], open: pick(2))
        return Case(intent: intent, row: row, held: row.capturedUnits + row.reservedUnits, count: count)
    }

    private static func json(_ row: LedgerRow) -> String {
        let operation = row.hasOpenOperation ? "\"00000000-0000-7000-8000-000000000000\"" : "null"
        return """
            {"kind": "\(row.kind.rawValue)", "state": "\(row.state.rawValue)", "amount": \(row.amount.units),
            "captured": \(row.capturedUnits), "refunded": \(row.refundedUnits), "reserved": \(row.reservedUnits),
            "currency": "\(row.amount.currency.rawValue)", "open_operation": \(operation)}
            """
    }
}
