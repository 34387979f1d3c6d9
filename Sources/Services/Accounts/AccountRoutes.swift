import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
package import ServiceAPI
import StrictJSON
import Web

extension AccountsPart: ServiceRouted {
    package static let serviceRoutes = accountRoutes + tokenRoutes + appRoutes

    private static let accountRoutes = [
        ServiceRoute<AccountsPart>(.createAccount) { call throws(Failure) in try await call.part.create(call) },
        ServiceRoute(.listAccounts) { call throws(Failure) in try await call.part.list(call) },
        ServiceRoute(.readAccount) { call throws(Failure) in try await call.part.read(call) },
        ServiceRoute(.eraseAccount) { call throws(Failure) in try await call.part.erase(call) },
        ServiceRoute(.exportAccount) { call throws(Failure) in try await call.part.export(call) },
    ]

    /// Answers `POST /v1/accounts`: once for each external id, with or without a repeat.
    private func create(_ call: ServiceCall<AccountsPart>) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let externalID = try Failure.reading { () throws(JSONRefusal) in try body.text("externalId") }
        let rest = body
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        try Account.checkExternalID(externalID)
        let fresh = UUIDBytes(version7At: call.now, random: loop.reactor.random)
        let id = try await Failure.mapErrors {
            try await loop.database.write(AccountStatement.open(externalID, fresh)).first()
        }
        let account = try await account(id)
        return ServiceAnswer(id == fresh ? .created : .ok, account.json)
    }

    /// Answers `GET /v1/accounts`.
    private func list(_ call: ServiceCall<AccountsPart>) async throws(Failure) -> ServiceAnswer {
        let name = "externalId"
        let query = try call.query(ListForm.parameters + [name], nonEmpty: [name])
        let after = try ListForm.after(query) { UUIDBytes($0) }
        let limit = try ListForm.limit(query)
        let accounts: [Account]
        if let externalID = query[name.octets] {
            try Account.checkExternalID(externalID)
            let found = try await Failure.mapErrors {
                try await loop.database.read(AccountStatement.find(externalID)).single()
            }
            accounts = [found].compactMap(\.self).filter { account in after.map { account.id < $0 } ?? true }
        } else {
            accounts = try await Failure.mapErrors {
                try await loop.database.read(AccountStatement.page(after, limit + 1)).all()
            }
        }
        let page = accounts.prefix(limit)
        let content = ListForm.content(
            page.map(\.json.bytes),
            next: (page.last?.id ?? after)?.description,
            hasMore: accounts.count > limit
        )
        return ServiceAnswer(.ok, bytes: content)
    }

    /// Answers `GET /v1/accounts/{id}`.
    private func read(_ call: ServiceCall<AccountsPart>) async throws(Failure) -> ServiceAnswer {
        ServiceAnswer(.ok, try await account(try call.id()).json)
    }

    /// Answers `DELETE /v1/accounts/{id}`.
    private func erase(_ call: ServiceCall<AccountsPart>) async throws(Failure) -> ServiceAnswer {
        guard let (account, report) = try await records.erase(try call.id()) else { throw Failure(.notFound) }
        guard !report.isComplete else { return ServiceAnswer(.ok, report.json(account)) }
        var answer = ServiceAnswer(.accepted, report.json(account))
        answer.retryAfter = 60
        return answer
    }

    /// Answers `GET /v1/accounts/{id}/export`.
    private func export(_ call: ServiceCall<AccountsPart>) async throws(Failure) -> ServiceAnswer {
        let account = try await account(try call.id())
        guard account.erased == nil else { throw Failure(.accountErased) }
        return ServiceAnswer(.ok, try await records.export(account).json)
    }

    func account(_ id: UUIDBytes) async throws(Failure) -> Account {
        let found = try await Failure.mapErrors { try await loop.database.read(AccountStatement.read(id)).single() }
        guard let found else { throw Failure(.notFound) }
        return found
    }
}

extension ErasureReport {
    /// As `/v1` shows it.
    func json(_ account: Account) -> JSONValue {
        .object([
            .kind("accountErasure"), JSONMember("accountId", .string(account.id.description)),
            JSONMember("erasedAt", JSONValue(optionalTime: account.erased)),
            JSONMember("isComplete", .bool(isComplete)),
            JSONMember("wasComplete", .bool(account.cleared != nil)),
            JSONMember("features", .array(features.map(ErasureReport.json))),
        ])
    }

    private static func json(_ name: String, _ outcome: Outcome) -> JSONValue {
        var members = [JSONMember("feature", .string(name))]
        switch outcome {
        case .failed: members.append(JSONMember("outcome", "failed"))
        case .erased(let erasure):
            let counts = erasure.counts.sorted { $0.key < $1.key }
            members.append(JSONMember("outcome", "erased"))
            let kinds: [JSONValue] = counts.map { ["kind": .string($0.key), "count": JSONValue($0.value)] }
            members.append(JSONMember("erased", .array(kinds)))
        }
        return .object(members)
    }
}
