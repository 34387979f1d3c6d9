import StrictJSON

/// Everything that the checks found, in the order of the checks.
package struct Report: Sendable, Equatable {
    /// The findings, ordered by check; of one check in the order in which they were found.
    package let findings: [Finding]

    /// A report of findings.
    package init(_ findings: [Finding]) {
        self.findings = findings.enumerated().sorted {
            ($0.element.check, $0.offset) < ($1.element.check, $1.offset)
        }.map(\.element)
    }

    /// The worst severity, or `nil` where nothing was found.
    package var worst: Severity? { findings.map(\.severity).max() }

    /// How many findings are of a severity.
    package func count(_ severity: Severity) -> Int {
        findings.count { $0.severity == severity }
    }

    /// The status that the program exits with.
    ///
    /// - Parameter isStrict: Whether warnings count.
    /// - Returns: 2 for errors, 1 for warnings where they count, 0 otherwise.
    package func exitStatus(isStrict: Bool) -> Int32 {
        switch worst {
        case .error: 2
        case .warning: isStrict ? 1 : 0
        case .note, nil: 0
        }
    }

    /// One line per finding, each with a line break at its end.
    package var text: String {
        findings.map { $0.line + "\n" }.joined()
    }

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
}
