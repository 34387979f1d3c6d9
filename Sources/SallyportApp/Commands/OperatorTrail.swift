import MerchantOrders
import Operations
import Persistence
import Postgres
import Primitives
import ServiceAPI
import Settings
import StrictJSON

/// Record of what an operator decides: written down before it is carried out, completed behind it.
struct OperatorTrail: Sendable {
    /// A decision about one thing.
    struct Decision: Sendable {
        /// The command, for example `stuck --decline`.
        let command: String
        /// The id of what it is about; no secret.
        let target: String
        /// As it was found.
        var before: JSONValue?
    }

    /// Name of the operator.
    let name: String

    /// The option of every command that decides something.
    static let option = CommandOption("as", "NAME", "who decides, for the record; your login name unless set")

    /// The trail of whoever runs a command.
    ///
    /// - Parameter input: The command's.
    /// - Throws: `ConfigurationError` for a name that cannot be printed.
    init(_ input: CommandInput) throws(ConfigurationError) {
        let environment = ["SUDO_USER", "USER", "LOGNAME"].map { input.environment[$0] }
        let given = ([input.arguments.values["as"]] + environment).compactMap(\.self).first { !$0.isEmpty }
        name = given ?? "unknown"
        guard KeyGrant.isName(name) else {
            throw ConfigurationError(problems: ["--as: a name of 1 to 100 printable characters"])
        }
    }

    /// Carries a decision out.
    ///
    /// - Parameters:
    ///   - decision: What was decided; `nil` for what changes nothing.
    ///   - client: The database.
    ///   - body: Carries it out.
    ///   - after: What it came to; no secret.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws: then the record stays open.
    func record<Value>(
        _ decision: Decision?,
        _ client: PostgresClient,
        _ body: () async throws -> Value,
        after: (Value) -> JSONValue
    ) async throws -> Value {
        guard let decision else { return try await body() }
        let store = PostgresOperatorStore(client: client)
        let before = decision.before?.description
        let event = try await store.begin(name, decision.command, decision.target, before: before)
        let value = try await body()
        try await store.end(event, after: after(value).description)
        return value
    }
}
