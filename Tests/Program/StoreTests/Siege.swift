import Postgres
import PostgresTestKit

/// Somebody who can call what the program can, with arguments of their own making, and what must be there all the same.
final class Siege {
    /// A function that the program's role may call.
    struct Function {
        let name: String
        let signature: String
        let isProcedure: Bool
        let hasOwnersRights: Bool
        let types: [String]
    }

    /// What the role may call outside of the server's own schemas; triggers cannot be called.
    let functions: [Function]
    private let owner: PostgresAdmin
    private let service: PostgresAdmin
    private var arguments: [String: [String]?] = [:]

    /// Sets down what is to be there afterwards.
    ///
    /// - Parameter database: With rows of three years.
    init(_ database: TestDatabase) throws {
        owner = try database.admin()
        let login = try database.serviceLogin()
        service = try PostgresAdmin(url: login.url)
        try service.run("SET statement_timeout = '20s'; SET lock_timeout = '5s'")
        functions = try owner.rows(
            """
            SELECT p.proname, p.oid::regprocedure, p.prokind, p.prosecdef, (
                SELECT coalesce(string_agg(format_type(t.id, NULL), '|' ORDER BY t.place), '')
                FROM unnest(p.proargtypes) WITH ORDINALITY AS t (id, place))
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
            WHERE n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' AND p.prorettype <> 'trigger'::regtype
                AND p.prokind IN ('f', 'p') AND has_function_privilege($1, p.oid, 'EXECUTE')
            ORDER BY p.prosecdef, p.oid
            """,
            [login.role]
        ).map { row in
            let types = (row[4] ?? "").split(separator: "|").map(String.init)
            return Function(
                name: row[0] ?? "",
                signature: row[1] ?? "",
                isProcedure: row[2] == "p",
                hasOwnersRights: row[3] == "t",
                types: types
            )
        }
        try owner.run(Self.kept)
    }

    /// What a trail must hold as it was, and the keys of what must be there: what is younger than the least retention.
    private static let kept = """
        INSERT INTO operator_event (at, ended_at, operator, command, target)
        SELECT now() - m * interval '1 month', now(), 'taro', 'stuck', m::text FROM generate_series(0, 36) AS m;
        CREATE TABLE kept_webview_session_event AS SELECT e::text AS row FROM webview_session_event AS e WHERE webview_session_id >= id_floor(now() - interval '90 days');
        CREATE TABLE kept_event AS SELECT e::text AS row FROM event AS e
            WHERE event_id >= id_floor(now() - interval '180 days');
        CREATE TABLE kept_operator_event AS SELECT e::text AS row FROM operator_event AS e WHERE at >= now() - interval '400 days';
        CREATE TABLE kept_merchant_order AS SELECT webview_session_id::text AS row FROM merchant_order
            WHERE webview_session_id >= id_floor(now() - interval '180 days');
        CREATE TABLE kept_payment_object AS SELECT object_id || webview_session_id AS row FROM payment_object
            WHERE webview_session_id >= id_floor(now() - interval '180 days');
        CREATE TABLE kept_payment_operation AS SELECT operation_id::text AS row FROM payment_operation
            WHERE webview_session_id >= id_floor(now() - interval '180 days');
        CREATE TABLE kept_webview_session AS SELECT webview_session_id::text AS row FROM webview_session WHERE webview_session_id >= id_floor(now() - interval '30 days');
        """

    private static let rows = [
        ("webview_session_event", "t::text"), ("event", "t::text"), ("operator_event", "t::text"),
        ("merchant_order", "webview_session_id::text"),
        ("payment_object", "object_id || webview_session_id"), ("payment_operation", "operation_id::text"),
        ("webview_session", "webview_session_id::text"),
    ]

    /// Calls each function in many ways, again and again while that changes the schema, and looks what is missing.
    ///
    /// - Returns: The function and the table for each loss, and what cannot be called for want of arguments.
    func losses() throws -> [String] {
        var found: [String] = []
        for function in functions {
            let unknown = try function.types.filter { try values(of: $0) == nil }
            found += unknown.map { "\(function.signature): no arguments of type \($0)" }
            guard unknown.isEmpty else { continue }
            let calls = try self.calls(of: function)
            var before = ""
            for _ in 0..<40 {
                // What it refuses has changed nothing.
                for call in calls { try? service.run(call) }
                let after = try footprint()
                guard after != before, function.hasOwnersRights else { break }
                before = after
            }
            let missing = try missing()
            found += missing.map { "\(function.signature): \($0)" }
            if !missing.isEmpty { try settle() }
        }
        return found
    }

    /// Puts tables, functions and settings of the session's own where a function that looks in the wrong place would find them.
    func twistSession() throws {
        for sql in [
            "CREATE TEMP TABLE webview_session_event (webview_session_id uuid, at timestamptz)",
            "CREATE TEMP TABLE operator_event (event_id bigint)",
            "CREATE TEMP TABLE pg_inherits AS SELECT * FROM pg_catalog.pg_inherits",
            "CREATE TEMP TABLE pg_class AS SELECT oid, relname, '' AS relpartbound FROM pg_catalog.pg_class",
            "CREATE FUNCTION pg_temp.partition_keep(interval, integer) RETURNS interval LANGUAGE sql AS 'SELECT $1'",
            "CREATE FUNCTION pg_temp.id_floor(timestamptz) RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'",
            "CREATE FUNCTION pg_temp.statement_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT ''infinity''::timestamptz'",
            "SET search_path = pg_temp, pg_catalog, public", "SET TimeZone = 'Pacific/Kiritimati'",
            "SET DateStyle = 'German, DMY'",
            "SET IntervalStyle = 'sql_standard'", "SET transform_null_equals = on", "SET quote_all_identifiers = on",
            "SET standard_conforming_strings = off", "SET extra_float_digits = -15", "SET array_nulls = off",
            "SET default_transaction_isolation = 'serializable'", "SET plan_cache_mode = 'force_generic_plan'",
        ] {
            try service.run(sql)
        }
    }

    private func missing() throws -> [String] {
        try Self.rows.compactMap { table, row in
            let lost = "SELECT row FROM kept_\(table) EXCEPT ALL SELECT \(row) FROM \(table) AS t LIMIT 1"
            return try owner.rows(lost).isEmpty ? nil : table
        }
    }

    /// Forgets what is lost, so that the next function is not blamed for it.
    private func settle() throws {
        for (table, row) in Self.rows {
            try owner.run("DELETE FROM kept_\(table) WHERE row NOT IN (SELECT \(row) FROM \(table) AS t)")
        }
    }

    /// What functions that drop and delete come to: as long as it changes they have something left to do.
    private func footprint() throws -> String {
        let sql = "SELECT (SELECT count(*) FROM pg_inherits) || ' ' || (SELECT count(*) FROM payment_object)"
        return try owner.rows(sql)[0][0] ?? ""
    }

    // MARK: Calls

    /// All combinations where they are few; else each value of each argument at least once, together with those of its place in
    /// the other lists, and alone among arguments that are there.
    private func calls(of function: Function) throws -> [String] {
        let lists = try function.types.map { try values(of: $0) ?? [] }
        let count = lists.reduce(1) { $0 * $1.count }
        var rows: [[String]] = []
        if function.hasOwnersRights, count <= 400 {
            rows = lists.reduce([[]]) { rows, list in rows.flatMap { row in list.map { row + [$0] } } }
        } else {
            for index in 0..<(lists.map(\.count).max() ?? 1) {
                rows.append(lists.map { $0[index % $0.count] })
                for (place, list) in lists.enumerated() where index < list.count {
                    // Behind NULL, the first value of each type is one that is there.
                    var row = lists.map { $0[1 % $0.count] }
                    row[place] = list[index]
                    rows.append(row)
                }
            }
        }
        return rows.map { row in
            let list = zip(row, function.types).map { "(\($0))::\($1)" }.joined(separator: ", ")
            return function.isProcedure
                ? "CALL public.\(function.name)(\(list))" : "SELECT * FROM public.\(function.name)(\(list))"
        }
    }

    /// Values of a type that somebody with bad intentions would try, as SQL; `nil` where nobody has thought of any.
    private func values(of type: String) throws -> [String]? {
        if let known = arguments[type] { return known }
        let made = try make(type)
        arguments[type] = .some(made)
        return made
    }

    private func make(_ type: String) throws -> [String]? {
        if type.hasSuffix("[]") {
            let element = String(type.dropLast(2))
            return try values(of: element).map { values in
                ["NULL", "ARRAY[\(values.map { "(\($0))::\(element)" }.joined(separator: ","))]", "'{}'"]
            }
        }
        let young =
            "(SELECT webview_session_id FROM public.webview_session ORDER BY webview_session_id DESC LIMIT 1 OFFSET 7)"
        switch type {
        case "interval":
            return [
                "NULL", "'0'", "'-1 day'", "'-100 years'", "'100 years'", "'-178000000 years'", "'178000000 years'",
                "'-1000 months 29000 days'", "'1 microsecond'",
            ] + (try server(from: 170_000) ? ["'infinity'", "'-infinity'"] : [])
        case "timestamp with time zone":
            return ["NULL", "now()", "'epoch'", "'infinity'", "'-infinity'", "'4714-11-24 BC'"]
        case "smallint", "integer", "bigint", "numeric":
            let greatest = ["smallint": "32767", "integer": "2147483647"][type] ?? "9223372036854775807"
            return ["NULL", "1", "0", "-1", "37", greatest, "-\(greatest)"]
        case "boolean": return ["NULL", "true", "false"]
        case "uuid":
            return [
                "NULL", young,
                "(SELECT webview_session_id FROM public.webview_session ORDER BY webview_session_id DESC LIMIT 1)",
                "'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
            ]
        case "text", "character varying", "name":
            return [
                "NULL", "(SELECT object_id FROM public.payment_object ORDER BY webview_session_id DESC LIMIT 1)", "''",
                "'webview_session_event'",
                "'done'", "'Captured'", "'finalize'", "'DELETE FROM webview_session_event; --'",
                "'webview_session_event; DROP TABLE webview_session_event; --'",
                "'%I''\"'",
            ]
        case "json", "jsonb": return ["NULL", "'{}'", "'null'", "'[1]'", "'{\"x\":\"y\"}'"]
        case "bytea": return ["NULL", "'a'", "''"]
        case "regclass":
            return ["NULL", "'public.webview_session_event'", "'public.operator_event'", "'pg_catalog.pg_class'"]
        default: return try makeFromCatalog(type)
        }
    }

    /// Labels of an enumeration, or a row of a table.
    private func makeFromCatalog(_ type: String) throws -> [String]? {
        let kind = try owner.rows("SELECT typtype FROM pg_type WHERE oid = $1::regtype", [type])[0][0]
        switch kind {
        case "e":
            let labels = try owner.rows("SELECT enumlabel FROM pg_enum WHERE enumtypid = $1::regtype", [type])
            return ["NULL"] + labels.map { "'\($0[0] ?? "")'" }
        case "c": return ["NULL", "(SELECT t FROM public.\(type) AS t LIMIT 1)"]
        default: return nil
        }
    }

    private func server(from version: Int) throws -> Bool {
        try owner.rows("SELECT current_setting('server_version_num')::integer >= \(version)")[0][0] == "t"
    }
}
