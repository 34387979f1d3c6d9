package import Postgres
package import Primitives
package import SessionBroker

/// Pieces of SQL that several statements share.
///
/// Every guarded statement has the same first three parameters: `$1` the webview session, `$2` the peer, `$3` the request. It
/// changes the row in a common table expression `u` that returns the row, and its audit row follows from that.
package enum SQLText {
    /// The audit row of `u`, as the common table expression `e`; operation and reason are expressions, and without a condition
    /// every outcome is written down.
    ///
    /// `providerRequest` is the parameter with the provider's id of what it answered, `request` the expression for the request.
    package static func audit(
        _ operation: String,
        reason: String = "NULL",
        providerRequest: String? = nil,
        request: String = "$3",
        where condition: String? = nil
    ) -> String {
        let (column, value) = providerRequest.map { (", provider_request", ", \($0)") } ?? ("", "")
        return """
            e AS (
                INSERT INTO webview_session_trail (webview_session_id, ordinal, to_state, op, outcome, reason, peer, request\(column))
                SELECT u.webview_session_id, u.events, u.state, \(operation), u.outcome, \(reason), $2, \(request)\(value)
                FROM u\(condition.map { " WHERE \($0)" } ?? "")
            )
            """
    }

    /// The request of `$3` with the mark of a row, for a statement about several webview sessions.
    ///
    /// - Parameter seed: The parameter with the seed of `TrailMarker`, or NULL: then it has no mark.
    static func marked(_ seed: String) -> String {
        "$3 || coalesce('.' || encode(substring(sha256(\(seed) || uuid_send(u.webview_session_id)) FROM 1 FOR 8), 'hex'), '')"
    }

    /// What `u` must return for its audit row and for all columns.
    static func returning(_ row: String) -> String {
        "RETURNING \(row).webview_session_id, \(row).events, \(WebviewSessionColumns.whole(row))"
    }

    /// A point in time, some seconds after now, but not after the absolute deadline.
    static func deadline(_ parameter: String) -> String {
        "least(statement_timestamp() + \(parameter) * interval '1 second', f.absolute_until)"
    }

    /// Until when an unpaid webview session may be without a sign of life; one that has no tab gives none, and has all of its
    /// time.
    static func patience(_ parameter: String) -> String {
        "CASE f.client WHEN 'mobileApp' THEN f.absolute_until ELSE \(deadline(parameter)) END"
    }
}

/// The first three parameters of a guarded statement: the webview session, and peer and request of the caller.
package struct Guarded: StatementInput {
    package static var parameterTypes: [PostgresType] { [.uuid, .text, .text] }
    /// Of `parameterTypes`.
    package static var parameterCount: Int { 3 }

    private let webviewSession: WebviewSessionID
    private let caller: Caller
    /// Of `TrailMarker`; stands behind the request in the audit row.
    private let mark: UInt64?

    /// What a guarded statement is about, and for whom; without a mark for one that marks its rows itself, or writes none.
    package init(_ webviewSession: WebviewSessionID, _ caller: Caller, mark: UInt64? = nil) {
        self.webviewSession = webviewSession
        self.caller = caller
        self.mark = mark
    }

    /// What a guarded statement is about, and for whom.
    package init(_ operation: String, _ webviewSession: WebviewSessionID, _ caller: Caller, _ marker: TrailMarker?) {
        self.init(webviewSession, caller, mark: marker.map { $0.mark($0.seed(operation, caller), webviewSession) })
    }

    /// The request as its audit row has it.
    var request: String {
        String(ascii: requestCount) { room in appendRequest(to: &room) }
    }

    private var requestCount: Int { caller.requestCount + (mark == nil ? 0 : 17) }

    private func appendRequest(to room: inout OutputSpan<UInt8>) {
        caller.appendRequest(to: &room)
        guard let mark else { return }
        room.append(UInt8(ascii: "."))
        Hex.append(mark, digits: 16, to: &room)
    }

    package func append(to parameters: inout Parameters) {
        parameters.append(uuid: webviewSession)
        parameters.append(ascii: caller.peerCount) { room in caller.appendPeer(to: &room) }
        parameters.append(ascii: requestCount) { room in appendRequest(to: &room) }
    }
}
