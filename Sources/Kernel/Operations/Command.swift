/// One command of the program.
package struct Command: Sendable {
    /// As it is typed.
    package let name: String
    /// Operands in the usage line, for example `SESSION`; empty for none.
    package let operands: String
    /// One line for people.
    package let summary: String
    /// Further lines of the help text; may be empty.
    package let details: String
    /// Those that it has beside the common ones.
    package let options: [CommandOption]
    /// Whole command lines to copy.
    package let examples: [String]
    /// Whether it ends by itself in its own order at a signal; the others are simply ended by it.
    package let answersSignals: Bool
    /// Runs the command.
    ///
    /// - Returns: The exit status: 0 done, 1 failed, 2 wrong use; others as `details` say.
    package let run: @Sendable (CommandInput) async -> Int32

    /// A command; `details` may be empty, `operands` too.
    package init(
        name: String,
        operands: String,
        summary: String,
        details: String,
        options: [CommandOption],
        examples: [String] = [],
        answersSignals: Bool = false,
        run: @escaping @Sendable (CommandInput) async -> Int32
    ) {
        self.name = name
        self.operands = operands
        self.summary = summary
        self.details = details
        self.options = options
        self.examples = examples
        self.answersSignals = answersSignals
        self.run = run
    }
}

/// What a command is given.
package struct CommandInput: Sendable {
    /// The words behind the command.
    package let arguments: CommandLineArguments
    /// The variables of the process.
    package let environment: [String: String]
    /// Where it writes.
    package let console: Console
}
