/// What a merchant's key allows its holder to do.
package enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Reading sessions, charges and refunds.
    case sessionsRead = "sessions:read"
    /// Opening, completing and cancelling sessions.
    case sessionsWrite = "sessions:write"
    /// Reading who bought, and where to.
    case buyersRead = "buyers:read"
    /// Charging, capturing, cancelling a charge, closing a permission.
    case paymentsWrite = "payments:write"
    /// Giving money back.
    case refundsWrite = "refunds:write"
    /// Reading what happened to all sessions.
    case eventsRead = "events:read"

    /// The scopes that a list stands for, or `nil` where a part of it is none.
    ///
    /// - Parameter text: Raw values with a comma between each two; no blanks, none twice, at least one.
    /// - Returns: At least one scope.
    package static func parse(_ text: String) -> Set<Scope>? {
        var scopes: Set<Scope> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let scope = Scope(rawValue: String(part)), scopes.insert(scope).inserted else { return nil }
        }
        return scopes
    }

    /// A set of scopes as a list, in the order of this type.
    ///
    /// - Parameter scopes: Any set.
    /// - Returns: What `parse` reads; empty for no scope.
    package static func list(_ scopes: Set<Scope>) -> String {
        allCases.filter(scopes.contains).map(\.rawValue).joined(separator: ",")
    }
}
