import EventIO
import Operations
import ServerCore
import Settings

/// `sallyport stuck`: the purchases that the program has given up, and what an operator decides about one.
enum StuckCommand {
    static let command = FeatureCommand(
        of: CheckoutFeature.self,
        "stuck",
        operands: "[SESSION]",
        "list purchases that were given up, or settle SESSION",
        details: """
            Without SESSION: prints one JSON line for each purchase that was given up (`reason` time, gone or
            amount), and for each charge whose session is unpaid (`unmatchedPermission`). Look it up in the
            provider's console, then use one of:
            --resume   the program reads the outcome at the provider again, for two days; with --all in place of
                       SESSION for every purchase;
            --decline  the purchase is unpaid; first refund at the provider any money that was taken;
            --paid     the purchase is paid, also if the session has ended unpaid. Permission and charge are read
                       at the provider, and have to belong to SESSION and its total. For a session that this
                       database does not have, or that has no agreed total, use `sallyport adopt`;
            --refunded ends an `unmatchedPermission` whose charge holds no money any more. The charge is read at
                       the provider.
            \(SessionName.forms)
            What was done is printed as one JSON line, with `done`.
            Exit status 0: done or listed; 1: not done, a line has the reason; 2: wrong use or settings.
            """,
        options: [
            CommandOption("resume", nil, "read the outcome of SESSION at the provider again"),
            CommandOption("decline", nil, "record SESSION as unpaid; the buyer may start over"),
            CommandOption("paid", nil, "record SESSION as paid by the charge of --permission"),
            CommandOption("refunded", nil, "the charge of --permission was refunded, cancelled or declined"),
            CommandOption("permission", "ID", "with --paid and --refunded: the charge permission, S03-…"),
            CommandOption("charge", "ID", "with --paid and --refunded: the charge, if the checkout session is gone"),
            CommandOption("all", nil, "with --resume: all purchases that were given up"),
        ] + OperatorTrail.options,
        scope: { (try? StuckTask($0))?.readsProvider == true ? .everything : .database },
        run: { feature, input, context in
            let task = try StuckTask(input.arguments)
            let trail = try OperatorTrail(input)
            let provider = task.readsProvider ? try feature.provider(context) : nil
            let policy = try feature.settings.markingPolicy()
            let console = input.console
            let outcome = try await context.connected { reactor, client in
                let resolver = StuckResolver(
                    store: try PostgresSessionStore(client: client, policy: policy),
                    client: client,
                    provider: provider?.commandCheckout(on: reactor).client,
                    trail: trail,
                    random: reactor.random,
                    note: { console.complain("stuck: \($0)") }
                )
                return try await resolver.carryOut(task)
            }
            for line in outcome.lines { console.print(line) }
            if task == .list, outcome.lines.isEmpty { console.remark("no purchase is stuck") }
            if let complaint = outcome.complaint { console.complain("sallyport: \(complaint)") }
            return outcome.complaint == nil ? 0 : 1
        }
    ).with(
        examples: [
            "sallyport stuck",
            "sallyport stuck 4F7K9-2QX8M --resume",
            "sallyport stuck 4F7K9-2QX8M --paid --permission S03-1234567-1234567",
        ]
    )
}

/// An action of an operator on purchases that were given up.
enum StuckTask: Sendable, Equatable {
    case list
    case resume(SessionName)
    case resumeAll
    case decline(SessionName)
    case paid(SessionName, permission: String, charge: String?)
    case refunded(SessionName, permission: String, charge: String?)

    /// Whether it takes a look at the provider.
    var readsProvider: Bool {
        switch self {
        case .paid, .refunded: true
        case .list, .resume, .resumeAll, .decline: false
        }
    }

    /// Reads a command line.
    ///
    /// - Parameter arguments: The session is the only operand.
    /// - Throws: What is wrong with it.
    init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
        let choices = arguments.flags.intersection(["resume", "decline", "paid", "refunded", "all"])
        let ids = (permission: arguments.values["permission"], charge: arguments.values["charge"])
        guard ids.permission == nil && ids.charge == nil || choices == ["paid"] || choices == ["refunded"]
        else {
            throw StuckTask.problem("--permission and --charge belong to --paid and --refunded")
        }
        guard let operand = arguments.operands.first else {
            switch choices {
            case []: self = .list
            case ["resume", "all"]: self = .resumeAll
            default: throw StuckTask.problem("name a session")
            }
            return
        }
        guard arguments.operands.count == 1 else { throw StuckTask.problem("name one session") }
        let name = SessionName(text: operand)
        switch choices {
        case ["resume"]: self = .resume(name)
        case ["decline"]: self = .decline(name)
        case ["paid"], ["refunded"]:
            guard let permission = ids.permission else {
                throw StuckTask.problem("--paid and --refunded need --permission S03-…")
            }
            self =
                choices == ["paid"]
                ? .paid(name, permission: permission, charge: ids.charge)
                : .refunded(name, permission: permission, charge: ids.charge)
        default: throw StuckTask.problem("say --resume, --decline, --paid or --refunded")
        }
    }

    private static func problem(_ text: String) -> ConfigurationError {
        ConfigurationError(problems: ["stuck: \(text)"])
    }
}
