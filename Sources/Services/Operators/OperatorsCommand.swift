import EventIO
import Operations
import Primitives
import ServerCore
import Settings

/// `sallyport operators`: makes a key for a person of the staff, and lists who may sign in.
enum OperatorsCommand {
    static let command = FeatureCommand(
        of: OperatorPages.self,
        "operators",
        operands: "key NAME|list",
        "make a key for a person of the staff, list who may sign in",
        details: """
            key prints the new key, only this once, and the line for the file of operators.keys_file, which it does not change. The line
            replaces an older one of the person. SIGHUP has a running program read the file again; sessions that another key has
            opened end then.
            """,
        options: [CommandOption("role", "ROLE", "key: view or change; default: view")],
        run: { feature, input, _ in
            switch try Task(input.arguments) {
            case .list:
                guard !feature.keysPath.isEmpty else {
                    throw ConfigurationError(problems: ["\(OperatorRoster.setting): not set, so nobody may sign in"])
                }
                let members = try OperatorRoster.read(feature.keysPath).members
                for member in members { input.console.print("\(member.role.rawValue) \(member.name)") }
                if members.isEmpty { input.console.remark("nobody may sign in") }
            case .key(let name, let role):
                let key = OperatorKey.make(random: KernelRandom())
                let member = OperatorRoster.Member(name: name, role: role, hash: key.hash)
                input.console.remark("the key, for \(name) alone:")
                input.console.print(key.text)
                input.console.remark("the line for the file:")
                input.console.print(member.line)
            }
            return 0
        }
    ).with(
        examples: [
            "sallyport operators key 'Hanako Yamada' --role change", "sallyport operators list",
        ]
    )

    /// What is asked for.
    enum Task: Sendable, Equatable {
        case key(name: String, role: OperatorRole)
        case list

        /// Reads a command line.
        ///
        /// - Throws: What is wrong with it.
        init(_ arguments: CommandLineArguments) throws(ConfigurationError) {
            let operands = arguments.operands
            let role = arguments.values["role"]
            switch (operands.first, operands.count) {
            case ("list", 1) where role == nil: self = .list
            case ("key", 2):
                guard PrintableText.isGood(operands[1], length: OperatorRoster.nameLength) else {
                    throw ConfigurationError(problems: ["NAME: not 1 to 100 printable characters"])
                }
                guard let role = OperatorRole(word: (role ?? OperatorRole.view.rawValue).octets) else {
                    throw ConfigurationError(problems: ["--role: neither view nor change"])
                }
                self = .key(name: operands[1], role: role)
            default: throw ConfigurationError(problems: ["operators: key NAME or list, as --help says"])
            }
        }
    }
}
