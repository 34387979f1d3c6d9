import Operations
import ServerCore

/// The checks without a network that are no feature's: listeners, hosts, certificates, files with secrets.
enum ProgramChecks {
    /// Something that the program refuses at its start.
    struct Problem {
        /// The setting, or the part of the program that refuses.
        let setting: String
        let text: String
    }

    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        HostChecks.findings(settings) + CertificateChecks.findings(settings) + AdminChecks.findings(settings)
            + SecrecyChecks.findings(settings)
    }

    /// D57: what the settings switch off, and what to set.
    static func off(_ features: [FeatureOff]) -> [Finding] {
        features.map { Finding("D57", .note, $0.name, "The feature is \($0.sentence).") }
    }

    /// D00: what the program itself refuses, unless a check has reported it already, in more detail.
    static func refusals(_ problems: [Problem], besides found: [Finding]) -> [Finding] {
        let reported = Set(found.filter { $0.severity == .error }.map(\.subject))
        return problems.filter { problem in
            // The program names the whole part where a check names one setting of it.
            !reported.contains { $0 == problem.setting || $0.hasPrefix(problem.setting + ".") }
        }.map { problem in
            Finding(
                "D00",
                .error,
                problem.setting,
                Finding.sentence(problem.text),
                remedy: "The program does not start with this value; docs/settings.md lists what each setting takes."
            )
        }
    }
}
