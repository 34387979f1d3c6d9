import Postgres

/// What a guarded statement came to; the outcome is decided on the very row that was changed.
struct Transition<Outcome: Sendable>: Sendable {
    /// What became of it.
    let outcome: Outcome
    /// The statement's word for that, as it stands in the audit trail; `unknown` where there is no such row.
    let word: String
    /// Whether the webview session is there and the secret fits.
    let isFound: Bool

    /// Of a statement that found no row.
    static func notFound(_ outcome: Outcome) -> Transition {
        Transition(outcome: outcome, word: "unknown", isFound: false)
    }
}

/// An outcome that is decoded from the row that a guarded statement returns; docs/schema.md has the words.
protocol StatementOutcome: Sendable {
    /// No row: the webview session is not there, or the secret does not fit.
    static var ofNoRow: Self { get }
    /// The outcome with this word; `nil` for a word that the transition does not have.
    init?(_ word: String, _ row: WebviewSessionRow) throws(PostgresError)
}

extension Transition where Outcome: StatementOutcome {
    /// The outcome of a statement that found no row.
    static var ofNoRow: Transition { .notFound(.ofNoRow) }

    /// The outcome that a row names.
    init(_ row: WebviewSessionRow) throws(PostgresError) {
        let word = try row.word()
        guard let outcome = try Outcome(word, row) else {
            throw PostgresError(.decoding, "\(word) is no \(Outcome.self)")
        }
        self.init(outcome: outcome, word: word, isFound: true)
    }
}
