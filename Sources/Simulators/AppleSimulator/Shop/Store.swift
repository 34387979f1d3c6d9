import Primitives
import SimulatorCore

/// One environment: its customers, and what they bought.
struct Store: Sendable {
    let environment: StoreEnvironment
    private(set) var purchases: [Purchase] = []
    private(set) var customers: [StoreCustomer] = []
    /// Switches automatic renewal off, by original id.
    var endingSubscriptions: Set<String> = []
    private var indices: [String: Int] = [:]
    /// Changes so far; the latest place in their order.
    private(set) var changes = 0

    /// Purchases that one store holds.
    static let limit = 100_000

    init(_ environment: StoreEnvironment) { self.environment = environment }

    var isFull: Bool { purchases.count >= Self.limit }

    /// A paid purchase; `nil` for an unknown id and for one that waits.
    func paid(_ id: String) -> Purchase? {
        purchase(id).flatMap { $0.isPaid ? $0 : nil }
    }

    func purchase(_ id: String) -> Purchase? { indices[id].map { purchases[$0] } }

    /// Adds a purchase and gives it the next place in the order of changes.
    mutating func add(_ purchase: Purchase) {
        changes += 1
        var purchase = purchase
        purchase.change = changes
        indices[purchase.id] = purchases.count
        purchases.append(purchase)
    }

    /// Changes a purchase, which becomes the latest change.
    mutating func update(_ id: String, _ body: (_ purchase: inout Purchase, _ change: Int) -> Void) {
        guard let index = indices[id] else { return }
        changes += 1
        body(&purchases[index], changes)
        purchases[index].change = changes
    }

    /// Marks a purchase without a change of its text.
    mutating func mark(_ id: String, _ body: (inout Purchase) -> Void) {
        guard let index = indices[id] else { return }
        body(&purchases[index])
    }

    func customer(named name: String) -> StoreCustomer? { customers.first { $0.name.octets == name.octets } }

    mutating func add(_ customer: StoreCustomer) { customers.append(customer) }

    /// The customer behind an id of a transaction, an original transaction or an app transaction.
    func customer(ofAny id: String) -> StoreCustomer? {
        if let name = paid(id)?.customer { return customer(named: name) }
        return customers.first { $0.appTransactionID.octets == id.octets }
    }

    /// Whether an id is that of an app transaction.
    func isAppTransaction(_ id: String) -> Bool { customers.contains { $0.appTransactionID.octets == id.octets } }

    /// Everything that a customer has paid for, in the order of the latest change.
    func paid(by customer: StoreCustomer) -> [Purchase] {
        purchases.filter { $0.isPaid && $0.customer.octets == customer.name.octets }.sorted { $0.change < $1.change }
    }

    /// Purchases of one line of a subscription, oldest first.
    func line(_ original: String) -> [Purchase] {
        purchases.filter { $0.isPaid && $0.originalID.octets == original.octets }
    }
}
