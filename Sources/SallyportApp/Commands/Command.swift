/// One command of the program.
struct Command: Sendable {
    let name: String
    /// Operands in the usage line, for example `FLOW`; empty for none.
    let operands: String
    /// One line for people.
    let summary: String
    /// Further lines of the help text; may be empty.
    let details: String
    let options: [CommandOption]
    /// Whole command lines to copy.
    var examples: [String] = []
    /// Whether it ends by itself in its own order when it is told to; the others are simply ended by the signal.
    var answersSignals = false
    /// Runs the command.
    ///
    /// - Returns: The exit status: 0 done, 1 failed, 2 wrong use; others as `details` say.
    let run: @Sendable (CommandInput) async -> Int32
}

/// What a command is given.
struct CommandInput: Sendable {
    let arguments: CommandLineArguments
    let environment: [String: String]
    let console: Console
}
