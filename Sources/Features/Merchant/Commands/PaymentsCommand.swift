import Checkout
import EventIO
import Operations
import Primitives
import ServerCore
import Settings

/// `sallyport payments`: the operations of merchants that the program has given up, and what an operator decides about one.
enum PaymentsCommand {
    static let command = FeatureCommand(
        of: MerchantFeature.self,
        "payments",
        operands: "[OPERATION]",
        "list payments that were given up, or show or settle one",
        details: """
            Without OPERATION: prints one JSON line for each operation that was given up. Look up its target in
            the provider's console, then use one of:
            --resume   the same octets are sent under the same key for two more days; with --all in place of
                       OPERATION for every operation;
            --done ID  the operation was carried out. ID is the refund or the new charge, or the target of a
                       capture, a cancel or a close. It is read at the provider, and has to be of the same
                       target and sum;
            --end      nothing more is sent, the merchant gets `provider_refused`, the target is free. If the
                       operation had an effect after all, the ledger gets it from messages and polls.
            OPERATION without an option is printed, ended or not, with the provider's request id for its support.
            The ids of operations are in the event `payment.stuck` and in the log (`payment.settled`).
            What was done is printed as one JSON line, with `done`.
            Exit status 0: done or listed; 1: not done, a line has the reason; 2: wrong use or settings.
            """,
        options: [
            CommandOption("resume", nil, "send OPERATION again"),
            CommandOption("end", nil, "send nothing more for OPERATION, and free its target"),
            CommandOption("done", "ID", "record OPERATION as carried out, with the resulting object at the provider"),
            CommandOption("all", nil, "with --resume: all operations that were given up"),
        ] + OperatorTrail.options,
        scope: { (try? PaymentsTask($0))?.readsProvider == true ? .everything : .database },
        run: { feature, input, context in
            let task = try PaymentsTask(input.arguments)
            let trail = try OperatorTrail(input)
            let provider =
                task.readsProvider ? try context.features.read(CheckoutFeature.self).provider(context) : nil
            let console = input.console
            let outcome = try await context.connected { reactor, client in
                let resolver = PaymentResolver(
                    orders: PostgresOrderStore(client: client),
                    client: client,
                    provider: provider?.commandCheckout(on: reactor).client,
                    trail: trail,
                    random: reactor.random,
                    note: { console.complain("payments: \($0)") }
                )
                return try await resolver.carryOut(task)
            }
            for line in outcome.lines { console.print(line) }
            if task == .list, outcome.lines.isEmpty { console.remark("no payment is stuck") }
            if let complaint = outcome.complaint { console.complain("sallyport: payments: \(complaint)") }
            return outcome.complaint == nil ? 0 : 1
        }
    ).with(
        examples: [
            "sallyport payments",
            "sallyport payments --resume --all",
        ]
    )
}

/// An action of an operator on operations that were given up.
enum PaymentsTask: Sendable, Equatable {
    case list
    case show(UUIDBytes)
    case resume(UUIDBytes)
    case resumeAll
    case end(UUIDBytes)
    case done(UUIDBytes, object: String)

    /// Whether it takes a look at the provider.
    var readsProvider: Bool {
        switch self {
        case .done: true
        case .list, .show, .resume, .resumeAll, .end: false
        }
    }

    /// Reads a command line.
    ///
    /// - Parameter arguments: The operation is the only operand.
    /// - Throws: What is wrong with it.
    init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
        let choices = arguments.flags.intersection(["resume", "end", "all"])
        switch (arguments.operands.count, choices, arguments.values["done"]) {
        case (0, [], nil): self = .list
        case (1, [], nil): self = .show(try PaymentsTask.id(arguments.operands[0]))
        case (0, ["resume", "all"], nil): self = .resumeAll
        case (1, ["resume"], nil): self = .resume(try PaymentsTask.id(arguments.operands[0]))
        case (1, ["end"], nil): self = .end(try PaymentsTask.id(arguments.operands[0]))
        case (1, [], let object?): self = .done(try PaymentsTask.id(arguments.operands[0]), object: object)
        default: throw PaymentsTask.problem("name one operation, and say --resume, --end or --done ID")
        }
    }

    private static func id(_ text: String) throws(ConfigurationError) -> UUIDBytes {
        guard let id = UUIDBytes(text) else { throw problem("\(text) is no id of an operation") }
        return id
    }

    private static func problem(_ text: String) -> ConfigurationError {
        ConfigurationError(problems: ["payments: \(text)"])
    }
}
