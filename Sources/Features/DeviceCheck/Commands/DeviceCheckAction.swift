import DeviceAttestation
import Operations
import Primitives
import Settings

/// What an operator asks for.
enum DeviceCheckAction: Sendable, Equatable {
    case probe(DeviceEnvironment?)
    case reset(UUIDBytes)
    /// The newest rows of an account, or of the posts that name none.
    case history(UUIDBytes?, limit: Int)

    /// The options of each verb.
    private static let options: [String: Set<String>] = [
        "probe": ["environment"], "reset": ["as", "reason"], "history": ["limit"],
    ]
    private static let limits = 1...10_000

    /// Reads a command line.
    ///
    /// - Throws: `ConfigurationError` that says what is wrong.
    init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
        let (verb, words) = (arguments.operands.first ?? "", Array(arguments.operands.dropFirst()))
        guard let options = DeviceCheckAction.options[verb] else {
            throw DeviceCheckAction.problem("name one of probe, reset and history")
        }
        let given = arguments.flags.union(arguments.values.keys).subtracting(["config", "print-config", "help"])
        if let unknown = given.subtracting(options).min() {
            throw DeviceCheckAction.problem("\(verb) has no option --\(unknown)")
        }
        switch (verb, words.count) {
        case ("probe", 0): self = .probe(try DeviceCheckAction.environment(arguments.values["environment"]))
        case ("reset", 1):
            guard arguments.values["reason"] != nil else {
                throw DeviceCheckAction.problem("reset: say why, with --reason; it is kept with the code")
            }
            self = .reset(try DeviceCheckAction.id(words[0]))
        case ("history", 0...1):
            let limit = try DeviceCheckAction.limit(arguments.values["limit"])
            self = .history(try words.first.map { word throws(ConfigurationError) in try Self.id(word) }, limit: limit)
        default: throw DeviceCheckAction.problem("\(verb) takes \(DeviceCheckAction.operands[verb] ?? "no operand")")
        }
    }

    private static let operands = ["reset": "one account", "history": "one account or none"]

    static func problem(_ sentence: String) -> ConfigurationError {
        ConfigurationError(problems: ["devicecheck: \(sentence)"])
    }

    private static func id(_ word: String) throws(ConfigurationError) -> UUIDBytes {
        guard let id = UUIDBytes(word) else { throw problem("\(word) is no id of an account") }
        return id
    }

    private static func environment(_ word: String?) throws(ConfigurationError) -> DeviceEnvironment? {
        guard let word else { return nil }
        guard let environment = DeviceEnvironment(word: word.octets) else {
            throw problem("--environment is production or development")
        }
        return environment
    }

    private static func limit(_ word: String?) throws(ConfigurationError) -> Int {
        guard let word else { return 100 }
        guard let limit = DecimalDigits.parse(Array(word.utf8).span, limit: limits.upperBound), limits.contains(limit)
        else { throw problem("--limit is a number from \(limits.lowerBound) to \(limits.upperBound)") }
        return limit
    }
}
