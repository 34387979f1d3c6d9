import Doctor
import EventIO
import HTTPClient
import Operations
import ServerCore

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
                var findings = OfflineChecks.findings(examination.facts, appleFile: examination.appleFile)
                findings += examination.features.findings
                if flags.contains("online") {
                    findings += try await ask(examination)
                    findings += await askDatabase(source)
                    findings += try await askFeatures(source)
                }
                let report = Report(findings)
                show(report, flags, input.console)
                return report.exitStatus(isStrict: flags.contains("strict"))
            } catch {
                input.complain(error)
                return 2
            }
        }
    )

    /// What the surroundings answer.
    private static func ask(_ examination: SettingExamination) async throws -> [Finding] {
        let facts = examination.facts
        let files = OnlineChecks.Files(apple: examination.appleFile, android: examination.androidFile)
        let hosts = trust(developmentAuthority(facts) ?? "")
        let provider = trust(facts.texts["provider.ca_file"] ?? "")
        let world = trust("")
        return try await withEventLoop { reactor in
            let own = CurlClient(reactor, configuration: hosts)
            let ways = OnlineChecks.Ways(
                hosts: own,
                provider: CurlClient(reactor, configuration: provider),
                world: CurlClient(reactor, configuration: world),
                certificate: { url in await own.certificate(at: url) }
            )
            return await OnlineChecks(facts, files: files, ways: ways, clock: SystemClock()).findings()
        }
    }

    private static func trust(_ authority: String) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        if !authority.isEmpty { configuration.trust = .file(path: authority) }
        return configuration
    }

    /// The authority that made the certificate of a program on loopback, where there is one.
    private static func developmentAuthority(_ facts: SettingFacts) -> String? {
        let path = (facts.texts["data_dir"] ?? "") + "/development/authority.pem"
        let isLoopback = WebOrigin(facts.texts["web.base_url"] ?? "")?.isLoopback == true
        return isLoopback && Files.exists(path) ? path : nil
    }

    private static func show(_ report: Report, _ flags: Set<String>, _ console: Console) {
        guard !flags.contains("json") else { return console.print(report.json) }
        for finding in report.findings { console.print(finding.line) }
        let counts = [("errors", Severity.error), ("warnings", .warning), ("notes", .note)]
        console.print("doctor: " + counts.map { "\(report.count($0.1)) \($0.0)" }.joined(separator: ", "))
    }
}
