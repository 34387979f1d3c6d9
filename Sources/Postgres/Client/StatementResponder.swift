/// Answers statements in the place of a server, for tests of what stands above the client.
///
/// It is asked at once, statement by statement, with parameters of the declared types; there is no connection then, and nothing is
/// grouped.
package protocol StatementResponder: AnyObject {
    /// Whether there is room for something new.
    func admit() -> Admission

    /// What the statement's caller is told.
    func answer(_ statement: Statement, _ parameters: Parameters) -> Result<ResultSet, PostgresError>
}
