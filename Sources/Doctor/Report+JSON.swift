package import Operations
import StrictJSON

extension Report {
    /// The report for programs: a JSON object with `findings`, and the numbers of `errors`, `warnings` and `notes`.
    package var json: String {
        let all = findings.map { finding in
            JSONValue.object([
                JSONMember("check", .string(finding.check)),
                JSONMember("severity", .string(finding.severity.rawValue)),
                JSONMember("subject", .string(finding.subject)),
                JSONMember("message", .string(finding.message)),
                JSONMember("remedy", .string(finding.remedy)),
            ])
        }
        let report = JSONValue.object([
            JSONMember("findings", .array(all)),
            JSONMember("errors", JSONValue(count(.error))),
            JSONMember("warnings", JSONValue(count(.warning))),
            JSONMember("notes", JSONValue(count(.note))),
        ])
        return String(decoding: report.bytes, as: UTF8.self)
    }

    /// How many findings are of a severity.
    ///
    /// - Parameter severity: Exactly this one.
    /// - Returns: Zero or more.
    package func count(_ severity: Severity) -> Int {
        findings.count { $0.severity == severity }
    }
}
