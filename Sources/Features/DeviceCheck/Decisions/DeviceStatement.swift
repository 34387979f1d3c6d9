import DeviceAttestation
import Postgres
import Primitives

/// The statements on accounts and their devices.
enum DeviceStatement {
    static let all = [
        begin.statement, plan.statement, end.statement, queue.statement, note.statement, history.statement,
        export.statement, erase.statement, prune.statement, resetCode.statement, resetFind.statement,
        hasReleased.statement, show.statement, waiting.statement, troubles.statement,
    ]

    /// Account, a fresh flow, that of the check, hash of the token, whether nothing more is done with it, purpose, how long others wait,
    /// how long a claim may be finished.
    static let begin = TypedStatement<
        DeviceTurn, UUIDBytes, UUIDBytes, UUIDBytes?, Digest32?, Bool, String?, Duration, Duration
    >(
        name: "device_begin",
        sql: """
            SELECT b.outcome, b.flow, b.wait, b.queued, b.is_taken, b.pending, b.pending_at, b.refusals
            FROM device_begin($1, $2, $3, $4, $5, $6, $7, $8) AS b
            """
    ) { row in
        DeviceTurn(
            outcome: try row.next(),
            flow: try row.next(),
            wait: try row.next(),
            queued: try row.next(),
            hasTaken: try row.next(),
            pending: try row.next(),
            pendingSince: try row.next(),
            refusals: try row.next()
        )
    }

    /// Account, flow, purpose, the state that is about to be written, how long others wait.
    static let plan = TypedStatement<Bool, UUIDBytes, UUIDBytes, String, String, Duration>(
        name: "device_plan",
        sql: "SELECT device_plan($1, $2, $3, $4, $5)"
    )

    /// Account, flow, what came of it.
    static let end = TypedStatement<DeviceConclusion, UUIDBytes, UUIDBytes, String>(
        name: "device_end",
        sql: "SELECT e.outcome, e.claim, e.granted_at FROM device_end($1, $2, $3::json) AS e"
    ) { row in
        DeviceConclusion(outcome: try row.next(), claim: try row.next(), granted: try row.next())
    }

    /// Account, mark, event, where it comes from.
    static let queue = TypedStatement<Bool, UUIDBytes, String, String, String>(
        name: "device_queue",
        sql: "SELECT device_queue($1, $2, $3, $4)"
    )

    /// Flow, hash of a token that is shown without an account.
    static let show = TypedStatement<Bool, UUIDBytes, Digest32>(name: "device_show", sql: "SELECT device_show($1, $2)")

    /// Account, flow, rows.
    static let note = TypedStatement<Void, UUIDBytes, UUIDBytes, String>(
        name: "device_note",
        sql: "SELECT device_note($1, $2, $3::json)"
    )

    /// What was asked and decided for an account, the newest first: account, before which, how many.
    static let history = TypedStatement<ListedDeviceRow, UUIDBytes, UUIDBytes?, Int>(
        name: "device_history",
        sql: """
            SELECT h.history_id, device_history_json(h) FROM device_history AS h
            WHERE h.account_id = $1 AND h.history_id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
            ORDER BY h.history_id DESC LIMIT $3
            """
    ) { row in
        ListedDeviceRow(id: try row.next(), json: try row.next(StoredJSON.self).utf8)
    }

    /// Account, hash of the code, who has decided it, why, for how long.
    static let resetCode = TypedStatement<Bool, UUIDBytes, Digest32, String, String, Duration>(
        name: "device_reset_code",
        sql: "SELECT device_reset_code($1, $2, $3, $4, $5)"
    )

    /// Account, hash of a code.
    static let resetFind = TypedStatement<DeviceReset, UUIDBytes, Digest32>(
        name: "device_reset_find",
        sql: """
            SELECT a.reset_operator, a.reset_reason FROM device_account AS a
            WHERE a.account_id = $1 AND a.reset_hash = $2 AND a.reset_until > statement_timestamp()
            """
    ) { row in
        DeviceReset(operatorName: try row.next(), reason: try row.next())
    }

    /// Whether an account has released a device within a year.
    static let hasReleased = TypedStatement<Bool, UUIDBytes>(
        name: "device_has_released",
        sql: """
            SELECT EXISTS (
                SELECT FROM device_account AS a
                WHERE a.account_id = $1 AND a.released_at > statement_timestamp() - interval '365 days')
            """
    )

    /// The marks that wait for a visit, by state.
    static let waiting = TypedStatement<WaitingMarks>(
        name: "device_waiting",
        sql: "SELECT w.state, w.marks, w.age FROM device_waiting() AS w"
    ) { row in
        WaitingMarks(state: try row.next(), count: try row.next(), age: try row.next())
    }

    /// What Apple has refused in the last hour.
    static let troubles = TypedStatement<DeviceTroubles>(
        name: "device_troubles",
        sql: "SELECT t.refusals, t.malformed FROM device_troubles() AS t"
    ) { row in
        DeviceTroubles(refusals: try row.next(), malformed: try row.next())
    }

    /// Everything that is kept of an account; NULL where there is nothing.
    static let export = TypedStatement<StoredJSON?, UUIDBytes>(name: "device_export", sql: "SELECT device_export($1)")

    /// How many claims went.
    static let erase = TypedStatement<Int, UUIDBytes>(name: "device_erase", sql: "SELECT device_erase($1)")

    /// How long a claim may be finished, how many are deleted at most; how many were.
    static let prune = TypedStatement<Int, Duration, Int32>(name: "device_prune", sql: "SELECT device_prune($1, $2)")
}

extension DeviceState: ColumnValue {}

/// What counts beside the device, when a request has begun.
struct DeviceTurn {
    enum Outcome: String, ColumnValue, CaseIterable {
        case ready, closed, busy, replayed
    }

    let outcome: Outcome
    /// The request, or the check that it goes on with.
    let flow: UUIDBytes
    /// Seconds that a busy account makes one wait.
    let wait: Int
    /// The mark that waits.
    let queued: DeviceState?
    /// Whether the account has had the purpose.
    let hasTaken: Bool
    /// What an unfinished claim was about to write, and when.
    let pending: DeviceState?
    let pendingSince: WallTime?
    /// Tokens of the account that Apple has refused just now.
    let refusals: Int
}

/// What a request came to.
struct DeviceConclusion {
    enum Outcome: String, ColumnValue, CaseIterable {
        case done, lost, used, closed
    }

    let outcome: Outcome
    /// What the account has of the purpose.
    let claim: UUIDBytes?
    let granted: WallTime?
}

/// What support has decided.
struct DeviceReset {
    let operatorName: String
    let reason: String
}

/// Marks of one state that wait for the next visits of their accounts.
struct WaitingMarks {
    let state: DeviceState
    /// No more than 10,000 are counted.
    let count: Int
    /// Of the oldest.
    let age: Duration
}

/// Calls that Apple has refused.
struct DeviceTroubles {
    /// Because of our key.
    let refusals: Int
    /// Because of what they were like.
    let malformed: Int
}

/// A row in the history.
struct ListedDeviceRow {
    let id: UUIDBytes
    let json: [UInt8]
}
