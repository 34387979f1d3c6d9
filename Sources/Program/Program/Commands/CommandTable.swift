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
        DoctorCommand.command, SimulatorsCommand.command, ResealCommand.command,
    ]

    /// Options that every command has.
    static let common: [CommandOption] = [
        CommandOption(
            "config",
            "FILE",
            "JSON file with settings, which environment variables override; without it the file in \(ConfigurationFile.variable)"
        ),
        CommandOption(
            "print-config",
            forms: ["json"],
            "print the resulting settings without secrets, and exit; json: in the format of --config"
        ),
        CommandOption("help", nil, "print this text"),
    ]

    /// The commands with what is said of the whole program.
    static let set = CommandSet(
        CommandSet.Program(
            name: "sallyport",
            summary:
                "sallyport \(ProgramVersion.text): takes a buyer from an app to a secure browser tab and back, and completes the purchase exactly once.",
            version: ProgramVersion.line,
            hint: """
                `sallyport help COMMAND` describes a command, `sallyport help settings` lists the settings. Settings come from a
                JSON file (--config, or SALLYPORT_CONFIG) and from environment variables, which take precedence.
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
