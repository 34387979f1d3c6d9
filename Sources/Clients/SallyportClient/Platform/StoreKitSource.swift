#if canImport(StoreKit)
import Foundation
import StoreKit

/// The transactions of StoreKit 2.
public struct StoreKitSource: TransactionSource {
    /// The one source of an app.
    public init() {}

    /// What StoreKit delivers by itself.
    public func updates() -> AsyncStream<SignedTransaction> {
        AsyncStream { continuation in
            let task = Task {
                for await result in Transaction.updates { continuation.yield(SignedTransaction(result)) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// What no app has finished.
    public func unfinished() async -> [SignedTransaction] {
        var found: [SignedTransaction] = []
        for await result in Transaction.unfinished { found.append(SignedTransaction(result)) }
        return found
    }

    /// As the App Store has signed it for the app; before iOS 16 only the name of the receipt says it.
    public func environment() async -> String? {
        guard #available(iOS 16, *) else {
            let receipt = Bundle.main.appStoreReceiptURL?.lastPathComponent
            return receipt.map { $0 == "sandboxReceipt" ? "Sandbox" : "Production" }
        }
        guard let app = try? await AppTransaction.shared else { return nil }
        return switch app.unsafePayloadValue.environment {
        case .production: "Production"
        case .sandbox: "Sandbox"
        case .xcode: "Xcode"
        default: nil
        }
    }

    /// `AppStore.deviceVerificationID`.
    public var deviceVerificationID: UUID? { AppStore.deviceVerificationID }
}

extension SignedTransaction {
    /// What StoreKit delivers.
    ///
    /// Whether it is good is for the server to say, so one that StoreKit doubts goes there, too.
    init(_ result: VerificationResult<Transaction>) {
        let transaction = result.unsafePayloadValue
        self.init(id: String(transaction.id), text: result.jwsRepresentation) { await transaction.finish() }
    }
}

extension Purchases {
    /// What came of buying.
    public enum Buying: Sendable {
        /// Bought, and handed in.
        case bought(PurchaseOutcome)
        /// Somebody has to agree first; it comes by itself then.
        case pending
        /// The customer has thought better of it.
        case canceled
    }

    /// Buys a product for the account, and hands it in.
    ///
    /// - Parameter options: Beside the account's token, such as `.quantity(2)`.
    /// - Throws: What StoreKit throws, and what ``appAccountToken()`` does: then nothing was bought.
    public func buy(_ product: Product, options: Set<Product.PurchaseOption> = []) async throws -> Buying {
        let token = try await appAccountToken()
        switch try await product.purchase(options: options.union([.appAccountToken(token)])) {
        case .success(let result): return .bought(await handIn(SignedTransaction(result)))
        case .pending: return .pending
        case .userCancelled: return .canceled
        // StoreKit delivers what comes of it.
        @unknown default: return .pending
        }
    }
}
#endif
