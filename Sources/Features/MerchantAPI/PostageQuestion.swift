package import Commerce
import MerchantOrders
package import Primitives
package import ServiceAPI
import StrictJSON
import Web

/// What a merchant's server is asked when the buyer has chosen an address: what it costs to send the order there.
///
/// Of the address it has what prices go by, and nothing that names a person or a house.
package struct PostageQuestion: Sendable, CustomStringConvertible {
    /// What prices go by.
    package struct Destination: Sendable, Equatable {
        private let country: String?
        private let region: String?
        private let postalCode: String?
        /// What region and postal code come to; `nil` where they are in doubt.
        private let prefecture: Prefecture?

        /// The part of an address that is sent.
        package init(_ address: Address) {
            country = address[.countryCode]
            region = address[.stateOrRegion]
            postalCode = address[.postalCode]
            prefecture = try? Prefecture(of: address)
        }

        /// By octets: another spelling is another question.
        package static func == (left: Destination, right: Destination) -> Bool {
            [(left.country, right.country), (left.region, right.region), (left.postalCode, right.postalCode)]
                .allSatisfy { pair in
                    switch pair {
                    case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
                    case (nil, nil): true
                    default: false
                    }
                }
        }

        fileprivate var json: JSONValue {
            [
                "countryCode": JSONValue(country), "stateOrRegion": JSONValue(region),
                "postalCode": JSONValue(postalCode), "prefecture": JSONValue(prefecture?.code),
            ]
        }
    }

    private let session: UUIDBytes
    private let order: Order
    private let destination: Destination

    /// A question.
    package init(_ session: UUIDBytes, _ order: Order, to destination: Destination) {
        self.session = session
        self.order = order
        self.destination = destination
    }

    /// What is sent: one JSON object.
    package var body: [UInt8] {
        let question: JSONValue = [
            "sessionId": .string(session.description), "currency": .string(Currency.jpy.rawValue),
            "subtotal": JSONValue(money: Money(order.subtotal)), "pricesIncludeTax": .bool(order.bases != nil),
            "address": destination.json,
        ]
        return question.bytes
    }

    /// What an answer says.
    ///
    /// - Parameter answer: `{"amount":{"amount":"540","currencyCode":"JPY"}}`, or
    ///   `{"undeliverable":{"ja":"…","en":"…"}}` with one language at least, and nothing else.
    /// - Returns: A postage in the currency of the order, with which the order can still be charged; or why nothing is sent there.
    /// - Throws: What is wrong with the answer, without a word of it.
    package func reading(_ answer: [UInt8]) throws(PostageRefusal) -> DeliveryAnswer {
        guard let value = try? JSONParser.parse(answer, depth: 3), var reader = try? JSONReader(value) else {
            throw .unreadable
        }
        if let sentence = try? reader.optionalObject("undeliverable") {
            guard (try? reader.end()) != nil else { throw .unreadable }
            return .undeliverable(.said(try PostageQuestion.sentence(sentence)))
        }
        guard let amount = try? reader.money("amount"), (try? reader.end()) != nil else { throw .unreadable }
        guard let postage = amount.yen else { throw .currency }
        guard let total = order.total(with: postage), total.amount <= LedgerRules.chargeCeiling(.jpy).units else {
            throw .ceiling
        }
        return .postage(postage)
    }

    private static func sentence(_ reader: JSONReader) throws(PostageRefusal) -> BuyerSentence {
        guard let sentence = try? languages(reader) else { throw .sentence }
        return sentence
    }

    /// The sentence in each language, kept as every text of a merchant is; `nil` where neither is left.
    private static func languages(_ reader: JSONReader) throws -> BuyerSentence? {
        var reader = reader
        let (japanese, english) = (try reader.optionalText("ja"), try reader.optionalText("en"))
        try reader.end()
        return BuyerSentence(
            japanese: try Failure.cleaned(optional: japanese, "ja", BuyerSentence.limit),
            english: try Failure.cleaned(optional: english, "en", BuyerSentence.limit)
        )
    }

    package var description: String { "<private>" }
}

extension NamedSchema {
    /// What a merchant's server is asked about the postage.
    package static let postageQuestion = NamedSchema(
        "PostageQuestion",
        .object([
            .required("sessionId", .text(36...36)), .required("currency", .text(3...3)),
            .required("subtotal", .money, "the lines; with tax if `pricesIncludeTax`, else without"),
            .required("pricesIncludeTax", .flag),
            .required(
                "address",
                .object([
                    .required("countryCode", .nullable(.text(1...2))),
                    .required("stateOrRegion", .nullable(.text(1...255)), "free text, in any spelling"),
                    .required("postalCode", .nullable(.text(1...20)), "free text"),
                    .required(
                        "prefecture",
                        .nullable(.text(5...5)),
                        "`JP-01` to `JP-47` (ISO 3166-2), what region and postal code come to; null where they are in doubt"
                    ),
                ]),
                "without name, street and telephone number"
            ),
        ])
    )
}

extension NamedSchema {
    /// What a merchant's server answers.
    package static let postageAnswer = NamedSchema(
        "PostageAnswer",
        .sorts(
            [
                .optional("amount", .money, "tax included"),
                .optional("undeliverable", .named(.buyerSentence), "nothing is sent to this address"),
            ],
            [[.present("amount"), .absent("undeliverable")], [.present("undeliverable"), .absent("amount")]]
        )
    )

    private static let buyerSentence = NamedSchema(
        "BuyerSentence",
        .sorts(
            [
                .optional("ja", .printable(0...BuyerSentence.limit), "read by buyers with a Japanese page"),
                .optional("en", .printable(0...BuyerSentence.limit), "read by all others"),
            ],
            [[.present("ja")], [.absent("ja"), .present("en")]]
        )
    )
}

/// Why an answer is not taken.
package enum PostageRefusal: String, Error, Sendable {
    /// It is not the object that was asked for.
    case unreadable =
        "the answer is neither {\"amount\":{\"amount\":\"540\",\"currencyCode\":\"JPY\"}} nor {\"undeliverable\":{\"ja\":\"…\",\"en\":\"…\"}}"
    /// A sentence in no language of the pages, or one that buyers cannot be shown.
    case sentence =
        "undeliverable has a sentence neither in ja nor in en, or one that is not 1 to 255 printable characters"
    /// Another currency than that of the order.
    case currency = "the answer is in another currency"
    /// More than one charge can be.
    case ceiling = "with this shipping cost the total exceeds the limit of one charge"
}
