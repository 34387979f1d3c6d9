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

/// Every command, in the order of the help text.
enum CommandTable {
    static let all: [Command] = [
        ServeCommand.command, DemoCommand.command, MigrateCommand.command, AssociationCommand.command,
        RoutesCommand.command, AuditCommand.command, KeysCommand.command, PaymentsCommand.command, StuckCommand.command,
        ReconcileCommand.command, SimulatorsCommand.command, ExplainSignatureCommand.command, DoctorCommand.command,
        WebhooksCommand.command, PostageKeyCommand.command, versionCommand,
    ]

    /// Options that every command has.
    static let common: [CommandOption] = [
        CommandOption("config", "FILE", "JSON file with settings; environment variables override it"),
        CommandOption("print-config", nil, "show the effective settings, secrets hidden, and stop"),
        CommandOption("help", nil, "show this text"),
    ]

    private static let versionCommand = Command(
        name: "version",
        operands: "",
        summary: "print the version",
        details: "",
        options: [],
        run: { input in
            input.console.print("sallyport \(ProgramVersion.text)")
            return 0
        }
    )
}

/// The version of the program.
enum ProgramVersion {
    /// Semantic versioning; the newest heading of CHANGELOG.md.
    static let text = "0.1.0"
}
