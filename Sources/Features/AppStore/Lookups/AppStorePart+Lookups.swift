import AppStoreTransactions
import EventIO
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

// What the merchant's programs ask Apple's server through this one: every text is verified, nothing is kept or granted for it.

extension AppStorePart {
    /// What Apple knows of an order, which a customer reads off a receipt; production alone has orders.
    func order(_ id: String) async throws(Failure) -> JSONValue {
        guard process.verifiers.environments.contains(.production) else { throw environmentOff() }
        let texts = try await ask(
            .production,
            try .checked { () throws(ServerAPIRequestError) in try .orderLookup(id) }
        ) {
            (content) throws(ServerAPIAnswerError) in try SignedAnswer.order(content)
        }
        var transactions: [JSONValue] = []
        for text in texts { transactions.append(try await describe(try await trusted(text, of: .production))) }
        return [
            "object": "appStoreOrder", "orderId": .string(id), "isKnown": .bool(!texts.isEmpty),
            "data": .array(transactions),
        ]
    }

    /// What Apple knows of a transaction.
    func transaction(_ id: String, in environments: [AppStoreEnvironment]) async throws(Failure) -> JSONValue {
        try await describe(try await fetch(id, in: environments, at: SystemClock().now()))
    }

    /// The subscriptions of an account, as Apple knows them now; by its newest one, which leads to all of the same customer.
    func subscriptions(
        of account: UUIDBytes,
        in environment: AppStoreEnvironment
    ) async throws(Failure) -> JSONValue {
        let statement = LookupStatement.subscription(account, environment.rawValue)
        let owned = try await Failure.mapErrors { try await loop.database.read(statement).first() }
        guard owned.isKnown else { throw Failure(.notFound) }
        var list: [JSONValue] = []
        if let id = owned.originalID, environment.isSigned {
            let request = try ServerAPIRequest.checked { () throws(ServerAPIRequestError) in
                try .subscriptionStatuses(id)
            }
            let found = try await ask(environment, request) { (content) throws(ServerAPIAnswerError) in
                try SubscriptionStatus.list(content)
            }
            for status in found { list.append(try await describe(status, environment)) }
        }
        return [
            "object": "appStoreSubscriptions", "accountId": .string(account.description),
            "environment": .string(environment.rawValue), "data": .array(list),
        ]
    }

    private func ask<Content>(
        _ environment: AppStoreEnvironment,
        _ request: ServerAPIRequest,
        _ read: ([UInt8]) throws(ServerAPIAnswerError) -> Content
    ) async throws(Failure) -> Content {
        guard let server else { throw Failure(.appStoreOff) }
        do throws(ServerAPIProblem) {
            return try await server.call(request, in: environment, read)
        } catch {
            if case .refused(let failure) = error, failure.isTransactionUnknown { throw Failure(.transactionUnknown) }
            throw Failure(error)
        }
    }

    /// The verified purchase of a text that Apple's server has given.
    private func trusted(_ text: String, of environment: AppStoreEnvironment) async throws(Failure) -> Transaction {
        do throws(SignedTextRefusal) {
            return try await verified(text, of: environment, at: SystemClock().now())
        } catch { throw Failure(error) }
    }

    /// A purchase as Apple says it is, beside what is kept of it.
    func describe(_ transaction: Transaction) async throws(Failure) -> JSONValue {
        let statement = LookupStatement.find(
            transaction.environment.rawValue,
            transaction.bundleID,
            transaction.id,
            transaction.appAccountToken
        )
        let found = try await Failure.mapErrors { try await loop.database.read(statement).first() }
        let kept = found.json.flatMap { try? JSONParser.parse($0) }
        return .object(
            transaction.members + [
                JSONMember("accountId", JSONValue(found.account?.description)), JSONMember("purchase", kept ?? .null),
            ]
        )
    }

    private func describe(
        _ status: SubscriptionStatus,
        _ environment: AppStoreEnvironment
    ) async throws(Failure) -> JSONValue {
        let transaction = try await trusted(status.signedTransaction, of: environment)
        guard transaction.originalID.octets == status.originalID.octets else {
            throw Failure(SignedTextRefusal.wrongKind(.identifier))
        }
        var renewal: JSONValue = .null
        if let text = status.signedRenewal {
            do throws(SignedTextRefusal) {
                let (bytes, now) = (Array(text.utf8), SystemClock().now())
                let information = try process.verifiers.renewal(bytes, of: environment, at: now)
                try await demandStanding(bytes, of: environment, at: now)
                // It names no app: it counts beside its own transaction alone.
                guard information.originalID.octets == status.originalID.octets else { throw .wrongKind(.identifier) }
                renewal = information.json
            } catch {
                metrics.count(error)
                throw Failure(error)
            }
        }
        return [
            "object": "appStoreSubscription", "groupId": .string(status.groupID),
            "originalTransactionId": .string(status.originalID), "status": .string(status.word),
            "transaction": try await describe(transaction), "renewal": renewal,
        ]
    }
}

extension ServerAPIRequest {
    /// A request, or the refusal that Apple would give to a part that can be no id.
    static func checked(
        _ make: () throws(ServerAPIRequestError) -> ServerAPIRequest
    ) throws(Failure) -> ServerAPIRequest {
        do throws(ServerAPIRequestError) {
            return try make()
        } catch { throw Failure(.transactionUnknown) }
    }
}

extension SubscriptionStatus {
    /// The status as a word; a new one as its number.
    fileprivate var word: String {
        let words = ["active", "expired", "billing_retry", "grace_period", "revoked"]
        return (1...words.count).contains(status) ? words[status - 1] : String(status)
    }
}

extension Transaction {
    /// What Apple says of it, by the names that programs are shown.
    fileprivate var members: [JSONMember] {
        [
            JSONMember("object", "appStoreTransaction"), JSONMember("environment", .string(environment.rawValue)),
            JSONMember("transactionId", .string(id)), JSONMember("originalTransactionId", .string(originalID)),
            JSONMember("productId", .string(productID)), JSONMember("type", .string(type.word)),
            JSONMember("ownership", .string(ownership.word)), JSONMember("quantity", JSONValue(quantity)),
            JSONMember("appAccountToken", JSONValue(appAccountToken?.description)),
            JSONMember("signedAt", JSONValue(optionalTime: signed)),
            JSONMember("purchasedAt", JSONValue(optionalTime: purchased)),
            JSONMember("expiresAt", JSONValue(optionalTime: expires)),
            JSONMember("revokedAt", JSONValue(optionalTime: revoked)),
            JSONMember("revocation", JSONValue(revocationType?.word)),
        ]
    }
}

extension RenewalInformation {
    /// What becomes of the subscription, by the names that programs are shown.
    fileprivate var json: JSONValue {
        let ends = ["cancelled", "billing_error", "price_not_agreed", "product_gone", "other"]
        let end = expirationIntent.map { (1...ends.count).contains($0) ? ends[$0 - 1] : String($0) }
        return [
            "productId": JSONValue(autoRenewProductID ?? productID),
            "isRenewing": isRenewing.map { .bool($0) } ?? .null,
            "renewsAt": JSONValue(optionalTime: renews), "isInBillingRetry": .bool(isInBillingRetry),
            "graceEndsAt": JSONValue(optionalTime: graceEnds), "endedFor": JSONValue(end),
            "price": renewalPrice.map { JSONValue(Int($0)) } ?? .null, "currency": JSONValue(currency),
        ]
    }
}
