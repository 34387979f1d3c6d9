import EventIO
import Foundation
import Postgres
import PostgresTestKit
import Primitives
import Program
import ServerCore
import TestKit
import Testing

/// Runs every statement of the stores on a database of three years, with the settings of the program's own sessions and its
/// role.
///
/// What a statement reads is counted by the server, so functions and triggers behind it count too. A statement reads one
/// partition of each table, by an index, a few rows; what has to do more stands in `allowances`, with the reason.
@Suite("A statement on a database of three years")
struct AgedStatementTests {
    @Test func `is looked at here, whichever store declares it`() throws {
        var declared: Set<String> = []
        // The client's own statements read no table.
        for file in FileManager.default.subpaths(atPath: sources) ?? []
        where file.hasSuffix(".swift") && !file.hasPrefix("Platform/Postgres/") {
            let text = String(decoding: try Files.read("\(sources)/\(file)", limit: 1 << 20), as: UTF8.self)
            // A statement begins with its name, as a literal, and its text.
            for match in text.matches(of: #/[sS]tatement(?:<[^{}]*?>)?\(\s*name: "([a-z_]+)",\s*sql:/#) {
                #expect(declared.insert(String(match.1)).inserted, "two statements are called \(match.1)")
            }
        }
        // Those of sealed columns are put together from their names.
        let listed = Program.statements.map(\.name).filter { !$0.hasPrefix("reseal_") }
        #expect(Set(listed).count == listed.count)
        #expect(declared.count > 100)
        #expect(declared.symmetricDifference(listed) == [], "list it in the `statements` of its store")
        // What stands below is about statements that exist.
        let brought = try Brought()
        for names in [allowances.keys, brought.allowances.keys] { #expect(Set(names).subtracting(listed) == []) }
        for names in [values.keys, brought.values.keys] { #expect(Set(names).subtracting(listed) == []) }
    }

    @Test func `reads the partitions that it names and no others`() throws {
        let database = try migratedDatabase(isAged: true)
        let session = try AgedSession(database)
        let brought = try Brought()
        for statement in Program.statements {
            try session.prepare(statement)
            for subject in [AgedSession.Subject.today, .longAgo] {
                for given in values[statement.name] ?? brought.values[statement.name] ?? sealed[statement.name] ?? [[]]
                {
                    let found: [String]
                    do throws(PostgresError) {
                        let work = try session.run(statement, given, subject)
                        let allowance =
                            allowances[statement.name] ?? brought.allowances[statement.name] ?? walks[statement.name]
                        found = work.violations(of: allowance ?? Allowance())
                    } catch {
                        found = [error.debugDescription]
                    }
                    for line in found { Issue.record("\(statement.name), \(subject): \(line)") }
                }
            }
        }
    }

    /// Each column that a card declares is walked from its start.
    private let sealed = FeatureList.all.sealed.reduce(into: [String: [[String]]]()) { all, column in
        for statement in column.statements {
            all[statement.name] = [[statement.parameterTypes.count == 2 ? "'\(column.start)'" : "'[]'", "200"]]
        }
    }

    private let walks = FeatureList.all.sealed.reduce(into: [String: Allowance]()) { all, column in
        let reason = "a batch along the primary key, through all partitions"
        for statement in column.statements {
            all[statement.name] = Allowance(
                reason: reason,
                partitions: 60,
                rows: 1_000,
                walks: true,
                wholeTables: [column.table]
            )
        }
    }

    private let sources = ProjectFolder.path("Sources")
}

/// What a statement may do beyond reading one partition of each table, by the key, and a few rows.
struct Allowance {
    /// Why.
    var reason = ""
    /// How many partitions of one table it may read.
    var partitions = 1
    /// How many entries of indexes it may read.
    var rows = 50
    /// Whether it may go along an index without a bound on it, as far as a limit lets it.
    var walks = false
    /// Tables without partitions that it may read from end to end.
    var wholeTables: Set<String> = []
}

/// What features say of their statements, in lines of `Tests/Aged/NAME.sql`.
private struct Brought {
    /// For example `-- allowance note_count partitions=2 rows=100 tables=note_count: every board`.
    var allowances: [String: Allowance] = [:]
    /// For example `-- values note_write: '$NEW', '$SESSION', 'word'`.
    var values: [String: [[String]]] = [:]

    init() throws {
        let folder = ProjectFolder.path("Tests/Aged")
        for file in try Files.list(folder) {
            let text = String(decoding: try Files.read("\(folder)/\(file)"), as: UTF8.self)
            for match in text.matches(of: #/(?m)^-- values ([a-z_]+): (.+)$/#) {
                values[String(match.1), default: []].append(match.2.split(separator: ", ").map(String.init))
            }
            for match in text.matches(of: #/(?m)^-- allowance ([a-z_]+)((?: [a-z]+=[a-z0-9_,]+)+): (.+)$/#) {
                var allowance = Allowance(reason: String(match.3))
                for part in match.2.split(separator: " ") {
                    let (name, value) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
                    switch name {
                    case "partitions": allowance.partitions = try #require(Int(value))
                    case "rows": allowance.rows = try #require(Int(value))
                    case "tables": allowance.wholeTables = Set(value.split(separator: ",").map(String.init))
                    default: Issue.record("\(file): no such bound: \(part)")
                    }
                }
                allowances[String(match.1)] = allowance
            }
        }
    }
}

/// A handful of rows whatever the age: what is under way, and what operators have made.
private let smallTables: Set<String> = [
    "webview_session_purchase", "payment_operation_open", "webview_session_sweep", "webhook_endpoint", "api_key",
    "program_policy", "partitioned_table", "event_subscriber",
]

private let queues = "what has not arrived stands in one table; who asks for all of it reads all of it"
private let unsettled = "what is under way or stuck, and an index that holds messages of unpaid charges only"
private let batch = "a batch of what is past its time, behind an index; a small table is joined to it whole"
private let later = "an event comes after what it is about: one look in each month since"
private let array = "the server leaves no partition out for an array; a look by key in each that retention leaves"

private let allowances: [String: Allowance] = [
    "webview_session_revoke_some": Allowance(
        reason: "a hundred webview sessions behind one, in all months since",
        partitions: 20,
        rows: 500
    ),
    "webview_session_sweep_open": Allowance(
        reason: "a hundred webview sessions behind one, in all months since",
        partitions: 20,
        rows: 500
    ),
    "webview_session_trail_page": Allowance(
        reason: "all rows of the sessions since one, a page at a time, in all months since",
        partitions: 20,
        rows: 500
    ),
    "webview_session_count_slice": Allowance(
        reason: "a hundred webview sessions of some minutes, at the end of a month too",
        partitions: 2,
        rows: 250
    ),
    "webview_session_worries": Allowance(
        reason: "the trail since then, and what comes after",
        partitions: 2,
        rows: 1_600
    ),
    "order_part": Allowance(reason: "twenty orders in the order of their ids", partitions: 4, rows: 150),
    "order_reach": Allowance(
        reason: "a thousand orders in the order of their ids",
        partitions: 37,
        rows: 1_000,
        walks: true
    ),
    "webview_session_named": Allowance(
        reason: "a name stands in any month: one look in each",
        partitions: 38,
        rows: 150
    ),
    "webview_session_numbered": Allowance(
        reason: "a page of the ids, for an operator",
        partitions: 38,
        rows: 2_200,
        walks: true
    ),
    "webview_session_order_numbered": Allowance(
        reason: "a number stands in any month: one look in each",
        partitions: 38
    ),
    "order_numbered": Allowance(reason: "a number stands in any month: one look in each", partitions: 38),
    "order_of_checkout_session": Allowance(
        reason: "a checkout session stands in any month: one look in each",
        partitions: 38
    ),
    "order_part_named": Allowance(reason: "a name stands in any month: one look in each", partitions: 37, rows: 150),
    "session_open_app": Allowance(reason: "a name that has to be unique: one look in each", partitions: 38, rows: 100),
    "session_reference_holder": Allowance(
        reason: "a name stands in any month: one look in each",
        partitions: 38,
        rows: 100
    ),
    "order_reach_named": Allowance(reason: "a name stands in any month: one look in each", partitions: 37, rows: 50),
    "event_feed_page": Allowance(reason: "twenty events in the order of their commits", partitions: 4, rows: 150),
    "event_feed_prune": Allowance(reason: batch, rows: 700, walks: true),
    "webhook_find_event": Allowance(reason: "a hundred events in the order of their subjects", rows: 250),
    "webhook_delivered": Allowance(reason: later, partitions: 3),
    "event_handled": Allowance(reason: later, partitions: 3),
    "webhook_replay_event": Allowance(reason: later, partitions: 38, rows: 150),
    "notification_receive": Allowance(reason: later, partitions: 38, rows: 100),
    "webview_session_tabs_read": Allowance(reason: array, partitions: 38),
    "webview_session_tabs_read_sealed": Allowance(reason: array, partitions: 38),
    "webview_session_live_among": Allowance(reason: array, partitions: 38),
    "api_claim_prune": Allowance(reason: batch, rows: 2_100, walks: true),
    "notification_prune": Allowance(reason: batch, rows: 2_100, walks: true),
    "notification_overtaken": Allowance(
        reason: "at most a thousand messages that no order has and nobody has asked about",
        rows: 2_100,
        walks: true
    ),
    "notification_unmatched": Allowance(
        reason: "at most a thousand messages since the first purchase that waits",
        rows: 2_100,
        walks: true
    ),
    "webview_session_claim_overdue": Allowance(
        reason: "sixteen purchases that are due, each with webview session and order",
        rows: 150
    ),
    "poll_claim": Allowance(reason: "a hundred objects that are due, each with its order", partitions: 38, rows: 900),
    "order_newest_account": Allowance(reason: "the first in the order of their ids", partitions: 38, walks: true),
    "webhook_claim": Allowance(reason: "a hundred queues that are due, each with its event", partitions: 2, rows: 900),
    "webhook_retry_now": Allowance(
        reason: "a hundred of the queues of one endpoint, joined to the rest of them",
        rows: 2_000
    ),
    "webhook_remove_queues": Allowance(reason: "a hundred queues", rows: 700),
    "webhook_replay_endpoint": Allowance(reason: "a hundred queues, and a first try rolled back", rows: 1_400),
    "webhook_endpoints": Allowance(reason: queues, rows: 2_000, walks: true),
    "webhook_queues": Allowance(
        reason: queues,
        partitions: 37,
        rows: 4_000,
        walks: true,
        wholeTables: ["event_queue"]
    ),
    "webhook_backlog": Allowance(reason: queues, rows: 4_000, walks: true, wholeTables: ["event_queue"]),
    "webhook_purge": Allowance(
        reason: queues + "; of the old ones it looks their event up",
        partitions: 37,
        rows: 4_000,
        walks: true,
        wholeTables: ["event_queue"]
    ),
    "webview_session_resume": Allowance(reason: "the purchases under way, a handful", rows: 100),
    "unsettled_count": Allowance(reason: unsettled, rows: 150, walks: true),
    "unsettled_list": Allowance(reason: unsettled, rows: 150, walks: true),
    "reconciliation_paid": Allowance(reason: "the orders of an hour", partitions: 2, rows: 250),
    "reconciliation_operated": Allowance(reason: "a hundred operations since then", partitions: 2, rows: 250),
    "reconciliation_notified": Allowance(reason: "a hundred messages since then", rows: 250),
    "reconciliation_sample": Allowance(
        reason: "the orders of some hours, until one has money",
        partitions: 2,
        rows: 600
    ),
    "reconciliation_newest": Allowance(reason: "a row for each day", wholeTables: ["reconciliation_run"]),
    "ledger_prune": Allowance(reason: "a batch of the ledger", rows: 3_000, walks: true),
]

private let endpoint = "'01900000-0000-7000-8000-000000000011'"
private let key = "'01900000-0000-7000-8000-000000000001'"
private let lease = [endpoint, "'$SESSION'", "'$SESSION'", "1"]
private let proofs = ["'$SESSION'", "'p'", "'r'", "sha256('c')", "sha256('p')", "NULL", "NULL", "sha256('b')"]
private let charge = [
    "'charge'", "'$PAID-C000001'", "'$PAID'", "'Captured'", "NULL", "statement_timestamp()", "1640", "'JPY'", "1640",
    "100", "NULL",
]
private let refund = [
    "'refund'", "'$PAID-R000001'", "'$PAID-C000001'", "'Refunded'", "NULL", "statement_timestamp()", "100", "'JPY'",
    "NULL", "NULL",
    "NULL",
]

/// Parameters that make a statement do its work where the usual ones do not, as SQL; each list is one call.
///
/// `$SESSION` is a webview session of which the buyer has agreed to the total, `$BUYING` one that is being bought, `$NEW` none,
/// `$PAID` the permission of a paid order, `$OPEN` an operation under way.
private let values: [String: [[String]]] = [
    "webview_session_issue": [
        [
            "'$NEW'", "'p'", "'r'", "'issued'", "300", "7200", "1000", "1100", "'iosApp'", "sha256('a')", "sha256('p')",
            "NULL",
            "'[]'",
        ]
    ],
    "partition_drop_expired": [[#"'[["webview_session_event",7776000],["webview_session",7776000]]'"#]],
    "webview_session_open": [["'$SESSION'", "'p'", "'r'", "sha256('a')"]],
    "webview_session_open_first": [["'$SESSION'", "'p'", "'r'", "sha256('a')"]],
    "webview_session_agree": [
        [
            "'$SESSION'", "'p'", "'r'", "sha256('b')", "sha256('c')", "1640", "false", "1800", "'order'", "'A1'",
            "'sandbox'", "NULL",
        ]
    ],
    "webview_session_begin_attempt": [proofs + ["'checkout-$SESSION'", "1640", "true", "'$NEW'", "45", "true"]],
    "webview_session_check_purchase": [proofs + ["'checkout-$SESSION'", "1640", "true"]],
    "webview_session_settle_patient": [
        [
            "'$BUYING'", "'p'", "'r'", "'$BUYING'", "'authorized'", "'x'", "'S01-9999999-9999999'",
            "'S01-9999999-9999999-C000001'",
            "NULL", "900", "1800", "'Authorized'", "'request-1'", "false",
        ]
    ],
    "webview_session_take_up_purchase": [["'$BUYING'", "'p'", "'r'", "'$NEW'", "45", "30", "'{browser,iosApp}'"]],
    "webview_session_release_patient": [["'$BUYING'", "'p'", "'r'", "'$BUYING'"]],
    "webview_session_give_up": [["'$BUYING'", "'p'", "'r'", "'$BUYING'", "'reason'"]],
    "webview_session_live_among": [["'{$SESSION}'"]],
    "webview_session_count_slice": [["'$SESSION'", "id_floor(id_moment('$SESSION') + interval '5 minutes')", "100"]],
    "webview_session_numbered": [["'$SESSION'", "1000", "substring(uuid_send('$SESSION') FROM 11)"]],
    "webview_session_sweep_open": [["'$SESSION'", "'p'", "'r'", "0", "100"]],
    "webview_session_revoke_some": [["'$SESSION'", "'p'", "'r'", "NULL", "100"]],
    "session_open_app": [
        [
            "'$NEW'", "'p'", "'r'", key, "'mark-new'", "sha256('f')", "300", "7200", "1000", "1100", "'iosApp'",
            "sha256('a')",
            "sha256('p')", "NULL", "'[]'", "NULL", "statement_timestamp()", "540", "'order-new'", "'A1'", "'sandbox'",
            "'[]'", "201",
            "'{}'", "NULL", "NULL", key, "100", "NULL", "true", "'{}'", "NULL",
        ]
    ],
    "session_reference_holder": [["'order-1'", "'A1'", "'sandbox'"]],
    "order_part": [["'$SESSION'", "'00000000-0000-0000-0000-000000000000'", "NULL", "21", "NULL", "NULL", "NULL"]],
    "order_of_object": [["'$PAID'", "'A1'", "'sandbox'"]],
    "order_of_checkout_session": [["'checkout-$SESSION'", "'A1'", "'sandbox'"]],
    "order_numbered": [["substring(uuid_send('$SESSION') FROM 11)", "'A1'", "'sandbox'"]],
    "webview_session_order_numbered": [["substring(uuid_send('$SESSION') FROM 11)"]],
    "webview_session_named": [
        ["'$PAID'", "'order-1'", "100"], ["'checkout-$SESSION'", "'checkout-$SESSION'", "100"],
    ],
    "order_part_named": [
        ["'$SESSION'", "'00000000-0000-0000-0000-000000000000'", "NULL", "21", "NULL", "NULL", "NULL", "'order-1'"]
    ],
    "order_reach_named": [["'$SESSION'", "'order-1'"]],
    "operation_begin": [
        [
            "'$NEW'", "'$NEW'", "60", "NULL", "'refund'", "'$PAID-C000001'", "100", "'JPY'", "false", "'{}'", "'key'",
            key,
            "'mark-new'", "sha256('f')", key, "'reason'", "'{}'",
        ]
    ],
    "order_adopt": [["'$NEW'", "'S01-7777777-7777777'", "1640", "'JPY'", "'A1'", "'sandbox'"]],
    "operation_reused": [["'$OPEN'", "'$OPEN'"]],
    "operation_settle": [["'$OPEN'", "'$OPEN'", "'done'", "NULL", "200", "'{}'"] + charge + ["'request-1'"]],
    "operation_reopen": [["'$OPEN'", "'$NEW'", "60"]],
    "operation_take_over": [["'$OPEN'", "'$NEW'", "60", "true"]],
    "operation_claim": [["16", "30", "'{capture,refund}'", "'{JPY}'", "'A1'", "'sandbox'"]],
    "operation_expire_lease": [["'$OPEN'", "'$OPEN'", "60"]],
    "operation_postpone": [["'$OPEN'", "30"]],
    "operation_put_back": [["'$OPEN'", "'$OPEN'", "5"]],
    "webview_session_claim_overdue": [["16", "30", "'{browser,iosApp}'", "'A1'", "'sandbox'"]],
    "webview_session_postpone": [["'$BUYING'", "30"]],
    "webview_session_put_back": [["'$BUYING'", "'p'", "'r'", "'$BUYING'", "3", "false", "5"]],
    "webview_session_put_back_stuck": [["'$BUYING'", "5"]],
    "webview_session_resume": [["'$BUYING'", "'p'", "'r'", "'reason'"]],
    "unsettled_list": [["7200"]],
    "webview_session_reclaim": [["'$SESSION'", "'p'", "'r'", "'$NEW'", "'checkout-$SESSION'", "'reason'", "60"]],
    "notification_unpaid": [["'$PAID'", "'$SESSION'"]],
    "notification_followed": [["'$PAID'", "true"]],
    "notification_refunded": [["'$PAID'", "'$SESSION'"]],
    "webview_session_claim_stuck": [["8", "'A1'", "'sandbox'"]],
    "operator_begin": [["'name'", "'command'", "'target'", "'reason'", "'{}'"]],
    "operator_end": [["1", "'{}'", "'00000000-0000-4000-8000-000000000000'"]],
    "ledger_observe": [charge, refund],
    "ledger_object": [["'$PAID-C000001'"]],
    "ledger_objects": [["ARRAY['$SESSION']::uuid[]", "NULL"]],
    "api_claim": [[key, "'mark-new'", "sha256('f')", "'$SESSION'", key]],
    "api_claim_state": [[key, "'mark-0-3'", "sha256('f')", key]],
    "api_claim_prune": [["400 * 86400"]],
    "api_claim_answer": [[key, "'mark-0-3'", "200", "'x'", "statement_timestamp()"]],
    "api_claim_release": [[key, "'mark-0-3'", "statement_timestamp()"]],
    "program_policy_claim": [["'words'", "NULL::text"]],
    "api_key_find": [[key, "sha256('k')"]],
    "api_key_touch": [[key]],
    "api_key_rotate": [[key]],
    "api_key_revoke": [[key]],
    "notification_receive": [
        ["'message-new'", "'CHARGE'", "'$PAID-C000001'", "'$PAID'"],
        ["'message-new'", "'CHARGEBACK'", "'chargeback'", "'$PAID'"],
    ],
    "poll_claim": [["100", "'$NEW'", "60", "'{permission,charge,refund}'", "'A1'", "'sandbox'"]],
    "poll_again": [["'$PAID'"]],
    "poll_missing": [["'$PAID'"]],
    "poll_put_back": [["'$PAID'"]],
    "poll_announce_expiring": [["'$PAID-C000001'", "2592000"]],
    "webview_session_note_missing": [["'$BUYING'", "'$BUYING'"]],
    "poll_release": [["'$PAID'"]],
    "poll_end": [["'$PAID'"]],
    "purchase_wake": [["'$BUYING'"]],
    "reconciliation_unfinished": [["current_date::text"]],
    "reconciliation_begin": [["current_date::text"]],
    "reconciliation_resume": [["current_date::text"]],
    "reconciliation_advance": [["current_date::text"]],
    "reconciliation_paid": [
        [
            "'$SESSION'", "id_floor(id_moment('$SESSION') + interval '1 hour')", "id_moment('$SESSION')",
            "id_moment('$SESSION') + interval '1 day'",
        ]
    ],
    "reconciliation_operated": [
        ["'$SESSION'", "id_floor(id_moment('$SESSION') + interval '3 days')", "'$NEW'", "100"]
    ],
    "reconciliation_notified": [
        ["id_moment('$SESSION')", "id_moment('$SESSION') + interval '3 days'", "'$NEW'", "100"]
    ],
    "reconciliation_sample": [["'$SESSION'", "id_floor(id_moment('$SESSION') - interval '6 hours')"]],
    "webhook_claim": [["'$NEW'", "60", "100", "100", "'{}'", "''"]],
    "webhook_delivered": [lease],
    "webhook_failed": [lease],
    "webhook_postponed": [lease],
    "webhook_retry_now": [[endpoint]],
    "webhook_target": [[endpoint]],
    "webhook_rotate": [[endpoint]],
    "webhook_remove": [[endpoint]],
    "webhook_remove_queues": [["'01900000-0000-7000-8000-000000000013'"]],
    "webhook_replay_endpoint": [[endpoint, "'00000000-0000-0000-0000-000000000000'"]],
    "event_feed_place": [["100", "'$SESSION'", "1"]],
    "event_feed_page": [["0", "'$SESSION'", "0", "21"]],
    "webhook_event_place": [["'$NEW'", "'$SESSION'"]],
    "webhook_find_event": [["'$SESSION'", "1000", "'$NEW'"]],
    "webhook_replay_event": [["'$SESSION'", "1", "NULL"]],
    "webhook_queues": [["NULL", "false"], ["'$SESSION'", "false"]],
]

/// What a statement read.
struct AgedWork {
    /// Its plan, with what was done.
    var plan = ""
    /// Partitions that were read, by their table.
    var partitions: [String: Set<String>] = [:]
    /// Tables that were read from end to end.
    var wholeTables: Set<String> = []
    /// Entries of indexes that were read.
    var rows = 0

    /// What goes beyond an allowance, in words.
    func violations(of allowance: Allowance) -> [String] {
        var found: [String] = []
        for (table, read) in partitions where read.count > allowance.partitions {
            found.append("reads \(read.count) partitions of \(table)")
        }
        for table in wholeTables.subtracting(smallTables).subtracting(allowance.wholeTables) {
            found.append("reads all of \(table)")
        }
        if rows > allowance.rows { found.append("reads \(rows) entries of indexes") }
        // What was not reached this time counts too.
        let nodes = plan.split(separator: "->  ")
        for node in nodes where node.contains(/(Seq|Index|Index Only) Scan[^\n]* on public\./) {
            let table = String(node.split(separator: " on public.")[1].split(separator: " ")[0])
            guard !smallTables.contains(table), !allowance.wholeTables.contains(table) else { continue }
            if node.contains("Seq Scan") {
                found.append("would read all of \(table)")
            } else if !allowance.walks, !node.contains("Index Cond: ") {
                found.append("would read the whole index of \(table)")
            }
        }
        return found
    }
}

/// A session as the program's, in which statements run and are taken back.
private final class AgedSession {
    /// The webview session that a statement names.
    enum Subject: String {
        case today
        case longAgo
    }

    private let admin: PostgresAdmin
    /// What the words in parameters stand for.
    private let names: [Subject: [String: String]]

    init(_ database: TestDatabase) throws {
        var configuration = try PostgresConfiguration(url: database.serviceURL)
        // What is looked at is the plan, not the pace.
        configuration.statementTimeout = .seconds(60)
        configuration.lockTimeout = .seconds(30)
        configuration.idleInTransactionTimeout = .seconds(60)
        let admin = try PostgresAdmin(like: configuration)
        func cell(_ column: String, _ months: Int, _ number: Int) throws -> String {
            let rows = try admin.rows("SELECT \(column) FROM aged WHERE months = \(months) AND n = \(number)")
            return try #require(rows.first?[0])
        }
        func names(_ months: Int, webviewSession: Int, buying: Int, paid: Int, open: Int) throws -> [String: String] {
            let webviewSession = try cell("webview_session_id", months, webviewSession)
            return [
                "$SESSION": webviewSession, "$NEW": webviewSession.dropLast(4) + "fffe",
                "$BUYING": try cell("webview_session_id", months, buying),
                "$PAID": try cell("permission", months, paid), "$OPEN": try cell("webview_session_id", months, open),
            ]
        }
        self.admin = admin
        self.names = [
            .today: try names(0, webviewSession: 3, buying: 14, paid: 46, open: 6),
            .longAgo: try names(18, webviewSession: 7, buying: 4, paid: 6, open: 8),
        ]
    }

    func prepare(_ statement: Statement) throws {
        let types =
            statement.parameterTypes.isEmpty ? "" : "(\(statement.parameterTypes.map(sqlName).joined(separator: ", ")))"
        try admin.run("PREPARE \(statement.name)\(types) AS \(statement.sql)")
    }

    func run(_ statement: Statement, _ given: [String], _ subject: Subject) throws(PostgresError) -> AgedWork {
        let arguments = statement.parameterTypes.enumerated().map { index, type in
            index < given.count ? given[index] : AgedSession.usual(index, type)
        }
        let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        var filled = list
        for (word, name) in names[subject] ?? [:] { filled = filled.replacing(word, with: name) }
        try admin.run("BEGIN")
        defer { try? admin.run("ROLLBACK") }
        let before = try counts()
        let rows = try admin.rows(
            "EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE \(statement.name)\(filled)"
        )
        var work = AgedWork()
        work.plan = rows.compactMap { $0[0] }.joined(separator: "\n")
        for (relation, after) in try counts() {
            let scans = after.scans - (before[relation]?.scans ?? 0)
            guard scans > 0 else { continue }
            if after.isIndex {
                work.rows += after.rows - (before[relation]?.rows ?? 0)
            } else {
                work.wholeTables.insert(after.table)
            }
            if let parent = after.parent { work.partitions[parent, default: []].insert(after.table) }
        }
        return work
    }

    private struct Count {
        let table: String
        let parent: String?
        let isIndex: Bool
        let scans: Int
        let rows: Int
    }

    /// What this session has read and not reported yet.
    private func counts() throws(PostgresError) -> [String: Count] {
        let rows = try admin.rows(
            """
            SELECT c.oid, t.relname, p.relname, c.relkind = 'i', pg_stat_get_xact_numscans(c.oid),
                pg_stat_get_xact_tuples_returned(c.oid)
            FROM pg_class AS c
            LEFT JOIN pg_index AS x ON x.indexrelid = c.oid
            JOIN pg_class AS t ON t.oid = coalesce(x.indrelid, c.oid)
            LEFT JOIN pg_inherits AS i ON i.inhrelid = t.oid
            LEFT JOIN pg_class AS p ON p.oid = i.inhparent
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i')
                AND pg_stat_get_xact_numscans(c.oid) > 0
            """
        )
        var counts: [String: Count] = [:]
        for row in rows {
            guard let oid = row[0], let table = row[1], let scans = row[4].flatMap({ Int($0) }),
                let read = row[5].flatMap({ Int($0) })
            else { continue }
            counts[oid] = Count(table: table, parent: row[2], isIndex: row[3] == "t", scans: scans, rows: read)
        }
        return counts
    }

    private static func usual(_ index: Int, _ type: PostgresType) -> String {
        switch type {
        case .uuid where index == 0: "'$SESSION'"
        case .uuid: "'01900000-0000-7000-8000-000000000001'"
        case .uuidArray: "ARRAY['$SESSION']::uuid[]"
        case .byteaArray: "ARRAY[sha256('b')]"
        case .int8, .int4: "100"
        case .bool: "false"
        case .timestamptz: "statement_timestamp() - interval '1 hour'"
        case .bytea: "sha256('b')"
        default: "'word'"
        }
    }
}

private func sqlName(_ type: PostgresType) -> String {
    switch type {
    case .uuidArray: "uuid[]"
    case .byteaArray: "bytea[]"
    default: "\(type)"
    }
}
