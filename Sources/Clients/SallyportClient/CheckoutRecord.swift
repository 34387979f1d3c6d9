import Foundation

/// What an app remembers of its checkout, so that it may die while the buyer is in the tab.
public struct CheckoutRecord: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    enum Phase: String, Sendable, Codable {
        /// Waits for a return link.
        case inTab
        /// A return link was received, and its purchase may be under way.
        case received
        /// Nothing further comes of it; kept so that its link is known again.
        case over
    }

    var ticket: String
    let startedAt: Date
    var phase = Phase.inTab
    /// The parts of the link that was received last.
    var returnTicket: String?
    var accessToken: String?
    var orderReferenceID: String?

    /// Without what is secret.
    public var description: String { "a checkout, \(phase.rawValue)" }
    /// Without what is secret.
    public var debugDescription: String { description }

    func isReceived(_ link: ReturnLink) -> Bool {
        returnTicket.map { Token.areEqual($0, link.returnTicket) } == true && orderReferenceID == link.orderReferenceID
    }

    /// The link that was received, or `nil` where there is none of the right form.
    func link(_ configuration: CheckoutConfiguration) -> ReturnLink? {
        guard let returnTicket, let accessToken, let orderReferenceID else { return nil }
        let origin = configuration.linkOrigin.absoluteString
        let query = [
            "secureWebviewSessionId=" + returnTicket, "old_secureWebviewSessionId=" + ticket,
            "accessToken=" + accessToken,
            "orderReferenceId=" + orderReferenceID,
        ]
        return try? ReturnLink(
            origin + ReturnLink.path + "?" + query.joined(separator: "&"),
            configuration: configuration
        )
    }
}

/// Where an app keeps its one record.
///
/// On a phone: ``FileCheckoutStore/onDevice()``. Not in the key chain, which outlives the app and its cookies.
public protocol CheckoutStore: Sendable {
    /// What was saved last; `nil` where there is nothing.
    ///
    /// - Throws: Where it cannot be read.
    func load() throws -> CheckoutRecord?
    /// Keeps a record in place of the last one, before it comes back.
    ///
    /// - Throws: Where it cannot be kept.
    func save(_ record: CheckoutRecord) throws
}

/// A store that ends with the program.
public final class MemoryCheckoutStore: CheckoutStore, @unchecked Sendable {
    // Unchecked: the record is read and written under the lock. The standard library's mutex needs a newer iOS.
    private let lock = NSLock()
    private var record: CheckoutRecord?

    /// An empty store.
    public init() {}

    /// What was saved last.
    public func load() -> CheckoutRecord? {
        lock.lock()
        defer { lock.unlock() }
        return record
    }

    /// Keeps a record.
    public func save(_ record: CheckoutRecord) {
        lock.lock()
        defer { lock.unlock() }
        self.record = record
    }
}

/// A store in one file that only its user may read.
public struct FileCheckoutStore: CheckoutStore {
    private let file: PrivateFile

    /// A store.
    public init(_ url: URL) { file = PrivateFile(url) }

    /// What was saved last.
    public func load() throws -> CheckoutRecord? {
        guard let data = try file.read() else { return nil }
        return try JSONDecoder().decode(CheckoutRecord.self, from: data)
    }

    /// Keeps a record.
    public func save(_ record: CheckoutRecord) throws { try file.write(JSONEncoder().encode(record)) }
}
