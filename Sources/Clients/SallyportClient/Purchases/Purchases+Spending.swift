import Foundation

extension Purchases {
    /// How often a spending is sent whose answer does not come.
    private static let spendingTries = 3

    /// Spends units of the account.
    ///
    /// It is written down before it is sent, and sent again under the same key until the server has answered: also when the app
    /// has died meanwhile and spends for the same purpose again. So it is spent once, whatever answers are lost.
    ///
    /// - Parameters:
    ///   - purpose: What they are spent for, in at most 128 characters; the merchant's server sees it. Once an answer has come, the
    ///     same purpose spends anew.
    /// - Returns: What is left.
    /// - Throws: ``AccountError``: `units_too_few` where the account has less; one that is not final says that nothing is known,
    ///   and the same may be spent again. What the transport or the store throws.
    @discardableResult
    public func spend(_ units: Int, for purpose: String) async throws -> PurchaseBalance {
        let spend = try await kept(units, for: purpose)
        let body = try spend.body()
        var last: any Error = AccountError("nothing was sent")
        for attempt in 0..<Purchases.spendingTries {
            if attempt > 0 { try await pause(TimeInterval(attempt)) }
            do {
                let fields = [(name: "Idempotency-Key", value: spend.key)]
                let response = try await account.send("POST", "app-store/spend", fields: fields, body: body)
                if response.status == 200 {
                    try forget(spend)
                    return try Purchases.decoded(response)
                }
                last = AccountError(response)
            } catch {
                last = error
            }
            guard (last as? AccountError)?.isFinal != true else {
                try forget(spend)
                throw last
            }
        }
        throw last
    }

    /// What is being spent for a purpose, from before or from now on.
    private func kept(_ units: Int, for purpose: String) async throws -> PendingSpend {
        let environment = await source.environment()
        let all = try spends.load()
        if let known = all.first(where: { $0.purpose == purpose && $0.environment == environment }) {
            guard known.units == units else {
                throw AccountError(
                    "\(known.units) units are being spent for this purpose, and their answer has not come"
                )
            }
            return known
        }
        let fresh = PendingSpend(
            purpose: purpose,
            units: units,
            environment: environment,
            key: UUID().uuidString.lowercased()
        )
        try spends.save(all + [fresh])
        return fresh
    }

    private func forget(_ spend: PendingSpend) throws {
        try spends.save(try spends.load().filter { $0.key != spend.key })
    }
}

/// Units that are being spent: the answer has not come.
public struct PendingSpend: Sendable, Hashable, Codable {
    let purpose: String
    let units: Int
    let environment: String?
    /// Names the request: sent again under it, it has no second effect.
    let key: String

    func body() throws -> Data {
        struct Content: Encodable {
            let units: Int
            let reference: String
            let environment: String?
        }
        return try JSONEncoder.sorted.encode(Content(units: units, reference: purpose, environment: environment))
    }
}

extension JSONEncoder {
    /// The same content is the same text at each try.
    static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

/// Where an app keeps what it is spending; for each account a store of its own.
///
/// On a phone: ``FileSpendStore/onDevice(of:)``.
public protocol SpendStore: Sendable {
    /// What was saved last.
    ///
    /// - Throws: Where it cannot be read.
    func load() throws -> [PendingSpend]
    /// Keeps them in place of the last ones, before it comes back.
    ///
    /// - Throws: Where they cannot be kept.
    func save(_ spends: [PendingSpend]) throws
}

/// A store that ends with the program.
public final class MemorySpendStore: SpendStore, @unchecked Sendable {
    // Unchecked: read and written under the lock. The standard library's mutex needs a newer iOS.
    private let lock = NSLock()
    private var spends: [PendingSpend] = []

    /// An empty store.
    public init() {}

    /// What was saved last.
    public func load() -> [PendingSpend] {
        lock.lock()
        defer { lock.unlock() }
        return spends
    }

    /// Keeps them.
    public func save(_ spends: [PendingSpend]) {
        lock.lock()
        defer { lock.unlock() }
        self.spends = spends
    }
}

/// A store in one file that only its user may read.
public struct FileSpendStore: SpendStore {
    private let file: PrivateFile

    /// A store.
    public init(_ url: URL) { file = PrivateFile(url) }

    /// What was saved last.
    public func load() throws -> [PendingSpend] {
        guard let data = try file.read() else { return [] }
        return try JSONDecoder().decode([PendingSpend].self, from: data)
    }

    /// Keeps them.
    public func save(_ spends: [PendingSpend]) throws { try file.write(JSONEncoder().encode(spends)) }
}
