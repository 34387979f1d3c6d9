import Accounts
import Postgres
import Primitives
import StrictJSON

/// The statements on all orders of an account.
enum OrderAccountStatement {
    static let all = [unlink.statement, export.statement]

    static let unlink = TypedStatement<Int, UUIDBytes>(name: "order_unlink", sql: "SELECT order_unlink($1)")

    static let export = TypedStatement<StoredJSON?, UUIDBytes>(name: "order_export", sql: "SELECT order_export($1)")
}

extension AccountData {
    /// Orders, which stay as nobody's.
    static let merchant = AccountData(
        "merchant",
        needsAccounts: false,
        erase: { database, account in
            let orders = try await database.work(OrderAccountStatement.unlink(account)).first()
            return AccountErasure(orders > 0 ? ["orders": orders] : [:])
        },
        export: { database, account in
            guard let row = try await database.read(OrderAccountStatement.export(account)).first() else { return .null }
            return try JSONParser.parse(row.utf8)
        }
    )
}
