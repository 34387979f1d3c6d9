/// Every command, in the order of the help text.
enum CommandTable {
    static let all: [Command] = [
        ServeCommand.command, DemoCommand.command, MigrateCommand.command, AssociationCommand.command,
        LinkCommand.command, RoutesCommand.command, AuditCommand.command, RevokeCommand.command, KeysCommand.command,
        PaymentsCommand.command, StuckCommand.command, ReconcileCommand.command, AdoptCommand.command,
        SimulatorsCommand.command, ExplainSignatureCommand.command, DoctorCommand.command, WebhooksCommand.command,
        PostageKeyCommand.command, versionCommand,
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
        summary: "print the version and the commit; --version does the same",
        details: "",
        options: [],
        run: { input in
            input.console.print(ProgramVersion.line)
            return 0
        }
    )
}
