/// A card that every buyer of the simulator has in the wallet.
package struct TestCard: Sendable, Equatable, Codable {
    /// What happens to a payment with the card.
    package enum Behaviour: Sendable, Equatable, Codable {
        /// It is authorised at once.
        case success
        /// The buyer gives up.
        case buyerCanceled
        /// The bank refuses.
        case declined
        /// The bank takes thirty seconds and agrees.
        case pending
        /// The bank takes thirty seconds and refuses.
        case pendingDeclined
    }

    /// What forms and the autopilot call it, for example `card-1111`.
    package let id: String
    /// For example `Visa`.
    package let brand: String
    /// The last four digits.
    package let lastDigits: String
    /// What happens to a payment.
    package let behaviour: Behaviour

    private init(_ brand: String, _ lastDigits: String, _ behaviour: Behaviour) {
        id = "card-" + lastDigits
        self.brand = brand
        self.lastDigits = lastDigits
        self.behaviour = behaviour
    }

    /// What a merchant sees of the card.
    package var descriptor: String { "\(brand) ****\(lastDigits) (Amazon Pay)" }

    /// Every card of the sandbox wallet in the order in which it is offered.
    package static let all: [TestCard] = [
        TestCard("Visa", "1111", .success),
        TestCard("American Express", "0005", .success),
        TestCard("Mastercard", "4444", .success),
        TestCard("Discover", "9424", .success),
        TestCard("JCB", "0000", .success),
        TestCard("Visa", "3064", .buyerCanceled),
        TestCard("Visa", "3434", .declined),
        TestCard("Visa", "0701", .pending),
        TestCard("Visa", "4354", .pendingDeclined),
    ]
}
