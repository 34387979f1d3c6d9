package import Postgres

/// The claim of a request as a part of the statement that carries it out.
///
/// The claim and its effects are one commit: a statement begins with `claim`, and everything else in it happens only `WHERE
/// EXISTS (SELECT FROM i)`. A fresh claim yields a row of `i`, and so does one whose holder is gone: its lease is over and it
/// has no answer. A twin that comes meanwhile waits for the commit and finds no row; then `PostgresKeyStore.state(of:)` says
/// why.
package enum ClaimSQL {
    /// How long a request may be under way before a repeat takes its claim over; longer than any request lasts.
    static let leaseSeconds = 60

    /// The common table expression `i`.
    ///
    /// - Parameters:
    ///   - first: The number of the first of three parameters: the scope, the client's word, the digest of the request.
    ///   - webviewSession: An expression for the webview session it is about.
    ///   - status: An expression for the status of the answer, where it is known before.
    /// - Returns: SQL without a comma behind it.
    package static func claim(
        first: Int,
        webviewSession: String,
        status: String = "NULL::integer",
        answer: String = "NULL::bytea"
    ) -> String {
        """
        i AS (
            INSERT INTO api_idempotency AS c (key_id, idem, fingerprint, created_at, lease_until, webview_session_id, status, answer)
            SELECT $\(first), $\(first + 1), $\(first + 2)::bytea, statement_timestamp(),
                statement_timestamp() + interval '\(leaseSeconds) seconds', \(webviewSession), \(status), \(answer)
            ON CONFLICT (key_id, idem) DO UPDATE SET
                created_at = excluded.created_at, lease_until = excluded.lease_until, webview_session_id = excluded.webview_session_id,
                status = excluded.status, answer = excluded.answer
                WHERE c.answer IS NULL AND c.lease_until <= statement_timestamp()
                    AND c.fingerprint = excluded.fingerprint
            RETURNING c.lease_until AS claimed
        )
        """
    }
}

/// Three parameters: scope, word and digest.
extension IdempotencyClaim: StatementInput {
    package static var parameterTypes: [PostgresType] { [.uuid, .text, .bytea] }
    /// Of `parameterTypes`.
    package static var parameterCount: Int { 3 }

    package func append(to parameters: inout Parameters) {
        parameters.append(uuid: scope)
        parameters.append(text: text)
        parameters.append(digest: fingerprint.digest)
    }
}
