import AmazonPay
import EventIO
import MerchantOrders
import Persistence
import Postgres
import Primitives
import SessionBroker
import Simulators
import StrictJSON
import Telemetry

/// `sallyport reconcile`: compares orders with the provider's objects and prints what differs.
enum ReconcileCommand {
    static let command = Command(
        name: "reconcile",
        operands: "",
        summary: "compare orders with the provider's objects",
        details: """
            One line per difference: FLOW KIND OBJECT ours=STATE TAKEN REFUNDED theirs=STATE TAKEN REFUNDED, sums in minor units.
            `theirs=missing`: the provider does not know the object. `unread`: it gave no answer. A session that is Completed
            at the provider while its order has ended unpaid: somebody has to refund or deliver. `under way`: a purchase or
            operation whose answer was lost; the program finds out, or `stuck` and `payments` list it. No difference. Meant for every night. Exit status 0: no
            difference is left, 1: some are.
            """,
        options: [
            CommandOption("since", "DAY", "orders from this day (UTC, 2026-11-20) or time on; yesterday unless set"),
            CommandOption("until", "DAY", "orders before this day or time; all unless set"),
            CommandOption("fix", nil, "have the ledger take in what differs; nothing is paid, captured or refunded"),
            CommandOption("json", nil, "print JSON lines"),
        ],
        run: { input in
            await input.withConfiguration { configuration in
                let now = SystemClock().now()
                let since = try time(input, "since") ?? startOfDay(now + .seconds(-86_400))
                let until = try time(input, "until") ?? now + .seconds(60)
                let task = ReconcileTask(since: since, until: until, repairs: input.arguments.flags.contains("fix"))
                let provider = try ProviderSetup(
                    configuration.provider,
                    web: configuration.listeners.web,
                    lease: configuration.policy.times.lease
                )
                let console = input.console
                let isJSON = input.arguments.flags.contains("json")
                let summary = try await configuration.onDatabase(for: "reconcile") { reactor, client in
                    try await task.run(client, provider, reactor) { line in
                        console.print(isJSON ? line.json : line.text)
                    }
                }
                let counts = "\(summary.orders) orders, \(summary.compared) objects, \(summary.open) differences left"
                if !isJSON { console.print("reconcile: " + counts) }
                return summary.open == 0 ? 0 : 1
            }
        }
    )

    /// The time behind an option: a day, or a time of RFC 3339 in UTC.
    private static func time(_ input: CommandInput, _ name: String) throws(ConfigurationError) -> WallTime? {
        guard let text = input.arguments.values[name] else { return nil }
        let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        guard let time = ISO8601.time(whole) else {
            throw ConfigurationError(
                problems: ["reconcile: --\(name) is a day such as 2026-11-20 or a time such as 2026-11-20T08:00:00Z"]
            )
        }
        return time
    }

    private static func startOfDay(_ time: WallTime) -> WallTime {
        WallTime(seconds: time.seconds - time.seconds % 86_400)
    }
}

/// One comparison.
private struct ReconcileTask: Sendable {
    let since: WallTime
    let until: WallTime
    let repairs: Bool

    func run(
        _ client: PostgresClient,
        _ provider: ProviderSetup,
        _ reactor: Reactor,
        _ tell: @escaping @Sendable (Reconciliation.Line) -> Void
    ) async throws -> Reconciliation.Summary {
        let checkout = CheckoutService.make(
            provider,
            quota: CallQuota(provider.quota),
            reactor: reactor,
            telemetry: AppTelemetry(logger: .silent, metrics: MetricsRegistry()),
            // Nobody else is on this loop.
            signOffLoop: { work in work() }
        )
        let reports = PostgresReconciliationStore(client: client)
        let day = String(CalendarDate(since).extendedText.prefix(10))
        try await reports.begin(day)
        let reconciliation = Reconciliation(
            PostgresOrderStore(client: client),
            provider: checkout,
            repairs: repairs
        )
        let summary = try await reconciliation.run(since: since, until: until, tell)
        try await reports.end(day, compared: summary.compared, differences: summary.open)
        return summary
    }
}

extension Reconciliation.Line {
    /// One line for people and for tools that split at blanks.
    var text: String {
        let head = "\(flow) \(kind.rawValue) \(id) "
        switch finding {
        case .different(let difference): return head + sides(difference)
        case .repaired(let difference): return head + sides(difference) + " fixed"
        case .unread(let detail): return head + "unread \(detail)"
        case .underWay: return head + "under way"
        }
    }

    private func sides(_ difference: LedgerDifference) -> String {
        "ours=\(difference.ours.text) theirs=\(difference.theirs?.text ?? "missing")"
    }

    /// The same as a JSON object.
    var json: String {
        var members = [
            JSONMember("flow", "\(flow)"), JSONMember("kind", .string(kind.rawValue)), JSONMember("id", .string(id)),
        ]
        switch finding {
        case .different(let difference), .repaired(let difference):
            members.append(JSONMember("ours", Reconciliation.Line.json(difference.ours)))
            members.append(JSONMember("theirs", difference.theirs.map(Reconciliation.Line.json) ?? .null))
            if case .repaired = finding { members.append(JSONMember("fixed", true)) }
        case .unread(let detail):
            members.append(JSONMember("unread", .string(detail)))
        case .underWay:
            members.append(JSONMember("underWay", true))
        }
        return JSONValue.object(members).description
    }

    private static func json(_ side: LedgerDifference.Side) -> JSONValue {
        .object([
            JSONMember("state", .string(side.state.rawValue)), JSONMember("taken", JSONValue(Int(side.taken))),
            JSONMember("refunded", JSONValue(Int(side.refunded))),
        ])
    }
}
