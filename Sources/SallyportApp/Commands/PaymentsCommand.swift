import Commerce
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import Persistence
import Primitives
import StrictJSON

/// `sallyport payments`: the operations of merchants that the program has given up, and what an operator decides about one.
enum PaymentsCommand {
    static let command = Command(
        name: "payments",
        operands: "OPERATION",
        summary: "list payments of merchants that were given up, or settle OPERATION",
        details: """
            Without OPERATION one JSON line for each operation whose outcome the provider did not tell in two days, or will never
            tell: look its target up in the provider's console first. --resume has the program send the same once more, for two
            days; --end sends nothing more, calls the operation refused and frees its target: what it did at the provider
            after all comes into the ledger by notifications and polls.
            """,
        options: [
            CommandOption("resume", nil, "have the program send what OPERATION sends again"),
            CommandOption("end", nil, "send nothing more for OPERATION, and free its target"),
        ],
        run: { input in
            await input.withConfiguration { configuration in
                let task = try PaymentsTask(input.arguments)
                let lines = try await configuration.onDatabase(for: "payments") { reactor, client in
                    try await task.carryOut(PostgresOrderStore(client: client), random: reactor.random)
                }
                guard let lines else {
                    input.console.complain("sallyport: payments: that operation was not given up")
                    return 1
                }
                for line in lines { input.console.print(line) }
                return 0
            }
        }
    )
}

/// What an operator wants of operations that were given up.
enum PaymentsTask: Sendable, Equatable {
    case list
    case resume(UUIDBytes)
    case end(UUIDBytes)

    /// Reads a command line.
    ///
    /// - Parameter arguments: The operation is the only operand.
    /// - Throws: What is wrong with it.
    init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
        let choices = arguments.flags.intersection(["resume", "end"])
        switch (arguments.operands.count, choices) {
        case (0, []): self = .list
        case (1, ["resume"]): self = .resume(try PaymentsTask.id(arguments.operands[0]))
        case (1, ["end"]): self = .end(try PaymentsTask.id(arguments.operands[0]))
        default: throw PaymentsTask.problem("name one operation, and say --resume or --end")
        }
    }

    /// Does it.
    ///
    /// - Parameters:
    ///   - orders: The store.
    ///   - random: Makes ids.
    /// - Returns: What to print, or `nil` where the operation was not given up.
    /// - Throws: What the store says.
    func carryOut(
        _ orders: PostgresOrderStore,
        random: any RandomSource
    ) async throws(MerchantStoreError) -> [String]? {
        let attempt = UUIDBytes(version7At: SystemClock().now(), random: random)
        switch self {
        case .list: return try await orders.givenUp(limit: 10_000).map(PaymentsTask.line)
        case .resume(let id):
            return try await orders.reopen(id, freshAttempt: attempt, lease: .zero) == nil ? nil : []
        case .end(let id):
            guard let held = try await orders.reopen(id, freshAttempt: attempt, lease: .seconds(60)) else { return nil }
            let problem = Problem(.providerRefused, "An operator has ended the operation.")
            let answer = StoredAnswer(status: problem.code.status.code, body: problem.body.bytes)
            return try await orders.settle(held, as: .refused("operator", nil, answer)) ? [] : nil
        }
    }

    private static func line(_ stuck: StuckOperation) -> String {
        JSONValue.object([
            JSONMember("operation", .string(stuck.operation.id.description)),
            JSONMember("session", .string(stuck.operation.flow.description)),
            JSONMember("kind", .string(stuck.operation.kind.rawValue)),
            JSONMember("target", .string(stuck.operation.target)),
            JSONMember("amount", JSONValue(optionalMoney: stuck.operation.amount)),
            JSONMember("key", .string(stuck.operation.key)),
            JSONMember("began", .string(CalendarDate(stuck.began).extendedText)),
            JSONMember("givenUp", .string(CalendarDate(stuck.givenUp).extendedText)),
            JSONMember("reason", JSONValue(stuck.reason)),
        ]).description
    }

    private static func id(_ text: String) throws(ConfigurationError) -> UUIDBytes {
        guard let id = UUIDBytes(text) else { throw problem("\(text) is no id of an operation") }
        return id
    }

    private static func problem(_ text: String) -> ConfigurationError {
        ConfigurationError(problems: ["payments: \(text)"])
    }
}
