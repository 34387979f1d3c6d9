/// How bad a finding is.
package enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
    /// Something could not be looked at; nothing is known to be wrong.
    case note
    /// It works, but not well or not for everybody.
    case warning
    /// It does not work, or it is not safe.
    case error

    package static func < (left: Severity, right: Severity) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// One thing that a check found.
package struct Finding: Sendable, Hashable {
    /// The check, for example `D11`.
    package let check: String
    /// How bad it is.
    package let severity: Severity
    /// What it is about: a setting as it is written in the file, or an address; for example `apps.ios[0]`.
    package let subject: String
    /// What is wrong, in one sentence without a line break; no secret.
    package let message: String
    /// What to do about it, in one sentence without a line break; empty where nothing is to be done.
    package let remedy: String

    /// A finding.
    ///
    /// - Parameters:
    ///   - check: For example `D11`.
    ///   - remedy: What to do about it; may be empty.
    package init(_ check: String, _ severity: Severity, _ subject: String, _ message: String, remedy: String = "") {
        self.check = check
        self.severity = severity
        self.subject = subject
        self.message = message
        self.remedy = remedy
    }

    /// The finding in one line: `D11 error apps.ios[0]: MESSAGE REMEDY`.
    package var line: String {
        let text = "\(check) \(severity.rawValue) \(subject): \(message)"
        return remedy.isEmpty ? text : "\(text) \(remedy)"
    }
}
