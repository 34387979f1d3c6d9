/// Answers statements in the place of a server, for tests of what stands above the client.
///
/// It gets each statement at once and alone, with parameters of the declared types: there is no connection, and nothing is grouped.
package protocol StatementResponder: AnyObject {
    /// Whether there is room for something new.
    func admit() -> Admission

    /// The outcome for the caller of a statement.
    func answer(_ statement: Statement, _ parameters: Parameters) -> Result<ResultSet, PostgresError>
}
