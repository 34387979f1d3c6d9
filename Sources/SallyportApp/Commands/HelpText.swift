import Settings

/// The help texts, made from the tables so that they cannot disagree with the program.
enum HelpText {
    /// What `sallyport --help` prints.
    static var program: String {
        var lines = [
            "sallyport \(ProgramVersion.text): hands a buyer from an app to a secure browser tab and back, once.", "",
            "usage: sallyport COMMAND [OPTIONS]", "", "commands:",
        ]
        lines += CommandTable.all.map { row($0.name + ($0.operands.isEmpty ? "" : " " + $0.operands), $0.summary) }
        lines += [
            "",
            "`sallyport help COMMAND` tells more, `sallyport help settings` lists the settings: a JSON file (--config), and",
            "environment variables, which win.",
        ]
        return lines.joined(separator: "\n")
    }

    /// What `sallyport help COMMAND` prints.
    static func of(_ command: Command) -> String {
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        var lines = ["\(command.summary)", "", "usage: sallyport \(command.name)\(operands) [OPTIONS]"]
        if !command.details.isEmpty { lines += ["", command.details] }
        lines += ["", "options:"]
        lines += (command.options + CommandTable.common).map { option in
            row("--" + option.name + (option.placeholder.map { " " + $0 } ?? ""), option.meaning)
        }
        if !command.examples.isEmpty {
            lines += ["", "examples:"] + command.examples.map { "  " + $0 }
        }
        lines += ["", "`sallyport help settings` lists the settings."]
        return lines.joined(separator: "\n")
    }

    /// What `sallyport help settings` prints.
    static var settings: String {
        let intro = [
            "settings, as environment variables with their defaults; docs/settings.md has their names in the JSON file:"
        ]
        let rows = Configuration.settings.map { setting in
            row(
                "\(setting.environmentName)",
                setting.meaning + (setting.fallback.isEmpty ? "" : " [\(setting.fallback)]")
            )
        }
        return (intro + rows).joined(separator: "\n")
    }

    private static func row(_ left: String, _ right: String) -> String {
        let padding = String(repeating: " ", count: max(2, 40 - left.count))
        return "  \(left)\(padding)\(right)"
    }
}
