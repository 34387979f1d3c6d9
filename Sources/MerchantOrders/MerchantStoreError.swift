/// A store of merchants' data did not do what it was asked.
package struct MerchantStoreError: Error, Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What that means for the caller.
    package enum Code: String, Sendable, Equatable {
        /// The store cannot be reached; nothing was done.
        case unavailable
        /// The store has no room for more at the moment; nothing was done.
        case overloaded
        /// It may have been done, and looking did not tell.
        case outcomeUnknown = "outcome_unknown"
        /// The store refused or answered nonsense; nothing was done, a retry fails too.
        case fault
    }

    /// What it means for the caller.
    package let code: Code
    /// For operators; no token and no personal data.
    package let detail: String

    /// A failure.
    ///
    /// - Parameters:
    ///   - code: What it means for the caller.
    ///   - detail: For operators.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { "merchants.\(code.rawValue)" }

    package var debugDescription: String { "\(description): \(detail)" }
}
