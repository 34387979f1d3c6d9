import AppStoreTransactions
import EventIO
import Operations
import Primitives
import ServerCore
import Settings

/// What an operator asks for.
enum AppStoreAction: Sendable {
    case verify([String])
    case account(UUIDBytes)
    case balance(UUIDBytes, AppStoreEnvironment)
    case testNotification(AppStoreEnvironment)
    case replay(since: WallTime, until: WallTime, AppStoreEnvironment?)
    case reconcile(UUIDBytes?, AppStoreEnvironment?)

    /// The options of each verb.
    private static let options: [String: Set<String>] = [
        "verify": [], "account": [], "balance": ["environment"], "test-notification": ["environment"],
        "replay": ["environment", "since", "until", "as", "reason"], "reconcile": ["environment"],
    ]

    /// Reads a command line.
    ///
    /// - Throws: `ConfigurationError` that says what is wrong.
    init(_ arguments: CommandLineArguments, _ settings: AppStoreSettings) throws(ConfigurationError) {
        let (verb, words) = (arguments.operands.first ?? "", Array(arguments.operands.dropFirst()))
        guard let options = AppStoreAction.options[verb] else {
            throw AppStoreAction.problem(
                "name one of verify, account, balance, test-notification, replay and reconcile"
            )
        }
        let given = arguments.flags.union(arguments.values.keys).subtracting(["config", "print-config", "help"])
        if let unknown = given.subtracting(options).min() {
            throw AppStoreAction.problem("\(verb) has no option --\(unknown)")
        }
        let named = try AppStoreAction.environment(arguments.values["environment"], settings)
        let usual = named ?? settings.environments[0]
        switch (verb, words.count) {
        case ("verify", 1...): self = .verify(words)
        case ("account", 1): self = .account(try AppStoreAction.id(words[0]))
        case ("balance", 1): self = .balance(try AppStoreAction.id(words[0]), usual)
        case ("test-notification", 0): self = .testNotification(usual)
        case ("replay", 0):
            self = .replay(
                since: try AppStoreAction.time(arguments, "since") ?? WallTime(seconds: 0),
                until: try AppStoreAction.time(arguments, "until") ?? SystemClock().now(),
                named
            )
        case ("reconcile", 0): self = .reconcile(nil, named)
        case ("reconcile", 1): self = .reconcile(try AppStoreAction.id(words[0]), named)
        default: throw AppStoreAction.problem("\(verb) takes \(AppStoreAction.operands[verb] ?? "no operand")")
        }
    }

    private static let operands = [
        "verify": "files", "account": "one account", "balance": "one account", "reconcile": "one account or none",
    ]

    static func problem(_ sentence: String) -> ConfigurationError {
        ConfigurationError(problems: ["appstore: \(sentence)"])
    }

    private static func id(_ word: String) throws(ConfigurationError) -> UUIDBytes {
        guard let id = UUIDBytes(word) else { throw problem("\(word) is no id of an account") }
        return id
    }

    private static func environment(
        _ word: String?,
        _ settings: AppStoreSettings
    ) throws(ConfigurationError) -> AppStoreEnvironment? {
        guard let word else { return nil }
        guard let found = settings.environments.first(where: { $0.rawValue.octets == word.octets }) else {
            let words = settings.environments.map(\.rawValue).joined(separator: ", ")
            throw problem("--environment: one of app_store.environments: \(words)")
        }
        return found
    }

    private static func time(
        _ arguments: CommandLineArguments,
        _ name: String
    ) throws(ConfigurationError) -> WallTime? {
        guard let text = arguments.values[name] else { return nil }
        guard let time = CalendarDate.time(of: text.utf8.count == 10 ? text + "T00:00:00Z" : text) else {
            throw problem("--\(name) is a day such as 2026-11-20 or a time such as 2026-11-20T08:00:00Z")
        }
        return time
    }
}
