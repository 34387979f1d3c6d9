import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

/// What all features together keep of accounts: erased and exported for requests, jobs and commands.
struct AccountRecords {
    let database: PostgresClient
    /// What features keep, also those that are off: it was kept while they were on.
    private let holders: [AccountData]
    /// Hears why a feature could not erase what it keeps.
    private let complain: (_ feature: String, _ account: UUIDBytes, _ detail: String) -> Void

    init(
        _ database: PostgresClient,
        _ holders: [AccountData],
        complain: @escaping (_ feature: String, _ account: UUIDBytes, _ detail: String) -> Void
    ) {
        self.database = database
        self.holders = holders
        self.complain = complain
    }

    /// Has every feature erase what it keeps of an account, and ends the erasure where all of them did.
    ///
    /// The account is marked in the database first. So whatever comes in between, the erasure is found and tried again.
    ///
    /// - Returns: `nil` where there is no such account.
    func erase(_ id: UUIDBytes) async throws(Failure) -> (account: Account, report: ErasureReport)? {
        let begun = try await Failure.mapErrors {
            try await database.write(AccountStatement.begin(id), key: id).single()
        }
        guard let account = begun else { return nil }
        // Its tokens have opened nothing since the mark, and no more are made. What its apps were answered is the person's, too.
        try await Failure.mapErrors {
            _ = try await database.write(AccountTokenStatement.erase(id), key: id)
            try await PostgresKeyStore(client: database).erase(id)
        }
        var report = ErasureReport()
        for data in holders { report.features.append((data.name, await outcome(of: data, id))) }
        if report.isComplete {
            _ = try await Failure.mapErrors { try await database.write(AccountStatement.end(id), key: id) }
        }
        return (account, report)
    }

    private func outcome(of data: AccountData, _ id: UUIDBytes) async -> ErasureReport.Outcome {
        do {
            return .erased(try await data.erase(database, id))
        } catch {
            complain(data.name, id, Failure(error).detail)
            return .failed
        }
    }

    /// Everything that is kept of an account: its tokens, and what each feature has.
    func export(_ account: Account) async throws(Failure) -> AccountExport {
        let statement = AccountTokenStatement.page(account.id, nil, AccountToken.most)
        var export = AccountExport(account: account)
        export.tokens = try await Failure.mapErrors { try await database.read(statement).all() }
        for data in holders {
            let value = try await Failure.mapErrors { try await data.export(database, account.id) }
            export.features.append((data.name, value))
        }
        return export
    }
}

/// All that is kept of an account, for the person.
struct AccountExport {
    let account: Account
    /// Those that work.
    var tokens: [AccountToken] = []
    var features: [(name: String, data: JSONValue)] = []

    /// As `/v1` shows it.
    var json: JSONValue {
        .object([
            .kind("accountExport"), JSONMember("account", account.json),
            JSONMember("tokens", .array(tokens.map(\.json))),
            JSONMember("features", .array(features.map { ["feature": .string($0.name), "data": $0.data] })),
        ])
    }
}
