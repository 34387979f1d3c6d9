import Cryptography
import EventIO
import HTTPCore
import Operations
import Postgres
package import Primitives
import ServerCore
package import ServiceAPI
import StrictJSON
package import Web

// What the merchant's server asks for.
extension AccountsPart {
    static let tokenRoutes = [
        ServiceRoute<AccountsPart>(.issueToken) { call throws(Failure) in try await call.part.issueToken(call) },
        ServiceRoute(.listTokens) { call throws(Failure) in try await call.part.listTokens(call) },
        ServiceRoute(.revokeToken) { call throws(Failure) in
            let id = try call.id()
            return try await call.part.revoked(AccountTokenStatement.revoke(id, try call.id(1)), of: id)
        },
        ServiceRoute(.revokeTokens) { call throws(Failure) in
            let id = try call.id()
            return try await call.part.revoked(AccountTokenStatement.revokeAll(id), of: id)
        },
    ]

    /// Answers `POST /v1/accounts/{id}/tokens`.
    ///
    /// Nothing of the token is kept for a repeat: that gets another one, and the first ends by itself.
    private func issueToken(_ call: ServiceCall<AccountsPart>) async throws(Failure) -> ServiceAnswer {
        let id = try call.id()
        var body = try call.optionalBody()
        let wanted = try Failure.reading { () throws(JSONRefusal) in try body.optionalTexts("scopes") }
        let seconds = try Failure.reading { () throws(JSONRefusal) in try body.optionalInteger("lifetime") }
        let rest = body
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        let opens = try scopes(wanted)
        let lifetime = seconds ?? AccountToken.usualLifetime
        guard AccountToken.lifetimes.contains(lifetime) else {
            let (least, most) = (AccountToken.lifetimes.lowerBound, AccountToken.lifetimes.upperBound)
            throw Failure(
                .invalidRequest,
                message: "A token lives \(least) to \(most) seconds.",
                field: "lifetime"
            )
        }
        let random = loop.reactor.random
        let token = AppToken(fresh: UUIDBytes(version7At: call.now, random: random), random: random)
        let statement = AccountTokenStatement.issue(
            token.id,
            id,
            token.hash,
            opens.map(\.text).joined(separator: ","),
            .seconds(lifetime)
        )
        let made = try await Failure.mapErrors { try await loop.database.write(statement, key: id).single() }
        if let made { return ServiceAnswer(.created, made.json(with: token)) }
        guard try await account(id).erased != nil else { throw Failure(.internalError, "an account got no token") }
        throw Failure(.accountErased)
    }

    /// The scopes that a request wants, in the order in which features declare them; the usual ones where it names none.
    private func scopes(_ wanted: [String]?) throws(Failure) -> [AppScope] {
        guard let wanted else { return appScopes.filter(\.isUsual) }
        let found = appScopes.filter { scope in wanted.contains { $0.octets == scope.text.octets } }
        guard !wanted.isEmpty, found.count == wanted.count else {
            let known = appScopes.map(\.text).joined(separator: ", ")
            throw Failure(.invalidRequest, message: "Some of these, each once: \(known).", field: "scopes")
        }
        return found
    }

    /// Answers `GET /v1/accounts/{id}/tokens`.
    private func listTokens(_ call: ServiceCall<AccountsPart>) async throws(Failure) -> ServiceAnswer {
        let id = try call.id()
        let query = try call.query(ListForm.parameters)
        let after = try ListForm.after(query) { UUIDBytes($0) }
        let limit = try ListForm.limit(query)
        let found = try await Failure.mapErrors {
            try await loop.database.read(AccountTokenStatement.page(id, after, limit + 1)).all()
        }
        if found.isEmpty { _ = try await account(id) }
        let page = found.prefix(limit)
        let content = ListForm.content(
            page.map(\.json.bytes),
            next: (page.last?.id ?? after)?.description,
            hasMore: found.count > limit
        )
        return ServiceAnswer(.ok, bytes: content)
    }

    /// The answer to a request that ends tokens of an account; a repeat ends none.
    private func revoked(_ statement: StatementCall<Void>, of id: UUIDBytes) async throws(Failure) -> ServiceAnswer {
        let count = try await Failure.mapErrors { try await loop.database.write(statement, key: id).count }
        if count == 0 { _ = try await account(id) }
        return ServiceAnswer(.ok, AccountsPart.revocation(of: id, count))
    }

    static func revocation(of account: UUIDBytes, _ count: Int) -> JSONValue {
        .object([
            .kind("accountTokenRevocation"), JSONMember("accountId", .string(account.description)),
            JSONMember("revoked", JSONValue(count)),
        ])
    }
}

// What apps ask for.
extension AccountsPart {
    static let appRoutes = [
        ServiceRoute<AccountsPart>(.readOwnAccount) { call throws(Failure) in
            ServiceAnswer(.ok, call.part.own(try AccountsPart.grant(of: call)))
        },
        ServiceRoute(.endOwnToken) { call throws(Failure) in
            let account = try AccountsPart.grant(of: call).account
            return try await call.part.revoked(AccountTokenStatement.revoke(account, call.principal.id), of: account)
        },
    ]

    private static func grant(of call: ServiceCall<AccountsPart>) throws(Failure) -> AppGrant {
        guard case .app(_, let grant) = call.principal else { throw Failure(.notFound) }
        return grant
    }

    /// For whom an app speaks, as it is told.
    private func own(_ grant: AppGrant) -> JSONValue {
        AccountsPart.own(grant, appScopes.filter(grant.scopes.contains))
    }

    static func own(_ grant: AppGrant, _ scopes: [AppScope]) -> JSONValue {
        .object([
            .kind("account"), JSONMember("id", .string(grant.account.description)),
            JSONMember("scopes", .array(scopes.map { .string($0.text) })),
            JSONMember("expiresAt", JSONValue(time: grant.expires)),
        ])
    }
}

extension AccountsPart: AppTokenStore {
    package func grant(of token: UUIDBytes, hash: Digest32) async throws(Failure) -> AppGrant? {
        try await Failure.mapErrors {
            try await loop.database.read(AccountTokenStatement.find(token, hash)).single()
        }
    }
}
