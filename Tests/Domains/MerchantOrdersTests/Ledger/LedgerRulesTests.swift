import Commerce
import MerchantOrders
import Testing

@Suite("The rules of the ledger")
struct LedgerRulesTests {
    private static func yen(_ units: Int64) throws -> Money { try #require(Money(units: units, .jpy)) }

    private static func row(
        _ kind: ObjectKind,
        _ state: ObjectState,
        _ amount: Int64,
        _ change: (inout LedgerRow) -> Void = { _ in }
    ) throws -> LedgerRow {
        var row = LedgerRow(kind, state, try yen(amount))
        change(&row)
        return row
    }

    @Test(
        arguments: [
            // From 56,000 yen on the fixed sum is the smaller one.
            (.jpy, 0, 0), (.jpy, 1, 1), (.jpy, 6, 6), (.jpy, 7, 8), (.jpy, 27_996, 32_195), (.jpy, 55_999, 64_398),
            (.jpy, 56_000, 64_400), (.jpy, 56_001, 64_401), (.jpy, 10_000_000, 10_008_400),
            (.usd, 1_250, 1_437), (.usd, 50_000, 57_500), (.usd, 50_001, 57_501), (.eur, 49_999, 57_498),
            (.gbp, 100_000, 107_500), (.jpy, 1_000_000_000_000, 1_000_000_000_000),
        ] as [(Currency, Int64, Int64)]
    )
    func `let refunds go above what was captured, within bounds`(
        currency: Currency,
        captured: Int64,
        ceiling: Int64
    ) throws {
        let sum = try #require(Money(units: captured, currency))
        #expect(LedgerRules.refundCeiling(captured: sum) == Money(units: ceiling, currency))
    }

    @Test func `bound one charge by its currency`() {
        #expect(LedgerRules.chargeCeiling(.jpy).text == "10000000")
        for currency in [Currency.usd, .eur, .gbp] {
            #expect(LedgerRules.chargeCeiling(currency).text == "150000.00")
        }
    }

    @Test(
        arguments: [
            (.authorizationInitiated, [.cancelCharge]), (.authorized, [.capture, .cancelCharge]),
            (.captureInitiated, []), (.captured, [.refund]), (.canceled, []), (.declined, []),
            (ObjectState(rawValue: "Surprise"), Set<OperationKind>()),
        ] as [(ObjectState, Set<OperationKind>)]
    )
    func `allow for a charge what its state does`(state: ObjectState, allowed: Set<OperationKind>) throws {
        let row = try Self.row(.charge, state, 1_000) { $0.capturedUnits = 1_000 }
        let one = try Self.yen(1)
        let intents: [OperationIntent] = [
            .createCharge(one), .capture(one), .refund(one), .cancelCharge,
            .closePermission(cancelsPending: true),
        ]
        for intent in intents {
            let expected: LedgerOutcome = allowed.contains(intent.kind) ? .begun : .wrongState
            #expect(LedgerRules.outcome(intent, on: row) == expected, "\(intent)")
        }
    }

    @Test(
        arguments: [
            (.chargeable, .begun, .begun), (.nonChargeable, .wrongState, .begun), (.closed, .wrongState, .wrongState),
            (ObjectState(rawValue: "Surprise"), .wrongState, .begun),
        ] as [(ObjectState, LedgerOutcome, LedgerOutcome)]
    )
    func `allow for a permission what its state does`(
        state: ObjectState,
        charge: LedgerOutcome,
        close: LedgerOutcome
    ) throws {
        let row = try Self.row(.permission, state, 1_000)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(1_000)), on: row) == charge)
        #expect(LedgerRules.outcome(.closePermission(cancelsPending: false), on: row) == close)
        #expect(try LedgerRules.outcome(.capture(Self.yen(1)), on: row) == .wrongState)
    }

    @Test func `let a capture take at most what was authorised`() throws {
        let row = try Self.row(.charge, .authorized, 27_996)
        #expect(try LedgerRules.outcome(.capture(Self.yen(27_996)), on: row) == .begun)
        #expect(try LedgerRules.outcome(.capture(Self.yen(1)), on: row) == .begun)
        let limit = try Self.yen(27_996)
        #expect(try LedgerRules.outcome(.capture(Self.yen(27_997)), on: row) == .exceeds(limit: limit))
        #expect(try LedgerRules.outcome(.capture(Self.yen(0)), on: row) == .nothing)
        let dollars = try #require(Money(units: 100, .usd))
        #expect(LedgerRules.outcome(.capture(dollars), on: row) == .otherCurrency)
    }

    @Test func `count refunds that are on their way, and those that were only begun`() throws {
        // Captured 10,000: refunds may come to 11,500.
        var row = try Self.row(.charge, .captured, 10_000) { $0.capturedUnits = 10_000 }
        #expect(try LedgerRules.outcome(.refund(Self.yen(11_500)), on: row) == .begun)
        #expect(try LedgerRules.outcome(.refund(Self.yen(11_501)), on: row) == .exceeds(limit: Self.yen(11_500)))
        row.refundedUnits = 6_000
        row.reservedUnits = 5_000
        #expect(try LedgerRules.outcome(.refund(Self.yen(500)), on: row) == .begun)
        #expect(try LedgerRules.outcome(.refund(Self.yen(501)), on: row) == .exceeds(limit: Self.yen(500)))
        row.refundedUnits = 12_000
        #expect(try LedgerRules.outcome(.refund(Self.yen(1)), on: row) == .exceeds(limit: Self.yen(0)))
    }

    @Test func `bound refunds by what was captured, not by what was authorised`() throws {
        let row = try Self.row(.charge, .captured, 10_000) { $0.capturedUnits = 1_000 }
        #expect(try LedgerRules.outcome(.refund(Self.yen(1_150)), on: row) == .begun)
        #expect(try LedgerRules.outcome(.refund(Self.yen(1_151)), on: row) == .exceeds(limit: Self.yen(1_150)))
    }

    @Test func `bound a new charge by the balance and by the ceiling`() throws {
        let row = try Self.row(.permission, .chargeable, 20_000) {
            $0.capturedUnits = 12_000
            $0.reservedUnits = 3_000
        }
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(5_000)), on: row) == .begun)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(5_001)), on: row) == .exceeds(limit: Self.yen(5_000)))
        let rich = try Self.row(.permission, .chargeable, 90_000_000)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(10_000_000)), on: rich) == .begun)
        let ceiling = try Self.yen(10_000_000)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(10_000_001)), on: rich) == .exceeds(limit: ceiling))
    }

    @Test(
        arguments: [(0, .begun), (24, .begun), (25, .tooManyCharges), (26, .tooManyCharges)] as [(Int, LedgerOutcome)]
    )
    func `let a permission have 25 charges`(count: Int, outcome: LedgerOutcome) throws {
        let row = try Self.row(.permission, .chargeable, 20_000)
        let charges = LedgerRules.ChargeCount(all: count, open: 0)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(1)), on: row, charges: charges) == outcome)
    }

    @Test func `have one charge at a time`() throws {
        let row = try Self.row(.permission, .chargeable, 20_000)
        let charges = LedgerRules.ChargeCount(all: 3, open: 1)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(1)), on: row, charges: charges) == .openCharges)
        let waiting = try Self.row(.permission, .nonChargeable, 20_000)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(1)), on: waiting, charges: charges) == .openCharges)
        let full = LedgerRules.ChargeCount(all: 25, open: 1)
        #expect(try LedgerRules.outcome(.createCharge(Self.yen(1)), on: row, charges: full) == .tooManyCharges)
    }

    @Test func `close a permission with charges that are not final only where it cancels them`() throws {
        let row = try Self.row(.permission, .chargeable, 20_000)
        let charges = LedgerRules.ChargeCount(all: 3, open: 1)
        #expect(LedgerRules.outcome(.closePermission(cancelsPending: false), on: row, charges: charges) == .openCharges)
        #expect(LedgerRules.outcome(.closePermission(cancelsPending: true), on: row, charges: charges) == .begun)
    }

    @Test(
        arguments: [
            (.charge, .authorized, .capture), (.charge, .captured, .refund), (.charge, .authorized, .cancelCharge),
            (.permission, .chargeable, .createCharge), (.permission, .chargeable, .closePermission),
        ] as [(ObjectKind, ObjectState, OperationKind)]
    )
    func `let one operation at a time work on an object`(
        kind: ObjectKind,
        state: ObjectState,
        operation: OperationKind
    ) throws {
        let row = try Self.row(kind, state, 100) {
            $0.capturedUnits = kind == .charge ? 100 : 0
            $0.hasOpenOperation = true
        }
        let hundred = try Self.yen(100)
        let intents: [OperationIntent] = [
            .capture(hundred), .refund(hundred), .cancelCharge, .createCharge(hundred),
            .closePermission(cancelsPending: true),
        ]
        let intent = try #require(intents.first { $0.kind == operation })
        #expect(operation.target == kind)
        #expect(LedgerRules.outcome(intent, on: row) == .inProgress)
    }

    @Test(
        arguments: [
            (.session, [.completed, .canceled]), (.permission, [.closed]),
            (.charge, [.captured, .canceled, .declined]),
            (.refund, [.refunded, .declined]),
        ] as [(ObjectKind, Set<ObjectState>)]
    )
    func `know which states are final`(kind: ObjectKind, final: Set<ObjectState>) {
        let states: [ObjectState] = [
            .open, .completed, .canceled, .chargeable, .nonChargeable, .closed, .authorizationInitiated, .authorized,
            .captureInitiated, .captured, .declined, .refundInitiated, .refunded, ObjectState(rawValue: "Surprise"),
        ]
        #expect(Set(states.filter { $0.isFinal(for: kind) }) == final)
    }

    @Test func `have a word for each verdict`() throws {
        let outcomes: [LedgerOutcome] = [
            .begun, .wrongState, .inProgress, .nothing, .otherCurrency, .exceeds(limit: try Self.yen(1)),
            .tooManyCharges, .openCharges,
        ]
        #expect(Set(outcomes.map(\.word)).count == outcomes.count)
        for outcome in outcomes {
            #expect(outcome.word.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) })
        }
    }
}
