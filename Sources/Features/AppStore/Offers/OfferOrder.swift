import AppStoreTransactions
import Primitives
import ServiceAPI
import StrictJSON

/// What signs offers with a key, in each form.
struct OfferSigners: Sendable {
    /// As signed texts, which StoreKit takes from iOS 15 on where the app is built for them.
    let text: OfferTokenSigner
    /// In the form of the original StoreKit.
    let legacy: OfferSigner
}

/// An offer that somebody wants to have signed.
struct OfferOrder {
    enum Kind {
        /// To one who has subscribed before.
        case promotional(offerID: String)
        /// The same in the form of the original StoreKit, for one account.
        case legacy(offerID: String)
        /// Whether a customer may have the introductory offer, whatever Apple knows.
        case introductory(isAllowed: Bool)

        var word: String {
            switch self {
            case .promotional: "promotional"
            case .legacy: "promotional_legacy"
            case .introductory: "introductory"
            }
        }
    }

    static let words = ["promotional", "promotional_legacy", "introductory"]

    let kind: Kind
    let productID: String
    /// Any of the customer; `nil` where the offer is for nobody in particular.
    let transactionID: String?

    /// Reads a request; nothing in it says whose account the offer is for.
    init(_ body: inout JSONReader) throws(JSONRefusal) {
        let word = try body.text("kind")
        productID = try OfferOrder.id(try body.text("productId"), "productId", body)
        let offer = try body.optionalText("offerId")
        let transaction = try body.optionalText("transactionId")
        let isAllowed = try body.optionalFlag("allowed")
        transactionID = try transaction.map { text throws(JSONRefusal) in
            try OfferOrder.id(text, "transactionId", body, longest: 128)
        }
        switch word.octets {
        case "introductory":
            guard transaction != nil else { throw body.refusal("transactionId", .missing) }
            guard offer == nil else { throw body.refusal("offerId", .notA("part of an introductory offer")) }
            kind = .introductory(isAllowed: isAllowed ?? true)
        case "promotional", "promotional_legacy":
            guard let offer else { throw body.refusal("offerId", .missing) }
            let id = try OfferOrder.id(offer, "offerId", body)
            guard isAllowed == nil else { throw body.refusal("allowed", .notA("part of a promotional offer")) }
            let isLegacy = word.octets == "promotional_legacy"
            guard !isLegacy || transaction == nil else {
                throw body.refusal("transactionId", .notA("part of an offer in this form"))
            }
            kind = isLegacy ? .legacy(offerID: id) : .promotional(offerID: id)
        default: throw body.refusal("kind", .notA("one of \(OfferOrder.words.joined(separator: ", "))"))
        }
    }

    /// Whether a text can be the id of a product or of an offer.
    static func isID(_ text: String, longest: Int = 255) -> Bool {
        (1...longest).contains(text.utf8.count) && text.octets.isWord
    }

    private static func id(
        _ text: String,
        _ name: String,
        _ body: JSONReader,
        longest: Int = 255
    ) throws(JSONRefusal) -> String {
        guard isID(text, longest: longest) else {
            throw body.refusal(name, .notA("1 to \(longest) characters of printable ASCII without blanks"))
        }
        return text
    }
}
