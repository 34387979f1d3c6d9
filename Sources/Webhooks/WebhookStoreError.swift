/// A failure of what keeps endpoints and lanes.
package struct WebhookStoreError: Error, Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong, for programs.
    package enum Code: String, Sendable, Equatable {
        /// The store is away or overloaded and nothing was done; a retry is safe.
        case unavailable
        /// The store was lost while it worked: it may have been done.
        case outcomeUnknown = "outcome_unknown"
        /// The store refused a statement or holds what this program did not write; nothing was done.
        case fault
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What went wrong, for operators; never sent to anybody.
    package let detail: String

    /// A failure with the given code.
    ///
    /// - Parameters:
    ///   - code: For programs.
    ///   - detail: For operators; no secret, no personal data.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { "webhooks.\(code.rawValue)" }

    package var debugDescription: String { "\(description): \(detail)" }
}
