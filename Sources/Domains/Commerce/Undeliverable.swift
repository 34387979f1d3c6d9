/// A sentence of the merchant's for a buyer, in one or both languages of the pages.
package struct BuyerSentence: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// In Japanese.
    package let japanese: String?
    /// In English.
    package let english: String?

    /// How many Unicode scalars it may have.
    package static let limit = 255

    /// A sentence, or `nil` where there is none in either language.
    package init?(japanese: String?, english: String?) {
        if case .none = japanese, case .none = english { return nil }
        self.japanese = japanese
        self.english = english
    }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why nothing is sent to an address.
package enum Undeliverable: Sendable, Hashable {
    /// The merchant's server says so, and why.
    case said(BuyerSentence)
    /// The restrictions of the order leave it out.
    case restricted
}

/// What it means to send an order to an address.
package enum DeliveryAnswer: Sendable, Hashable {
    /// It costs this much, tax included.
    case postage(Yen)
    /// Nothing is sent there.
    case undeliverable(Undeliverable)
}
