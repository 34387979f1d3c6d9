package import Primitives

/// What the recovery of purchases and that of operations on payments have in common.
package enum RecoverySQL {
    /// For how long nobody else claims what was claimed, and the first pause after a take-over that the database refused.
    package static let pause = Duration.seconds(30)

    /// Stands behind all others of a group: a claim locks rows without waiting, and nothing may wait while it holds them.
    package static let last = UUIDBytes(high: .max, low: .max)

    /// Whether the order of a webview session was made under an account; true where it has none.
    ///
    /// - Parameters:
    ///   - webviewSession: SQL, the webview session.
    package static func isOwn(_ webviewSession: String, _ account: (id: String, environment: String)) -> String {
        """
        coalesce((
            SELECT (o.account, o.environment) = (\(account.id), \(account.environment)) FROM merchant_order AS o
            WHERE o.webview_session_id = \(webviewSession)), true)
        """
    }

    /// Whole seconds since a time; none since one without end, which would fail the statement for all rows.
    package static func age(_ since: String) -> String {
        "CASE WHEN isfinite(\(since)) THEN extract(epoch FROM statement_timestamp() - \(since))::bigint ELSE 0 END"
    }

    /// A time from now on: some seconds, doubled with each time before, up to an hour.
    ///
    /// - Parameters:
    ///   - times: SQL, how many times before.
    ///   - seconds: SQL, the first pause.
    package static func backOff(_ times: String, _ seconds: String) -> String {
        "statement_timestamp() + least(3600, \(seconds) * 2 ^ least(\(times), 10)) * interval '1 second'"
    }
}
