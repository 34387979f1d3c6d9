package import Primitives

/// The one place where failures of the database become those of a store.
extension StoreError {
    /// A lock was not granted in time, a statement took too long or was cancelled, the server is shutting down or in recovery,
    /// a standby cannot write, there is no room for another connection, on the disk or in memory, or the disk fails: a later
    /// try may work, and nothing was done.
    private static let passing: Set<String> = [
        "55P03", "57014", "57P01", "57P02", "57P03", "25006", "40001", "40P01",
        "53000", "53100", "53200", "53300", "58030",
    ]

    /// The failure of a store that a failure of the database is.
    package init(_ error: PostgresError) {
        let code: Code =
            switch error.code {
            case .unavailable: .unavailable
            case .overloaded: .overloaded
            case .outcomeUnknown: .outcomeUnknown
            case .rejected(let state) where StoreError.passing.contains(state): .unavailable
            case .rejected, .insecure, .decoding, .migration, .cluster: .fault
            }
        self.init(code, error.debugDescription)
    }

    /// Runs a body that decodes rows.
    package static func decoding<Value>(_ body: () throws(PostgresError) -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }
}
