import Postgres
import Primitives

/// What the process has the database asked at its start and beside the requests.
enum UpkeepStatement {
    static let all = [
        raiseTags.statement, setTemplate.statement, walk.statement, fetched.statement, prune.statement,
        certificateEnds.statement,
    ]

    /// Lifts the tags over a number, and gives the present one.
    static let raiseTags = TypedStatement<Int64, Int64>(name: "wallet_tag_raise", sql: "SELECT wallet_tag_raise($1)")

    /// Name, pass type, digest and the names that are shown, as a JSON array.
    static let setTemplate = TypedStatement<Bool, String, String, Digest32, String>(
        name: "wallet_template_set",
        sql: "SELECT wallet_template_set($1, $2, $3, $4::json)"
    )

    /// How many phones are woken a second, how many passes are looked at: how many phones were, and whether nothing is left.
    static let walk = TypedStatement<WalkStep, Int32, Int32>(
        name: "wallet_walk",
        sql: "SELECT w.woken::bigint, w.is_done FROM wallet_walk($1, $2) AS w"
    ) { row in
        WalkStep(woken: try row.next(), isDone: try row.next())
    }

    /// What was fetched, as a JSON array.
    static let fetched = TypedStatement<Void, String>(name: "wallet_fetched", sql: "SELECT wallet_fetched($1::json)")

    /// Pass type, fingerprint, end, within how many days; whether the shop was told now.
    static let certificateEnds = TypedStatement<Bool, String, Digest32, WallTime, Int32>(
        name: "wallet_certificate_ends",
        sql: "SELECT wallet_certificate_ends($1, $2, $3, $4)"
    )

    /// How many passes at most.
    static let prune = TypedStatement<Int, Int32>(name: "wallet_prune", sql: "SELECT wallet_prune($1)::bigint")
}

/// A step of a walk through the passes of a type.
struct WalkStep {
    let woken: Int
    let isDone: Bool
}
