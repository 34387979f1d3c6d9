/// What is wrong with a configuration: every problem, not the first.
package struct ConfigurationError: Error, Sendable {
    /// One line each, `name: what is wrong`, without secret values.
    package let problems: [String]

    /// Some problems, each a line.
    package init(problems: [String]) {
        self.problems = problems
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// All problems in one line, as a log has them.
    package var description: String { problems.joined(separator: "; ") }
}
