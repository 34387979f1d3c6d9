import Accounts
import AppStoreTransactions
import EventIO
import HTTPCore
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
import Web

// What is done with purchases, whoever asks for it.

extension AppStorePart {
    /// Verifies the signed text of a purchase and grants it to the account that shows it, once.
    ///
    /// - Throws: Why nothing is granted; the context says whether the app finishes the transaction.
    func submit(_ submission: Submission, at now: WallTime) async throws(Failure) -> JSONValue {
        let transaction = try await transaction(of: submission, at: now)
        let applied = try await apply(transaction, shownBy: submission.account)
        guard applied.outcome == .granted || applied.outcome == .duplicate else {
            throw AppStorePart.refusal(applied.outcome)
        }
        return [
            "object": "appStoreSubmission", "outcome": .string(applied.outcome.rawValue),
            "environment": .string(transaction.environment.rawValue), "transactionId": .string(transaction.id),
            "productId": .string(transaction.productID), "units": JSONValue(Int(applied.units)),
            "balance": JSONValue(Int(applied.balance)), "finish": true,
        ]
    }

    /// The verified purchase that is shown; asked for at Apple's server where only its id is, or an old text.
    private func transaction(of submission: Submission, at now: WallTime) async throws(Failure) -> Transaction {
        switch submission.evidence {
        case .id(let id):
            return try await fetch(id, for: submission, at: now)
        case .receipt(let receipt):
            return try await fetch(try AppStorePart.id(inReceipt: receipt), for: submission, at: now)
        case .text(let text):
            let shown: Transaction
            do throws(SignedTextRefusal) {
                shown = try process.verifiers.transaction(Array(text.utf8), at: now)
            } catch {
                metrics.count(error)
                throw Failure(error)
            }
            // What the app says of its device proves nothing; what contradicts the text does.
            if let device = submission.device, shown.matches(device: device) == false {
                throw Failure(.signedTextRefused, context: SubmissionContext(reason: "device", finish: false))
            }
            guard server != nil, shown.environment.isSigned, shown.signed + process.settings.submissionAge < now else {
                do throws(SignedTextRefusal) {
                    try await demandStanding(Array(text.utf8), of: shown.environment, at: now)
                } catch {
                    metrics.count(error)
                    throw Failure(error)
                }
                metrics.countVerified()
                return shown
            }
            metrics.countVerified()
            try limitLookups(submission)
            return try await fetch(shown.id, in: [shown.environment], at: now)
        }
    }

    /// The purchase of an id alone, which proves nothing.
    private func fetch(
        _ id: String,
        for submission: Submission,
        at now: WallTime
    ) async throws(Failure) -> Transaction {
        try limitLookups(submission)
        let found = try await fetch(id, in: process.verifiers.environments, at: now)
        // Ids can be guessed: what names nobody is granted for its text alone.
        guard !submission.isOfApp || found.appAccountToken != nil else {
            throw Failure(.signedTextNeeded, context: SubmissionContext(finish: false))
        }
        return found
    }

    /// The id in a receipt of the app or of a transaction; nothing else in it is believed.
    private static func id(inReceipt text: String) throws(Failure) -> String {
        let ofApp = (try? LegacyReceipt.transactionID(inAppReceipt: text)) ?? nil
        let id = ofApp ?? ((try? LegacyReceipt.transactionID(inTransactionReceipt: text)) ?? nil)
        guard let id else { throw Failure(.receiptUnreadable, context: SubmissionContext(finish: false)) }
        return id
    }

    /// Apple counts calls for the whole shop: no app uses up what the others need.
    private func limitLookups(_ submission: Submission) throws(Failure) {
        if submission.isOfApp { try process.lookups.take(submission.account.low, at: loop.reactor.now) }
    }

    /// Has the database do what follows from a verified purchase; the same way for every text, whoever brings it.
    func apply(_ transaction: Transaction, shownBy account: UUIDBytes?) async throws(Failure) -> AppliedPurchase {
        let worth = process.products.worth(of: transaction)
        let statement = PurchaseStatement.apply(account, transaction.columns.description, worth)
        let applied = try await Failure.mapErrors {
            try await loop.database.write(statement, key: account ?? UUIDBytes(high: 0, low: 0)).first()
        }
        metrics.count(applied.outcome)
        report(applied.outcome, transaction)
        return applied
    }

    func report(_ outcome: PurchaseOutcome, _ transaction: Transaction) {
        switch outcome {
        case .unknownProduct, .otherAccount, .unknownToken:
            loop.logger.warning(
                "app_store.not_granted",
                [
                    LogField("outcome", outcome.rawValue), LogField("environment", transaction.environment.rawValue),
                    LogField("transaction", transaction.id), LogField("product", transaction.productID),
                ]
            )
        case .granted, .duplicate, .revoked, .notGranted, .erased, .stored: break
        }
    }

    private static func refusal(_ outcome: PurchaseOutcome) -> Failure {
        let (code, finish): (FailureCode, Bool) =
            switch outcome {
            case .revoked: (.purchaseRevoked, true)
            case .otherAccount: (.purchaseOfOtherAccount, true)
            case .unknownToken: (.purchaseTokenUnknown, false)
            case .unknownProduct: (.productUnknown, false)
            case .notGranted: (.purchaseNotGranted, true)
            case .erased: (.notFound, false)
            // Whoever shows a purchase is granted it or told why not.
            case .granted, .duplicate, .stored: (.internalError, false)
            }
        return Failure(code, context: SubmissionContext(finish: finish))
    }

    /// What an account has.
    ///
    /// - Throws: `not_found` for an account that is erased or unknown.
    func balance(of account: UUIDBytes, in environment: AppStoreEnvironment) async throws(Failure) -> [UInt8] {
        let statement = PurchaseStatement.balance(account, environment.rawValue)
        let row = try await Failure.mapErrors { try await loop.database.read(statement).single() }
        guard let json = row.flatMap(\.self) else { throw Failure(.notFound) }
        return json.utf8
    }

    /// Adds an entry to a ledger, once for each claim.
    ///
    /// - Returns: `nil` for a claim that was there before.
    func change(_ change: LedgerOrder, _ claim: IdempotencyClaim) async throws(Failure) -> [UInt8]? {
        let statement = PurchaseStatement.change(
            claim,
            change.account,
            change.environment.rawValue,
            change.kind.rawValue,
            change.units,
            change.reference
        )
        let result = try await Failure.mapErrors {
            try await loop.database.write(statement, key: change.account).first()
        }
        switch result.outcome {
        case .changed: return result.json
        case .claimed: return nil
        case .unknown: throw Failure(.notFound)
        case .tooFew: throw Failure(.unitsTooFew)
        case .tooMany: throw Failure(.unitsOutOfRange)
        }
    }

    /// The token that the app of an account passes with purchases; a fresh one where there is none.
    ///
    /// - Parameter wanted: The merchant's own, which replaces the one that is there.
    func token(of account: UUIDBytes, wanted: UUIDBytes?) async throws(Failure) -> JSONValue {
        let (token, replaced) = try await customerToken(of: account, wanted: wanted)
        var members = [
            JSONMember("object", "appStoreCustomer"), JSONMember("accountId", .string(account.description)),
            JSONMember("appAccountToken", .string(token.description)),
        ]
        if wanted != nil { members.append(JSONMember("replacedAppAccountToken", JSONValue(replaced?.description))) }
        return .object(members)
    }

    /// The token of an account, as `token`, and the one that it had before where that is another.
    func customerToken(
        of account: UUIDBytes,
        wanted: UUIDBytes?
    ) async throws(Failure) -> (token: UUIDBytes, replaced: UUIDBytes?) {
        let statement =
            wanted.map { PurchaseStatement.replaceToken(account, $0) }
            ?? PurchaseStatement.token(account, UUIDBytes(version4: loop.reactor.random))
        let found = try await Failure.mapErrors { try await loop.database.write(statement, key: account).first() }
        if found.outcome == .taken { throw Failure(.appAccountTokenTaken, field: "appAccountToken") }
        guard let token = found.token else { throw Failure(.notFound) }
        return (token, found.replaced)
    }

    /// What an account has the use of now.
    func entitlements(of account: UUIDBytes, in environment: AppStoreEnvironment) async throws(Failure) -> [UInt8] {
        let statement = PurchaseStatement.entitlements(account, environment.rawValue)
        return try await Failure.mapErrors { try await loop.database.read(statement).first().utf8 }
    }
}

/// An entry that somebody wants in a ledger.
struct LedgerOrder {
    enum Kind: String {
        case spend, correction
    }

    /// The most that one entry adds or takes away.
    static let greatestUnits = 1_000_000_000
    /// Characters of a reference.
    static let longestReference = 128

    let account: UUIDBytes
    let environment: AppStoreEnvironment
    let kind: Kind
    /// What is added; below zero where it is spent.
    let units: Int64
    /// What the merchant calls it.
    let reference: String?
}
