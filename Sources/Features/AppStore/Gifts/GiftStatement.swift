import Postgres
import Primitives

/// The statements on what is given without a purchase.
enum GiftStatement {
    static let all = [give.statement]

    /// Account, environment, purpose, units, the event that tells of it; `given`, or why not.
    static let give = TypedStatement<String, UUIDBytes, String, String, Int64, UUIDBytes>(
        name: "app_store_give",
        sql: "SELECT app_store_give($1, $2, $3, $4, $5)"
    )
}
