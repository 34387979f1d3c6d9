import AmazonPay
import Checkout
import EventIO
import MerchantOrders
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON

/// `sallyport reconcile`: compares orders with the provider's objects and prints what differs.
enum ReconcileCommand {
    static let command = FeatureCommand(
        of: MerchantFeature.self,
        "reconcile",
        "compare orders with the provider's objects",
        details: """
            Prints one line per difference: SESSION KIND OBJECT ours=STATE TAKEN REFUNDED theirs=STATE TAKEN
            REFUNDED, sums in minor units.
            `theirs=missing`: the provider does not know the object. `unread`: it did not answer, and
            `unread notSent`: it was not reached, or the quota of calls is used up.
            `session` with `theirs=Completed`: paid at the provider, and the order has ended unpaid here: use
            `stuck SESSION --paid`, or refund it.
            `stuck since TIME`: a purchase or operation that was given up, or a charge whose order is unpaid;
            `stuck` and `payments` list them. `under way since TIME`: recovery should have ended it by now.
            Every report lists these two kinds, for any --since and --until.
            Two kinds of line are no difference. `behind`: a bank has answered, or a permission is used up,
            and the program has not read it since. `under way`: the answer to a purchase or operation was
            lost, and the program repeats the call.
            The report compares the orders made from --since on, and older ones with an operation, a message
            of the provider or a payment since. A refund in the provider's console without a message is found
            only by --sample each week, or by an old --since.
            Run it every night. A report that was cut off is continued by the next one of the same orders.
            Exit status 0: no difference is left; 1: some are left, or it could not begin; 2: wrong use or
            settings; 3: cut off.
            """,
        options: [
            CommandOption(
                "since",
                "DAY",
                "orders from this day (UTC) or time on; default: yesterday"
            ),
            CommandOption("until", "DAY", "orders before this day or time; default: all"),
            CommandOption("sample", "N", "also N orders with captured money of the last 180 days, spread evenly"),
            CommandOption("fix", nil, "record in the ledger what was read"),
            CommandOption("anew", nil, "do not continue a report that was cut off"),
            CommandOption("json", nil, "print JSON lines"),
            CommandOption(
                "rate",
                "N",
                "calls to the provider a second; default: 1"
            ),
            CommandOption("concurrency", "N", "orders compared at a time, within the rate; default: 4"),
        ] + OperatorTrail.options,
        run: { feature, input, context in
            let flags = input.arguments.flags
            var wish = ReportRun.Wish(
                since: try time(input, "since") ?? startOfDay(SystemClock().now() + .seconds(-86_400)),
                until: try time(input, "until"),
                repairs: flags.contains("fix"),
                isAnew: flags.contains("anew")
            )
            wish.sample = try number(input, "sample", "orders", 1...100_000) ?? 0
            let checkout = try context.features.read(CheckoutFeature.self)
            let provider = try checkout.provider(context)
            let rate = try number(input, "rate", "calls a second", 1...1000) ?? 1
            let task = ReconcileTask(
                wish: wish,
                rate: rate,
                width: try number(input, "concurrency", "orders", 1...64) ?? 4,
                provider: provider,
                trail: try OperatorTrail(input),
                console: input.console,
                isJSON: flags.contains("json")
            )
            let (policy, isAllowed) = (checkout.settings.policy, checkout.settings.provider.allowsAccountChange)
            return try await context.connected { reactor, client in
                try await PostgresSessionStore(client: client, policy: policy)
                    .demandAccount(provider.account, orAllowed: isAllowed)
                return try await task.run(client, reactor)
            }
        }
    ).with(
        examples: [
            "sallyport reconcile --config sallyport.json",
            "sallyport reconcile --since 2026-11-01 --json",
        ],
        answersSignals: true
    )

    /// The time behind an option: a day, or a time of RFC 3339 in UTC.
    private static func time(_ input: CommandInput, _ name: String) throws(ConfigurationError) -> WallTime? {
        guard let text = input.arguments.values[name] else { return nil }
        let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        guard let time = CalendarDate.time(of: whole) else {
            throw ConfigurationError(
                problems: ["reconcile: --\(name) is a day such as 2026-11-20 or a time such as 2026-11-20T08:00:00Z"]
            )
        }
        return time
    }

    /// The number behind an option; `nil` where it is not given.
    private static func number(
        _ input: CommandInput,
        _ name: String,
        _ unit: String,
        _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int? {
        guard let text = input.arguments.values[name] else { return nil }
        let digits = Array(text.utf8)
        guard let number = DecimalDigits.parse(digits.span, limit: range.upperBound), range.contains(number) else {
            let bounds = "from \(range.lowerBound) to \(range.upperBound)"
            throw ConfigurationError(problems: ["reconcile: --\(name) is \(unit), \(bounds)"])
        }
        return number
    }

    private static func startOfDay(_ time: WallTime) -> WallTime {
        WallTime(seconds: time.seconds - time.seconds % 86_400)
    }
}

/// One report, and its lines for people.
private struct ReconcileTask: Sendable {
    let wish: ReportRun.Wish
    let rate: Int
    let width: Int
    let provider: ProviderSetup
    let trail: OperatorTrail
    let console: Console
    let isJSON: Bool

    /// Exit status of a report that did not come to its end.
    private static let cutOff: Int32 = 3

    /// Runs it to its end, or to the order that is compared when SIGINT or SIGTERM comes.
    func run(_ client: PostgresClient, _ reactor: Reactor) async throws -> Int32 {
        var signal: Signal?
        let signals = try SignalSource(reactor, ShutdownSignal.all) { come in
            signal = come
            note("\(come): stopping after the current order")
        }
        defer { signals.cancel() }
        do {
            let end = try await trail.record(decision, client) {
                try await report(client, reactor).run(
                    wish,
                    tell: { line in console.print(isJSON ? line.json : line.text) },
                    note: note,
                    isStopped: { signal != nil }
                )
            } after: {
                .string($0.counts)
            }
            return conclude(end)
        } catch let error as StoreError {
            note("cut off; the next run continues this report: \(error.debugDescription)")
            return ReconcileTask.cutOff
        }
    }

    /// What is written down of a report that changes the ledger.
    private var decision: OperatorTrail.Decision? {
        guard wish.repairs else { return nil }
        return OperatorTrail.Decision(
            command: "reconcile --fix",
            target: "orders since " + CalendarDate(wish.since).extendedText
        )
    }

    private func report(_ client: PostgresClient, _ reactor: Reactor) -> ReportRun {
        let now = SystemClock().now()
        let orders = PostgresOrderStore(client: client, account: provider.account)
        return ReportRun(
            reconciliation: Reconciliation(
                orders,
                provider: provider.commandCheckout(on: reactor, pace: CallRate(burst: 1, perSecond: Double(rate))),
                repairs: wish.repairs,
                isOwn: orders.isOwn,
                pool: WorkerPool(reactor, width: width),
                pause: { await reactor.sleep(for: PollSchedule.heldBack) }
            ),
            reports: PostgresReconciliationStore(client: client),
            unsettled: PostgresUnsettledStore(client: client),
            attempt: UUIDBytes(version7At: now, random: reactor.random),
            now: now
        )
    }

    private func conclude(_ end: ReportRun.End) -> Int32 {
        switch end {
        case .whole(let summary):
            if !isJSON { console.print("reconcile: " + summary.counts) }
            return summary.open == 0 ? 0 : 1
        case .stopped(let summary):
            note("stopped, \(summary.counts) so far; the next run continues this report")
            return ReconcileTask.cutOff
        case .takenOver:
            note("another run of `reconcile` continues this report")
            return ReconcileTask.cutOff
        }
    }

    private func note(_ text: String) {
        console.complain("reconcile: " + text)
    }
}

extension ReportRun.End {
    /// What it came to, for the record.
    fileprivate var counts: String {
        switch self {
        case .whole(let summary): summary.counts
        case .stopped(let summary): "stopped, \(summary.counts) so far"
        case .takenOver: "another run of `reconcile` continues this report"
        }
    }
}

extension Reconciliation.Line {
    /// One line for people and for tools that split at blanks.
    var text: String {
        let head = "\(webviewSession) \(kind.rawValue) \(id) "
        switch finding {
        case .different(let difference): return head + sides(difference)
        case .repaired(let difference): return head + sides(difference) + " fixed"
        case .behind(let difference): return head + sides(difference) + " behind"
        case .unread(let detail): return head + "unread \(detail)"
        case .underWay: return head + "under way"
        case .unsettled(let found):
            let time = CalendarDate(found.since).extendedText
            return head + (found.isStuck ? "stuck" : "under way") + " since \(time)"
                + (found.reason.map { " (\($0))" } ?? "")
        }
    }

    private func sides(_ difference: LedgerDifference) -> String {
        "ours=\(difference.ours.text) theirs=\(difference.theirs?.text ?? "missing")"
    }

    /// The same as a JSON object.
    var json: String {
        var members = [
            JSONMember("webview_session", "\(webviewSession)"), JSONMember("kind", .string(kind.rawValue)),
            JSONMember("id", .string(id)),
        ]
        switch finding {
        case .different(let difference), .repaired(let difference), .behind(let difference):
            members.append(JSONMember("ours", Reconciliation.Line.json(difference.ours)))
            members.append(JSONMember("theirs", difference.theirs.map(Reconciliation.Line.json) ?? .null))
            if case .repaired = finding { members.append(JSONMember("fixed", true)) }
            if case .behind = finding { members.append(JSONMember("behind", true)) }
        case .unread(let detail):
            members.append(JSONMember("unread", .string(detail)))
        case .underWay:
            members.append(JSONMember("underWay", true))
        case .unsettled(let found):
            members.append(JSONMember(found.isStuck ? "stuck" : "underWay", true))
            members.append(JSONMember("since", .string(CalendarDate(found.since).extendedText)))
            if let reason = found.reason { members.append(JSONMember("reason", .string(reason))) }
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
