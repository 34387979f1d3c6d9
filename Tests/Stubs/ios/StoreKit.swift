// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// The documents of the framework say what each declaration does.
@_exported import UIKit

/// As on iOS, as far as the adapters use it.
@frozen public enum VerificationResult<SignedType> {
    case unverified(SignedType, any Error)
    case verified(SignedType)

    public var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let value, _), .verified(let value): value
        }
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult where SignedType == Transaction {
    public var jwsRepresentation: String { "" }
}

public struct Transaction: Sendable {
    public let id: UInt64
    public let appAccountToken: UUID?

    public static var updates: Transactions { Transactions() }
    public static var unfinished: Transactions { Transactions() }
    public func finish() async {}

    public struct Transactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<Transaction>

        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> Element? { nil }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
}

public enum AppStore {
    public struct Environment: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let production = Environment(rawValue: "Production")
        public static let sandbox = Environment(rawValue: "Sandbox")
        public static let xcode = Environment(rawValue: "Xcode")
    }

    public static var deviceVerificationID: UUID? { nil }
}

public struct AppTransaction: Sendable {
    public let environment: AppStore.Environment

    public static var shared: VerificationResult<AppTransaction> {
        get async throws { .verified(AppTransaction(environment: .sandbox)) }
    }
}

public struct Product: Sendable, Hashable, Identifiable {
    public let id: String
    public let displayName: String
    public let displayPrice: String

    public static func products(for identifiers: some Collection<String>) async throws -> [Product] { [] }

    @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult { .pending }

    public struct PurchaseOption: Sendable, Hashable {
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { PurchaseOption() }
        public static func quantity(_ quantity: Int) -> PurchaseOption { PurchaseOption() }
    }

    public enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        case pending
    }
}
