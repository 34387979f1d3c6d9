/// A statement as one connection knows it.
final class PreparedStatement {
    /// How far the server is.
    enum Phase {
        /// The server does not know it.
        case unknown
        /// On its way, ahead of its first use.
        case sent
        /// The server has it.
        case ready
    }

    let statement: Statement
    var phase = Phase.unknown
    /// Why the server did not take it, for those of the same group that use it.
    var refusal: PostgresError?
    private var generation: Int
    private var hasWorked = false

    /// A statement that the server does not know, under another name than the one that holds its name there, if any does.
    init(_ statement: Statement, after known: PreparedStatement? = nil) {
        self.statement = statement
        generation = (known?.generation ?? 0) + 1
    }

    /// The name on the server: another one after each renewal, since the old one may still be taken.
    var serverName: String {
        generation == 1 ? statement.name : "\(statement.name)#\(generation)"
    }

    /// A call succeeded.
    func worked() {
        hasWorked = true
    }

    /// A call was refused: a statement that used to work and went stale is prepared anew at its next use.
    ///
    /// One that never worked is left alone, otherwise each use would leave one more behind on the server.
    func wasRefused(_ error: PostgresError) {
        guard hasWorked, error.isStalePreparation else { return }
        renew()
    }

    /// Forgets the server's form of it.
    func renew() {
        generation += 1
        hasWorked = false
        phase = .unknown
    }
}

/// The statements that one connection has seen; emptied when it is lost.
struct PreparedStatements {
    private var statements: [String: PreparedStatement] = [:]
    /// The same by identity, which spares the usual call the hash of a name; a few dozen at most, and looked through faster
    /// than hashed.
    private var constants: [(identity: ObjectIdentifier, statement: PreparedStatement)] = []

    /// The statement as this connection knows it.
    ///
    /// Two statements of one name are a mistake; they push each other out, but neither runs in place of the other.
    mutating func lookUp(_ statement: Statement) -> PreparedStatement {
        let identity = statement.identity
        for constant in constants where constant.identity == identity { return constant.statement }
        let known = statements[statement.name]
        if let known, known.statement.isSame(as: statement) { return known }
        if let known { constants.removeAll { $0.statement === known } }
        let prepared = PreparedStatement(statement, after: known)
        statements[statement.name] = prepared
        constants.append((identity, prepared))
        return prepared
    }
}
