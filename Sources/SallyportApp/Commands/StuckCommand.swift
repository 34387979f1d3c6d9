import Commerce
import EventIO
import Persistence
import Primitives
import SessionBroker
import StrictJSON
import Telemetry

/// `sallyport stuck`: the purchases that the program has given up, and what an operator decides about one.
enum StuckCommand {
    static let command = Command(
        name: "stuck",
        operands: "FLOW",
        summary: "list purchases that were given up, or settle FLOW",
        details: """
            Without FLOW one JSON line for each purchase whose outcome the provider did not tell in two days, or will never
            tell: look the checkout session up in the provider's console first. --resume has the program ask again for two
            days; --decline calls the purchase unpaid, so refund at the provider whatever was taken.
            """,
        options: [
            CommandOption("resume", nil, "have the program ask the provider about FLOW again"),
            CommandOption("decline", nil, "call FLOW unpaid; the buyer may start over"),
        ],
        run: { input in
            await input.withConfiguration { configuration in
                let task = try StuckTask(input.arguments)
                let policy = configuration.policy
                let lines = try await configuration.onDatabase(for: "stuck") { reactor, client in
                    let store = PostgresSessionStore(client: client, policy: policy)
                    return try await task.carryOut(store, random: reactor.random)
                }
                guard let lines else {
                    input.console.complain("sallyport: that purchase was not given up, or is being looked at")
                    return 1
                }
                for line in lines { input.console.print(line) }
                return 0
            }
        }
    )
}

/// What an operator wants of purchases that were given up.
private enum StuckTask: Sendable {
    case list
    case resume(FlowID)
    case decline(FlowID)

    init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
        let choices = arguments.flags.intersection(["resume", "decline"])
        guard let operand = arguments.operands.first else {
            guard choices.isEmpty else { throw ConfigurationError(problems: ["stuck: name a flow"]) }
            self = .list
            return
        }
        guard arguments.operands.count == 1, let flow = UUIDBytes(operand) else {
            throw ConfigurationError(problems: ["stuck: name one flow by its id"])
        }
        guard choices.count == 1 else {
            throw ConfigurationError(problems: ["stuck: say --resume or --decline"])
        }
        self = choices.contains("resume") ? .resume(flow) : .decline(flow)
    }

    /// Does it.
    ///
    /// - Returns: What to print, or `nil` where the flow is in no state for it.
    func carryOut(_ store: PostgresSessionStore, random: any RandomSource) async throws(BrokerError) -> [String]? {
        let caller = Caller(internal: "operator", request: "stuck-" + Hex.encode(random.bytes(8)))
        switch self {
        case .list:
            return try await store.stuckPurchases(limit: 10_000).map(StuckTask.line)
        case .resume(let flow):
            return try await store.resume(flow, by: caller) ? [] : nil
        case .decline(let flow):
            guard try await store.stuckPurchases(limit: 10_000).contains(where: { $0.flow == flow }) else { return nil }
            let attempt = UUIDBytes(version7At: SystemClock().now(), random: random)
            let taken = try await store.takeOver(flow, freshAttempt: attempt, pause: .zero, by: caller)
            guard taken != nil else { return nil }
            let end = AttemptEnd.declined(reason: "operator")
            return try await store.settle(flow, attempt: attempt, as: end, by: caller) ? [] : nil
        }
    }

    private static func line(_ purchase: StuckPurchase) -> String {
        JSONValue.object([
            JSONMember("flow", "\(purchase.flow)"),
            JSONMember("since", .string(CalendarDate(purchase.since).extendedText)),
            JSONMember("givenUp", .string(CalendarDate(purchase.stuckAt).extendedText)),
            JSONMember("recoveries", JSONValue(purchase.recoveries)),
            JSONMember("checkoutSession", .string(purchase.orderReference)),
            JSONMember("total", JSONValue(Int(purchase.total.amount))),
        ]).description
    }
}
