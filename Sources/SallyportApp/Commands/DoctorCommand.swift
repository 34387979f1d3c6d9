import Doctor
import EventIO
import Primitives

/// `sallyport doctor`: what is wrong with the settings and their surroundings, and what to do about it.
enum DoctorCommand {
    static let command = Command(
        name: "doctor",
        operands: "",
        summary: "check the settings and the files they name, and say what to do",
        details: """
            One line per finding: check, error, warning or note, setting, what is wrong, what to do. docs/doctor.md lists the checks.
            It works with settings that `serve` refuses. Exit status: 0 no error, 1 warnings with --strict, 2 errors.
            """,
        options: [
            CommandOption("demo", nil, "fill in what `demo` fills in"),
            CommandOption("strict", nil, "warnings count too"),
            CommandOption("json", nil, "print one JSON object instead of lines"),
        ],
        run: { input in
            let flags = input.arguments.flags
            if flags.contains("print-config") { return await input.withConfiguration { _ in 0 } }
            do {
                let settings = try input.settings()
                let source = try flags.contains("demo") ? DemoDefaults.fill(settings) : settings
                let examination = SettingExamination(source, now: SystemClock().now())
                let report = Report(OfflineChecks.findings(examination.facts, appleFile: examination.appleFile))
                show(report, flags, input.console)
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
