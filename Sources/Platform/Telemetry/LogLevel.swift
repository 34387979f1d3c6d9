/// How much a log line matters, from least to most.
package enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Every step, for a developer at a debugger.
    case trace
    /// What helps to explain one request.
    case debug
    /// Normal, and worth a line in production.
    case info
    /// Normal but rare: a start, a stop, a reload.
    case notice
    /// Something failed and was dealt with.
    case warning
    /// Something failed and an operator must act.
    case error

    /// The level with a name, or `nil` for another word.
    ///
    /// - Parameter name: Lower case, as `description` writes it.
    package init?(name: String) {
        guard let level = LogLevel.allCases.first(where: { $0.description == name }) else { return nil }
        self = level
    }

    /// The level as syslog and the journal of systemd number it: 3 for an error, 7 for what developers need.
    package var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension LogLevel: CustomStringConvertible {
    package var description: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }
}
