/// The commands of a program: finds the one that words ask for, and lists them all.
///
/// The help texts are made from the commands, so that they cannot disagree with the program.
package struct CommandSet: Sendable {
    private let program: Program
    private let commands: [Command]
    private let common: [CommandOption]
    private let topics: [Topic]

    /// What the help texts say of the whole program.
    package struct Program: Sendable {
        let name: String
        let summary: String
        let version: String
        let hint: String
        let commandHint: String

        /// A program.
        ///
        /// - Parameters:
        ///   - summary: The first line of its help.
        ///   - version: What `--version` prints.
        ///   - hint: The last lines of its help.
        ///   - commandHint: The last line of each command's help.
        package init(name: String, summary: String, version: String, hint: String, commandHint: String) {
            self.name = name
            self.summary = summary
            self.version = version
            self.hint = hint
            self.commandHint = commandHint
        }
    }

    /// A help text beside those of the commands.
    package struct Topic: Sendable {
        let name: String
        let text: @Sendable () -> String

        /// What `help NAME` prints.
        package init(_ name: String, _ text: @escaping @Sendable () -> String) {
            self.name = name
            self.text = text
        }
    }

    /// Without a command, as most programs have it.
    private static let versionOption = CommandOption("version", nil, "print the version and the commit")

    /// A set.
    ///
    /// - Parameters:
    ///   - commands: In the order of the help text.
    package init(_ program: Program, _ commands: [Command], common: [CommandOption], topics: [Topic]) {
        self.program = program
        self.commands = commands
        self.common = common
        self.topics = topics
    }

    // MARK: Running

    /// Runs the command that words ask for.
    ///
    /// - Parameter words: Everything behind the program's name.
    /// - Returns: The exit status: 0 done, 1 failed, 2 wrong use.
    package func run(_ words: [String], environment: [String: String], console: Console) async -> Int32 {
        let arguments: CommandLineArguments
        do {
            arguments = try CommandLineArguments(words, options: options)
        } catch {
            return misuse(error.text, console, of: words.first { !$0.hasPrefix("-") })
        }
        if arguments.command == "help" { return help(arguments.operands, console) }
        guard let name = arguments.command else {
            if arguments.flags.contains(CommandSet.versionOption.name) {
                console.print(program.version)
                return 0
            }
            console.print(helpText)
            return arguments.flags.contains("help") || words.isEmpty ? 0 : 2
        }
        guard let command = command(named: name) else {
            let near = Spelling.nearest(to: name, among: commands.map(\.name)).map { "; did you mean \($0)?" } ?? ""
            return misuse("no such command: \(name)\(near)", console)
        }
        if arguments.flags.contains("help") {
            console.print(helpText(of: command))
            return 0
        }
        let allowed = Set((command.options + common).map(\.name))
        if let unknown = arguments.flags.union(arguments.values.keys).subtracting(allowed).min() {
            return misuse("`\(name)` has no option --\(unknown)", console, of: name)
        }
        guard arguments.operands.isEmpty || !command.operands.isEmpty else {
            return misuse("`\(name)` takes no operand", console, of: name)
        }
        return await command.run(CommandInput(arguments: arguments, environment: environment, console: console))
    }

    /// Whether the command would lose something if a signal just ended it.
    package func answersSignals(_ words: [String]) -> Bool {
        // What cannot be read is reported by `run`.
        guard let name = (try? CommandLineArguments(words, options: options))?.command else { return false }
        return command(named: name)?.answersSignals == true
    }

    private var options: [CommandOption] { commands.flatMap(\.options) + common + [CommandSet.versionOption] }

    private func command(named name: String) -> Command? { commands.first { $0.name == name } }

    /// `help`, `help COMMAND` and `help TOPIC`.
    private func help(_ operands: [String], _ console: Console) -> Int32 {
        guard let name = operands.first else {
            console.print(helpText)
            return 0
        }
        let topic = topics.first { $0.name == name }?.text()
        guard let text = topic ?? command(named: name).map(helpText(of:)) else {
            return misuse("no such command: \(name)", console)
        }
        console.print(text)
        return 0
    }

    private func misuse(_ text: String, _ console: Console, of name: String? = nil) -> Int32 {
        let known = name.flatMap(command(named:)).map { $0.name + " " } ?? ""
        console.complain("\(program.name): \(text)\nsee `\(program.name) \(known)--help`")
        return 2
    }

    // MARK: Help

    private var helpText: String {
        var lines = [program.summary, "", "usage: \(program.name) COMMAND [OPTIONS]", "", "commands:"]
        lines += commands.map {
            CommandSet.row($0.name + ($0.operands.isEmpty ? "" : " " + $0.operands), $0.summary)
        }
        return (lines + ["", program.hint]).joined(separator: "\n")
    }

    private func helpText(of command: Command) -> String {
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        var lines = ["\(command.summary)", "", "usage: \(program.name) \(command.name)\(operands) [OPTIONS]"]
        if !command.details.isEmpty { lines += ["", command.details] }
        lines += ["", "options:"]
        lines += (command.options + common).map { option in
            CommandSet.row("--" + option.name + option.form, option.meaning)
        }
        if !command.examples.isEmpty {
            lines += ["", "examples:"] + command.examples.map { "  " + $0 }
        }
        return (lines + ["", program.commandHint]).joined(separator: "\n")
    }

    /// One line of a list.
    package static func row(_ left: String, _ right: String) -> String {
        let padding = String(repeating: " ", count: max(2, 40 - left.count))
        return "  \(left)\(padding)\(right)"
    }
}
