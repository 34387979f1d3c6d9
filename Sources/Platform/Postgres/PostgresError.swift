/// A failure of the database, of the way to it, or of a private cluster.
///
/// `description` names the code only and may reach a log line of any level; `debugDescription` adds the text for operators,
/// which may quote values of a statement and never goes to a client.
package struct PostgresError: Error, Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong, for programs.
    package enum Code: Sendable, Hashable {
        /// No connection; the statement was not sent, or was certainly rolled back. A retry is safe.
        case unavailable
        /// The way to the server may not be taken: nobody would know who answers. The detail says what to do.
        case insecure
        /// The bounded queue is full or too old; the statement was not sent. A retry is safe.
        case overloaded
        /// The connection was lost while the statement was under way: it may have been committed. Look before repeating it.
        case outcomeUnknown
        /// PostgreSQL refused the statement and changed nothing; five characters of `[0-9A-Z]`.
        case rejected(sqlState: String)
        /// A result does not have the shape that was asked for: another type, NULL, a width or an index that is not there.
        case decoding
        /// A migration is missing, changed, misnamed or failed; the detail names the file.
        case migration
        /// A private cluster cannot be created, started or stopped; the detail says what to do about it.
        case cluster
    }

    /// Behind one reference, so that a result that may be an error is as small as one that may not.
    private final class Content: Sendable {
        let code: Code
        let detail: String

        init(_ code: Code, _ detail: String) {
            self.code = code
            self.detail = detail
        }
    }

    private let content: Content

    /// A failure with the given code.
    ///
    /// - Parameters:
    ///   - detail: For operators; one or more lines, no trailing line break.
    package init(_ code: Code, _ detail: String) {
        content = Content(code, detail)
    }

    /// What went wrong, for programs.
    package var code: Code { content.code }

    /// What went wrong, for operators; may quote values, so it is never sent to a client.
    package var detail: String { content.detail }

    package static func == (left: PostgresError, right: PostgresError) -> Bool {
        left.code == right.code && left.detail == right.detail
    }

    /// The five characters of the server's refusal, or `nil` for every other code.
    package var sqlState: String? {
        guard case .rejected(let state) = code else { return nil }
        return state
    }

    /// Whether the server refused a row and not the statement, which may succeed without that row.
    ///
    /// That is a value, a constraint, a trigger, a lock that somebody holds, or a page that cannot be read.
    package var isAboutRow: Bool {
        guard let sqlState else { return false }
        return ["22", "23", "44", "P0"].contains(sqlState.prefix(2)) || ["55P03", "XX001", "XX002"].contains(sqlState)
    }

    /// Whether the same statement, sent once more, may well succeed: after a deadlock, a serialization failure, or when the
    /// prepared form went stale (its table has changed, or somebody deallocated it).
    var isWorthRepeating: Bool {
        sqlState == "40P01" || sqlState == "40001" || isStalePreparation
    }

    /// Whether the prepared form of a statement that used to work is of no use any more.
    var isStalePreparation: Bool {
        sqlState == "0A000" || sqlState == "26000"
    }

    /// The code only.
    package var description: String {
        switch code {
        case .unavailable: "postgres.unavailable"
        case .insecure: "postgres.insecure"
        case .overloaded: "postgres.overloaded"
        case .outcomeUnknown: "postgres.outcome_unknown"
        case .rejected(let state): "postgres.rejected.\(state)"
        case .decoding: "postgres.decoding"
        case .migration: "postgres.migration"
        case .cluster: "postgres.cluster"
        }
    }

    /// The code and the text for operators.
    package var debugDescription: String {
        "\(description): \(detail)"
    }
}
