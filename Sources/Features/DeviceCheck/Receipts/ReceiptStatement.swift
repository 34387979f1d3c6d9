import DeviceAttestation
import Postgres
import Primitives

/// The statements on receipts that Apple exchanges for newer ones.
enum ReceiptStatement {
    static let all = [take.statement, end.statement]

    /// Keys about which Apple is to be asked: environment, how many at most; nobody else asks about them for so long.
    static let take = TypedStatement<DueReceipt, String, Int32, Duration>(
        name: "app_attest_receipt_take",
        sql: """
            SELECT k.key_id, k.public_key, k.app, k.receipt, k.receipt_asked_at, k.attested_at
            FROM app_attest_receipt_take($1, $2, $3) AS k
            """
    ) { row in
        DueReceipt(
            keyID: try row.next(),
            point: try row.next(),
            app: try row.next(),
            receipt: try row.next(),
            asked: try row.next(),
            attested: try row.next()
        )
    }

    /// Key, when it was taken, the newer receipt, its metric, when there is another one, how long Apple is not asked; whether it was
    /// still the caller's to end.
    static let end = TypedStatement<Bool, Digest32, WallTime, [UInt8]?, Int32?, WallTime?, Duration>(
        name: "app_attest_receipt_end",
        sql: "SELECT app_attest_receipt_end($1, $2, $3, $4, $5, $6)"
    )
}

/// A key about whose device Apple is asked.
struct DueReceipt: Sendable {
    let keyID: Digest32
    let point: [UInt8]
    /// As `AttestedApp` writes it.
    let app: String
    let receipt: [UInt8]
    /// When it was taken; who ends it has to know that.
    let asked: WallTime
    let attested: WallTime
}
