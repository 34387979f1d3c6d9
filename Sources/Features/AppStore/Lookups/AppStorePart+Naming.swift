import AppStoreTransactions
import EventIO
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

// Says to Apple whose a purchase is that was made outside of the app, or with the token of a server before this one.

extension AppStorePart {
    /// Has every text of a purchase name an account from now on, and takes the new one in for it.
    ///
    /// - Parameter environments: Where the purchase is looked for, in this order.
    /// - Throws: `purchase_of_other_account`, `app_account_token_refused`, or as for an id that a program hands in.
    func name(
        _ account: UUIDBytes,
        for id: String,
        in environments: [AppStoreEnvironment]
    ) async throws(Failure) -> JSONValue {
        let token = try await customerToken(of: account, wanted: nil).token
        let now = SystemClock().now()
        let found = try await fetch(id, in: environments, at: now)
        // Apple keeps what it is told, so that nobody is told of it who has no right to the purchase.
        try await expectNoOtherOwner(of: found, than: account)
        if found.appAccountToken != token { try await tell(token, of: found) }
        let named = try await fetch(id, in: [found.environment], at: now)
        let applied = try await apply(named, shownBy: account)
        guard applied.outcome != .otherAccount else { throw Failure(.purchaseOfOtherAccount) }
        return try await describe(named)
    }

    private func expectNoOtherOwner(of transaction: Transaction, than account: UUIDBytes) async throws(Failure) {
        let statement = LookupStatement.otherOwner(
            transaction.environment.rawValue,
            transaction.bundleID,
            transaction.id,
            transaction.originalID,
            transaction.appAccountToken,
            account
        )
        let isOthers = try await Failure.mapErrors { try await loop.database.read(statement).first() }
        if isOthers { throw Failure(.purchaseOfOtherAccount) }
    }

    private func tell(_ token: UUIDBytes, of transaction: Transaction) async throws(Failure) {
        guard let server else { throw Failure(.appStoreOff) }
        let request = try ServerAPIRequest.checked { () throws(ServerAPIRequestError) in
            try .appAccountToken(of: transaction.originalID, token)
        }
        do throws(ServerAPIProblem) {
            _ = try await server.call(request, in: transaction.environment)
        } catch {
            guard case .refused(let failure) = error else { throw Failure(error) }
            if failure.takesNoToken { throw Failure(.appAccountTokenRefused, failure.description) }
            throw failure.isTransactionUnknown ? Failure(.transactionUnknown) : Failure(error)
        }
    }
}

extension ServerAPIFailure {
    /// Whether Apple binds no account to such a purchase: shared in a family, not the first of its line, given by an organisation.
    fileprivate var takesNoToken: Bool { [4_000_185, 4_000_187, 4_000_227].contains(code) }
}
