/// A store did not do what it was asked; what it refuses with a reason is no failure but an outcome.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong, for programs.
    package enum Code: Sendable, Equatable {
        /// The store is away and nothing was done; a retry is safe.
        case unavailable
        /// More is asked of the store than it can do in time; nothing was done, a retry is safe.
        case overloaded
        /// The store was lost while it worked, and a re-read did not show the outcome.
        case outcomeUnknown
        /// The caller asks too much, so the store was not asked; whole seconds until the next try may work.
        case limited(retryAfter: Int)
        /// The store refused a statement or holds what this program did not write; nothing was done, a retry fails too.
        case fault

        /// For logs.
        package var word: String {
            switch self {
            case .unavailable: "unavailable"
            case .overloaded: "overloaded"
            case .outcomeUnknown: "outcome_unknown"
            case .limited: "limited"
            case .fault: "fault"
            }
        }
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What went wrong, for operators; never sent to a client.
    package let detail: String

    /// A failure with the given code.
    ///
    /// - Parameters:
    ///   - detail: For operators; no token, no personal data.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { "store.\(code.word)" }

    package var debugDescription: String { "\(description): \(detail)" }
}
