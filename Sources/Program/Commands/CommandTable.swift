import Operations
import ServerCore
import Settings

/// Every command, in the order of the help text.
enum CommandTable {
    static let all: [Command] =
        whole + FeatureList.all.commands(FeatureCommandHost()) + [versionCommand]

    /// Those of the program as a whole.
    static let own = whole + [versionCommand]

    private static let whole: [Command] = [
        ServeCommand.command, DemoCommand.command, MigrateCommand.command, RoutesCommand.command,
        DoctorCommand.command, SimulatorsCommand.command, ExplainSignatureCommand.command,
    ]

    /// Options that every command has.
    static let common: [CommandOption] = [
        CommandOption("config", "FILE", "JSON file with settings; environment variables override it"),
        CommandOption(
            "print-config",
            forms: ["json"],
            "show the effective settings, secrets hidden, and stop; as JSON: what --config reads"
        ),
        CommandOption("help", nil, "show this text"),
    ]

    /// The commands with what is said of the whole program.
    static let set = CommandSet(
        CommandSet.Program(
            name: "sallyport",
            summary:
                "sallyport \(ProgramVersion.text): hands a buyer from an app to a secure browser tab and back, once.",
            version: ProgramVersion.line,
            hint: """
                `sallyport help COMMAND` tells more, `sallyport help settings` lists the settings: a JSON file (--config), and
                environment variables, which win.
                """,
            commandHint: "`sallyport help settings` lists the settings."
        ),
        all,
        common: common,
        topics: [CommandSet.Topic("settings") { settingsText }]
    )

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

    /// What `sallyport help settings` prints.
    private static var settingsText: String {
        let intro = [
            "settings, as environment variables with their defaults; docs/settings.md has their names in the JSON file:"
        ]
        let rows = Configuration.settings.map { setting in
            CommandSet.row(
                "\(setting.environmentName)",
                setting.meaning + (setting.fallback.isEmpty ? "" : " [\(setting.fallback)]")
            )
        }
        return (intro + rows).joined(separator: "\n")
    }
}
