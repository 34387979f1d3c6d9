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
            Without OPERATION: one JSON line for each operation that was given up. Look its target up in the
            provider's console, then
            --resume   sends the same octets under the same key for two more days; with --all instead of
                       OPERATION, for each operation;
            --done ID  calls it carried out. ID is what came of it: the refund or the new charge; of a
                       capture, a cancel or a close its target. It is read at the provider, and has to be
                       of the same target and sum;
            --end      sends nothing more, answers the merchant `provider_refused` and frees the target.
                       What it did at the provider after all comes into the ledger by messages and polls.
            OPERATION alone is shown, ended or not, with the provider's request id for its support. The event
            `payment.stuck` and the log (`payment.settled`) name operations.
            Exit status 0: done or listed; 1: not done, a line says why; 2: wrong use or settings.
            """,
        options: [
            CommandOption("resume", nil, "have the program send what OPERATION sends again"),
            CommandOption("end", nil, "send nothing more for OPERATION, and free its target"),
            CommandOption("done", "ID", "call OPERATION carried out: what came of it at the provider"),
            CommandOption("all", nil, "with --resume: all that were given up"),
            OperatorTrail.option,
        ],
        scope: { (try? PaymentsTask($0))?.readsProvider == true ? .everything : .database },
        run: { feature, input, context in
            let task = try PaymentsTask(input.arguments)
            let trail = try OperatorTrail(input)
            let provider =
                task.readsProvider ? try context.features.demanded(CheckoutFeature.self).provider(context) : nil
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
