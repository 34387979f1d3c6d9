/// One statement on behalf of several callers, which may grow until it is sent.
///
/// Most of what a short read costs the server is the start and the end of a statement, so those who ask the same question in
/// one turn, or while a group is under way, had better ask it together.
protocol Gathering: AnyObject {
    /// Ends the growth; called when the statement is sent, and again where it is repeated.
    ///
    /// - Returns: The statement with one value for each of its parameters, the same at each call.
    func close() -> (statement: Statement, parameters: Parameters)

    /// Hears the outcome, once.
    ///
    /// - Parameter outcome: The rows; or `unavailable` and `overloaded` (a retry is safe), `rejected` (a retry will fail too).
    func ended(_ outcome: Result<ResultSet, PostgresError>)
}
