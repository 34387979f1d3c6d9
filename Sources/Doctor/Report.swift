package import Operations

/// Everything that the checks found, in the order of the checks.
package struct Report: Sendable, Equatable {
    /// The findings, ordered by check; of one check in the order in which they were found.
    package let findings: [Finding]

    /// A report of findings.
    ///
    /// - Parameter findings: In any order.
    package init(_ findings: [Finding]) {
        self.findings = findings.enumerated().sorted {
            ($0.element.check, $0.offset) < ($1.element.check, $1.offset)
        }.map(\.element)
    }

    /// The worst severity, or `nil` where nothing was found.
    package var worst: Severity? { findings.map(\.severity).max() }

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
}
