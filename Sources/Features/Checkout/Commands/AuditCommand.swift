import EventIO
import Operations
import Primitives
import ServerCore
import SessionBroker
import Settings
import StrictJSON

/// `sallyport audit`: the trail of one webview session, or what should worry an operator, as JSON lines.
enum AuditCommand {
    static let command = FeatureCommand(
        of: CheckoutFeature.self,
        "audit",
        operands: "[SESSION]",
        "print the trail of a session as JSON lines",
        details: """
            \(SessionName.forms)
            With `session.trail_secret`, rows that the program has not written have the member `added`.
            The trail has no tokens and no names. Exit status: 0 done, 1 SESSION is not on record, 2 wrong use.
            """,
        options: [
            CommandOption(
                "alerts",
                nil,
                """
                events of all sessions: used tickets, wrong proofs, superseded tokens, tokens in clear, stuck purchases;
                before them the sessions that the database refuses to change, behind them the rows that the program has not written
                """
            ),
            CommandOption("operators", nil, "decisions of operators, with their names"),
            CommandOption("hours", "N", "with --alerts and --operators: hours before now; default: 24"),
        ],
        scope: { _ in .database },
        run: { feature, input, context in
            let kinds = input.arguments.flags.intersection(["alerts", "operators"]).count
            let isOfAll = kinds > 0
            guard kinds + input.arguments.operands.count == 1 else {
                throw ConfigurationError(problems: ["audit: name one session, --alerts or --operators"])
            }
            let query = try Query(input.arguments)
            let policy = try feature.settings.markingPolicy()
            let lines = try await context.connected { _, client in
                if case .operators(let since) = query {
                    return try await PostgresOperatorStore(client: client).list(since: since, limit: 10_000)
                        .map(line)
                }
                let store = try PostgresSessionStore(client: client, policy: policy)
                var skipped: [String] = []
                if case .alerts = query { skipped = try await store.skippedSessions().map(line) }
                return try await skipped + query.events(store).map(line)
            }
            for line in lines { input.console.print(line) }
            guard lines.isEmpty else { return 0 }
            guard !isOfAll else {
                input.console.remark("no events in that time")
                return 0
            }
            input.console.complain("sallyport: nothing on record under this id")
            return 1
        }
    ).with(
        examples: [
            "sallyport audit 4F7K9-2QX8M",
            "sallyport audit S03-1234567-1234567",
            "sallyport audit --alerts --hours 72",
        ]
    )

    /// What is asked for.
    private enum Query: Sendable {
        case session(SessionName)
        case alerts(since: WallTime)
        case operators(since: WallTime)

        init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
            if !arguments.flags.isDisjoint(with: ["alerts", "operators"]) {
                let hours = Array((arguments.values["hours"] ?? "24").utf8)
                guard let count = DecimalDigits.parse(hours.span, limit: 24 * 3_650) else {
                    throw ConfigurationError(problems: ["audit: --hours is a whole number up to \(24 * 3_650)"])
                }
                let since = SystemClock().now() + .seconds(-3_600 * count)
                self = arguments.flags.contains("alerts") ? .alerts(since: since) : .operators(since: since)
            } else {
                self = .session(SessionName(text: arguments.operands[0]))
            }
        }

        func events(_ store: PostgresSessionStore) async throws(StoreError) -> [AuditEvent] {
            switch self {
            case .session(let name):
                var events: [AuditEvent] = []
                for webviewSession in try await name.sessions(in: store).reversed() {
                    events += try await store.audit(webviewSession)
                }
                return events
            case .alerts(let since):
                return try await store.alerts(since: since, limit: 10_000) + store.added(since: since, limit: 10_000)
            case .operators: return []
            }
        }
    }

    /// A decision as JSON.
    private static func line(_ event: PostgresOperatorStore.Event) -> String {
        func parsed(_ text: [UInt8]?) -> JSONValue { text.flatMap { try? JSONParser.parse($0) } ?? .null }
        return JSONValue.object([
            JSONMember("at", .string(CalendarDate(event.at).extendedText)),
            JSONMember("operator", .string(event.operatorName)), JSONMember("command", .string(event.command)),
            JSONMember("target", .string(event.target)), JSONMember("reason", JSONValue(event.reason)),
            JSONMember("before", parsed(event.before)), JSONMember("after", parsed(event.after)),
        ]).description
    }

    /// A session that is passed over, as JSON.
    private static func line(_ skipped: SkippedSession) -> String {
        JSONValue.object([
            JSONMember("since", .string(CalendarDate(skipped.since).extendedText)),
            JSONMember("webview_session", "\(skipped.webviewSession)"),
            JSONMember("op", .string(skipped.work.rawValue)), JSONMember("outcome", "skipped"),
            JSONMember("times", JSONValue(skipped.times)), JSONMember("reason", .string(skipped.sqlState)),
        ]).description
    }

    /// One row as JSON.
    private static func line(_ event: AuditEvent) -> String {
        var members = [
            JSONMember("at", .string(CalendarDate(event.at).extendedText)),
            JSONMember("webview_session", "\(event.webviewSession)"),
            JSONMember("ordinal", JSONValue(event.ordinal)), JSONMember("op", "\(event.operation)"),
            JSONMember("outcome", "\(event.outcome)"), JSONMember("state", .string(event.state.rawValue)),
        ]
        if let reason = event.reason { members.append(JSONMember("reason", .string(reason))) }
        members += [JSONMember("peer", .string(event.peer)), JSONMember("request", .string(event.request))]
        if event.isAdded { members.append(JSONMember("added", true)) }
        if let request = event.providerRequest { members.append(JSONMember("providerRequest", .string(request))) }
        return JSONValue.object(members).description
    }
}
