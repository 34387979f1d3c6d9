package import Operations
package import Postgres
import Primitives
package import Settings
package import StrictJSON

/// Record of what an operator decides, about whatever feature: written down before it is carried out, completed behind it.
package struct OperatorTrail: Sendable {
    /// A decision about one thing.
    package struct Decision: Sendable {
        /// The command, for example `stuck --decline`.
        package let command: String
        /// The id of what it is about; no secret.
        package let target: String
        /// As it was found.
        package var before: JSONValue?

        /// A decision about something of which nothing was found, unless `before` is set.
        package init(command: String, target: String, before: JSONValue? = nil) {
            self.command = command
            self.target = target
            self.before = before
        }
    }

    /// Name of the operator.
    package let name: String

    /// Why; `nil` where nobody has said so.
    package let reason: String?

    /// The options of every command that decides something.
    package static let options = [
        CommandOption("as", "NAME", "name to record the decision under; default: your login name"),
        CommandOption("reason", "TEXT", "why, to be recorded with it; no secret, no name of a buyer"),
    ]

    /// The trail of the operator that runs a command.
    ///
    /// - Throws: `ConfigurationError` for a name or a reason that cannot be printed.
    package init(_ input: CommandInput) throws(ConfigurationError) {
        let environment = ["SUDO_USER", "USER", "LOGNAME"].map { input.environment[$0] }
        let given = ([input.arguments.values["as"]] + environment).compactMap(\.self).first { !$0.isEmpty }
        let reason = input.arguments.values["reason"]
        guard let trail = OperatorTrail(name: given ?? "unknown", reason: reason) else {
            throw ConfigurationError(problems: [
                "--as, --reason: a name of 1 to 100 and a text of 1 to 200 printable characters"
            ])
        }
        self = trail
    }

    /// The trail of a person whom somebody else has asked for the name; `nil` for texts that cannot be printed.
    package init?(name: String, reason: String? = nil) {
        guard PrintableText.isGood(name, length: 1...100),
            reason.map({ PrintableText.isGood($0, length: 1...200) }) ?? true
        else { return nil }
        self.name = name
        self.reason = reason
    }

    /// Carries a decision out.
    ///
    /// - Parameters:
    ///   - decision: What was decided; `nil` for what changes nothing.
    /// - Throws: What the body throws: then the record stays open.
    package func record<Value>(
        _ decision: Decision?,
        _ client: PostgresClient,
        _ body: () async throws -> Value,
        after: (Value) -> JSONValue
    ) async throws -> Value {
        guard let decision else { return try await body() }
        let store = PostgresOperatorStore(client: client)
        let before = decision.before?.description
        let opened = try await store.begin(name, decision.command, decision.target, reason: reason, before: before)
        let value = try await body()
        try await store.end(opened, after: after(value).description)
        return value
    }
}
