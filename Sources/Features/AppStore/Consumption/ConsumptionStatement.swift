import AppStoreTransactions
import Postgres
import Primitives

/// The statements on what Apple wants to know of purchases whose refund a customer has asked for.
enum ConsumptionStatement {
    static let all = [take.statement, end.statement, consent.statement]

    /// Requests that are due, at most so many; nobody else works on them for a minute.
    static let take = TypedStatement<ConsumptionRequest, Int32>(
        name: "app_store_consumption_take",
        sql: """
            SELECT t.notification_id, t.environment, t.transaction_id, t.type, t.granted, t.used
            FROM app_store_consumption_take($1) AS t
            """
    ) { row in
        ConsumptionRequest(
            id: try row.next(),
            environment: try row.next(),
            transaction: try row.next(),
            type: try row.next(),
            granted: try row.next(),
            used: try row.next()
        )
    }

    /// Request, its `ConsumptionState`, detail, percentage that was sent, seconds until the next try.
    static let end = TypedStatement<Void, String, String, String?, Int32?, Int64>(
        name: "app_store_consumption_end",
        sql: "SELECT app_store_consumption_end($1, $2, $3, $4, $5)"
    )

    /// Account, a token where it has none, whether its customer agrees.
    static let consent = TypedStatement<CustomerConsent, UUIDBytes, UUIDBytes, Bool>(
        name: "app_store_consent",
        sql: "SELECT c.is_known, c.consented_at FROM app_store_consent($1, $2, $3) AS c"
    ) { row in
        CustomerConsent(isKnown: try row.next(), since: try row.next())
    }
}

/// How far a question of Apple is, as its row has it.
enum ConsumptionState: String, CaseIterable {
    /// It waits for its turn, or for the customer to agree.
    case open
    /// Apple has taken the answer.
    case sent
    /// The customer has not agreed in time.
    case noConsent = "no_consent"
    /// Apple has not taken the answer, and would not take it again.
    case refused
    /// The customer has agreed, and Apple was not reached in time.
    case late
}

/// What Apple wants to know of a purchase, with what the ledger says of it.
struct ConsumptionRequest {
    let id: String
    let environment: String
    let transaction: String
    let type: String
    /// Units that were granted for it.
    let granted: Int64
    /// Those of them that were spent.
    let used: Int64
}

/// Whether the customer of an account agrees that Apple is told what was used.
struct CustomerConsent {
    /// Whether there is such an account.
    let isKnown: Bool
    /// `nil` where the customer does not agree.
    let since: WallTime?
}
