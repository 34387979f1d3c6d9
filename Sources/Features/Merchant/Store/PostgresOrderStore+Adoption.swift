import Commerce
import MerchantOrders
import Postgres
import Primitives

/// A payment that the provider knows and the ledger does not.
struct Adoption: Sendable {
    /// The session that the provider's mark names.
    let webviewSession: UUIDBytes
    /// The provider's id of the permission.
    let permission: String
    /// What was paid, in the account's currency.
    let total: Money
    /// Under which it was paid.
    let account: OrderAccount
    /// The merchant's name for an order that is lost entirely.
    let reference: String
}

/// What became of an adoption.
enum AdoptionOutcome: String, Sendable, Hashable, ColumnValue {
    /// The order is paid now.
    case adopted
    /// The ledger has the permission for this order.
    case known
    /// Another order has the permission, or the order another permission, account or currency.
    case other
    /// The session has not ended: a repeat or recovery finds the payment by itself.
    case underWay = "under_way"
}

extension PostgresOrderStore {
    static let adoptStatement = TypedStatement<AdoptionOutcome, Adoption, String>(
        name: "order_adopt",
        sql: "SELECT order_adopt($1, $2, $3, $4, $5, $6, $7, $8)"
    )

    /// Takes a payment into the ledger that the database does not know; its charges are to be observed afterwards.
    ///
    /// - Returns: What became of it; `adopted` once.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    func adopt(_ adoption: Adoption, request: String) async throws(StoreError) -> AdoptionOutcome {
        try await client.work(PostgresOrderStore.adoptStatement(adoption, request)).first()
    }
}

extension Adoption: StatementInput {
    static var parameterTypes: [PostgresType] { [.uuid, .text, .int8, .text, .text, .text, .text] }
    static var parameterCount: Int { 7 }

    func append(to parameters: inout Parameters) {
        parameters.append(uuid: webviewSession)
        parameters.append(text: permission)
        parameters.append(int64: total.units)
        parameters.append(text: total.currency.rawValue)
        parameters.append(text: account.merchantID)
        parameters.append(text: account.environment)
        parameters.append(text: reference)
    }
}
