import Primitives
import SimulatorCore
import StrictJSON

/// What a tester or a person at a device wants to buy.
struct PurchaseOrder: Sendable {
    var environment = StoreEnvironment.sandbox
    var customer = "customer-1"
    var product = ""
    var kind = Purchase.Kind.consumable
    var quantity = 1
    var token: String?
    var storefront = "JPN"
    var price = 160_000
    var currency = "JPY"
    var ownership = Purchase.Ownership.purchased
    var group: String?
    /// How long a period of a subscription is.
    var period = Duration.seconds(30 * 86_400)
    /// Whether it waits for somebody who agrees.
    var asksToBuy = false

    /// Reads an order.
    ///
    /// - Throws: 400, naming what is wrong.
    init(_ body: ControlBody) throws(ControlError) {
        try body.check(Self.members)
        let value = body.value
        product = value["product"]?.text ?? ""
        environment = value["environment"]?.text.flatMap { StoreEnvironment(word: $0.octets) } ?? environment
        customer = value["customer"]?.text ?? customer
        kind = value["type"]?.text.flatMap { Purchase.Kind(rawValue: $0) } ?? kind
        quantity = value["quantity"]?.integer ?? quantity
        if let text = value["appAccountToken"]?.text, !text.isEmpty { token = try Self.token(text) }
        storefront = value["storefront"]?.text ?? storefront
        price = value["price"]?.integer ?? price
        currency = value["currency"]?.text ?? currency
        ownership = value["ownership"]?.text.flatMap { Purchase.Ownership(word: $0.octets) } ?? ownership
        group = value["subscriptionGroup"]?.text
        asksToBuy = value["askToBuy"]?.flag ?? asksToBuy
        if let text = value["period"]?.text {
            guard let length = ISO8601.duration(text), length > .zero else {
                throw ControlError("period is not a duration like P30D.")
            }
            period = length
        }
        guard product.octets.isWord else { throw ControlError("product is a word of printable ASCII.") }
        guard (1...10).contains(quantity) else { throw ControlError("quantity is 1 to 10.") }
        guard !customer.isEmpty else { throw ControlError("customer is empty.") }
    }

    private static let members: [Shape.Member] = [
        .init("product", .text(200), isRequired: true),
        .init("environment", .oneOf(StoreEnvironment.allCases.map(\.rawValue))), .init("customer", .text(60)),
        .init("type", .oneOf(Purchase.Kind.allCases.map(\.rawValue))), .init("quantity", .count),
        .init("appAccountToken", .text(60)), .init("storefront", .text(3)), .init("price", .count),
        .init("currency", .text(3)), .init("ownership", .oneOf(Purchase.Ownership.allCases.map(\.rawValue))),
        .init("subscriptionGroup", .text(60)), .init("period", .text(40)), .init("askToBuy", .flag),
    ]

    /// A UUID in lower case.
    static func token(_ text: String) throws(ControlError) -> String {
        guard let token = UUIDBytes(text.octets.lowercase) else { throw ControlError("appAccountToken is no UUID.") }
        return token.description
    }
}
