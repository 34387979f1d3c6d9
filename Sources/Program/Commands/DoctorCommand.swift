import EventIO
import Operations

/// `sallyport doctor`: what is wrong with the settings and their surroundings, and what to do about it.
enum DoctorCommand {
    static let command = Command(
        name: "doctor",
        operands: "",
        summary: "check the settings and the machine, and print problems with remedies",
        details: """
            Prints one line per finding: check, error, warning or note, setting, problem, remedy. docs/doctor.md lists the checks.
            It accepts settings that `serve` refuses. Exit status: 0 no error, 1 warnings with --strict, 2 errors.
            """,
        options: [
            CommandOption(
                "online",
                nil,
                "also check the running program, the database, the provider, and the lists of Apple and Google"
            ),
            CommandOption("demo", nil, "use the defaults of `demo`"),
            CommandOption("strict", nil, "exit with 1 if there are warnings"),
            CommandOption("json", nil, "print one JSON object instead of lines"),
        ],
        examples: [
            "sallyport doctor --config sallyport.json --online"
        ],
        run: { input in
            let flags = input.arguments.flags
            if flags.contains("print-config") { return await input.withConfiguration { _ in 0 } }
            do {
                let settings = try input.settings()
                let source = try flags.contains("demo") ? DemoDefaults.fill(settings) : settings
                let examination = SettingExamination(source, now: SystemClock().now())
                var findings = examination.findings
                if flags.contains("online") {
                    findings += try await probe(examination, source)
                    findings += await askDatabase(source)
                }
                let report = Report(findings)
                show(report, flags, input.console)
                if let remark = input.configurationFile?.remark { input.console.complain("sallyport: \(remark)") }
                return report.exitStatus(isStrict: flags.contains("strict"))
            } catch {
                input.complain(error)
                return 2
            }
        }
    )

    private static func show(_ report: Report, _ flags: Set<String>, _ console: Console) {
        guard !flags.contains("json") else { return console.print(report.json) }
        for finding in report.findings { console.print(finding.line) }
        let counts = [("errors", Severity.error), ("warnings", .warning), ("notes", .note)]
        console.print("doctor: " + counts.map { "\(report.count($0.1)) \($0.0)" }.joined(separator: ", "))
    }
}
