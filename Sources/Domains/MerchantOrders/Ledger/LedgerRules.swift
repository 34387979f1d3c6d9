package import Commerce

/// The provider's rules about sums, as plain functions.
///
/// The database decides, in the statement that begins an operation; a test holds it to these functions.
package enum LedgerRules {
    /// How many charges a permission can have in its life.
    package static let charges = 25
    /// How many refunds a charge is shown with; all of them have a list of their own.
    package static let shownRefunds = 25

    /// How many charges stand under a permission.
    package struct ChargeCount: Sendable, Hashable {
        /// All of them, the declined and the cancelled among them.
        package let all: Int
        /// Those whose state is not final.
        package let open: Int

        /// A count of charges.
        package init(all: Int, open: Int) {
            self.all = all
            self.open = open
        }
    }

    /// The greatest sum of one charge: ten million yen, 150,000 of the others.
    ///
    /// The provider documents it for yen and dollar; euro and pound are taken like the dollar.
    ///
    /// - Returns: The sum that is still allowed.
    package static func chargeCeiling(_ currency: Currency) -> Money {
        money(currency == .jpy ? 10_000_000 : 15_000_000, currency)
    }

    /// The greatest sum of all refunds of a charge.
    ///
    /// What was captured, and on top the smaller of 15 % of it and 8,400 yen, 75.00 of the others.
    ///
    /// - Returns: The sum that is still allowed; nothing where nothing was captured. Part of a minor unit is dropped.
    package static func refundCeiling(captured: Money) -> Money {
        let extra = min(captured.units * 15 / 100, captured.currency == .jpy ? 8_400 : 7_500)
        return money(captured.units + extra, captured.currency)
    }

    /// Whether an operation may begin.
    ///
    /// - Parameters:
    ///   - charges: The charges under the target; of interest for a permission only.
    /// - Returns: `begun`, or the first thing that forbids it: state, open operation, currency and sum, count, in this order;
    ///   for a permission that is not chargeable while a charge is open, that one.
    package static func outcome(
        _ intent: OperationIntent,
        on row: LedgerRow,
        charges: ChargeCount = ChargeCount(all: 0, open: 0)
    ) -> LedgerOutcome {
        if intent.kind == .createCharge, row.kind == .permission, row.state == .nonChargeable, charges.open > 0 {
            // What keeps it from being charged is known.
            return .openCharges
        }
        guard row.kind == intent.kind.target, allows(intent.kind, row.state) else { return .wrongState }
        guard !row.hasOpenOperation else { return .inProgress }
        if let amount = intent.amount {
            guard amount.units > 0 else { return .nothing }
            guard amount.currency == row.amount.currency else { return .otherCurrency }
            let greatest = limit(intent.kind, on: row)
            guard amount.units <= greatest.units else { return .exceeds(limit: greatest) }
        }
        switch intent {
        case .createCharge where charges.all >= LedgerRules.charges: return .tooManyCharges
        // The provider has one charge at a time.
        case .createCharge where charges.open > 0: return .openCharges
        case .closePermission(cancelsPending: false) where charges.open > 0: return .openCharges
        default: return .begun
        }
    }

    /// The greatest sum that an operation may move on a target.
    ///
    /// - Returns: Zero or more; zero for operations that move none.
    package static func limit(_ kind: OperationKind, on row: LedgerRow) -> Money {
        let currency = row.amount.currency
        switch kind {
        case .capture:
            return row.amount
        case .createCharge:
            let balance = row.amount.units - row.capturedUnits - row.reservedUnits
            return money(min(balance, chargeCeiling(currency).units), currency)
        case .refund:
            let ceiling = refundCeiling(captured: money(row.capturedUnits, currency))
            return money(ceiling.units - row.refundedUnits - row.reservedUnits, currency)
        case .cancelCharge, .closePermission:
            return money(0, currency)
        }
    }

    private static func allows(_ kind: OperationKind, _ state: ObjectState) -> Bool {
        switch kind {
        case .createCharge: state == .chargeable
        case .capture: state == .authorized
        case .refund: state == .captured
        case .cancelCharge: state == .authorized || state == .authorizationInitiated
        case .closePermission: state != .closed
        }
    }

    /// A sum that is held within what a sum can be.
    private static func money(_ units: Int64, _ currency: Currency) -> Money {
        guard let money = Money(units: min(max(0, units), Money.limit), currency) else {
            preconditionFailure("a sum between zero and the limit is a sum")
        }
        return money
    }
}
