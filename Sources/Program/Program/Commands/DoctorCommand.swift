import EventIO
import Operations
import Settings

/// `sallyport doctor`: what is wrong with the settings and their surroundings, and what to do about it.
enum DoctorCommand {
    static let command = Command(
        name: "doctor",
        operands: "",
        summary: "check the settings and the machine, and print problems with remedies",
        details: """
            Prints one line per finding: check, error, warning or note, setting, problem, remedy. docs/doctor.md lists the checks.
            It accepts settings that `serve` refuses. Without a file of settings it checks the demo of the data directory, if there is
            one and neither a database nor an account is set. Exit status: 0 no error, 1 warnings with --strict, 2 errors.
            """,
        options: [
            CommandOption(
                "online",
                nil,
                "also check the running program, the database, the provider, and the lists of Apple and Google"
            ),
            CommandOption(
                "demo",
                nil,
                "use the defaults of `demo`, with the settings of the demo in the data directory"
            ),
            CommandOption("strict", nil, "exit with 1 if there are warnings"),
            CommandOption("json", nil, "print one JSON object instead of lines"),
        ],
        examples: [
            "sallyport doctor --config sallyport.json --online"
        ],
        run: { input in
            let flags = input.arguments.flags
            do {
                let (source, isDemo) = try settings(input)
                if flags.contains("print-config") { return await input.withConfiguration({ _ in source }) { _ in 0 } }
                let examination = SettingExamination(source, now: SystemClock().now())
                var findings = examination.findings
                if flags.contains("online") {
                    findings += try await probe(examination, source)
                    findings += await askDatabase(source)
                }
                let report = Report(findings)
                show(report, flags, input.console)
                if let remark = input.configurationFile?.remark { input.console.complain("sallyport: \(remark)") }
                if isDemo, !flags.contains("json") {
                    let folder = Configuration(unchecked: source).storage.dataDirectory
                    input.console.print(
                        "doctor: no file of settings, so these are the settings of the demo in \(folder)"
                    )
                }
                return report.exitStatus(isStrict: flags.contains("strict"))
            } catch {
                input.complain(error)
                return 2
            }
        }
    )

    /// The settings that are checked: where no file is named, perhaps those of the demo in the data directory.
    private static func settings(_ input: CommandInput) throws -> (source: SettingSource, isDemo: Bool) {
        let settings = try input.settings()
        if input.arguments.flags.contains("demo") {
            return (try DemoFolder.settings(for: settings) ?? DemoDefaults.fill(settings), false)
        }
        guard !settings.hasFile, input.configurationFile?.isClosed != true,
            let kept = try DemoFolder.settings(for: settings)
        else { return (settings, false) }
        return (kept, true)
    }

    private static func show(_ report: Report, _ flags: Set<String>, _ console: Console) {
        guard !flags.contains("json") else { return console.print(report.json) }
        for finding in report.findings { console.print(finding.line) }
        let counts = [("error", Severity.error), ("warning", .warning), ("note", .note)].map { word, severity in
            let count = report.count(severity)
            return "\(count) \(word)\(count == 1 ? "" : "s")"
        }
        console.print("doctor: " + counts.joined(separator: ", "))
    }
}
