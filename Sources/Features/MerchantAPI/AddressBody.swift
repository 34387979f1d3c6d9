package import Commerce
import MerchantOrders
import Primitives
package import ServiceAPI
package import StrictJSON
package import Web

extension JSONReader {
    /// Takes a postal address that may be absent.
    ///
    /// - Returns: The address; `nil` where it is absent or `null`.
    /// - Throws: `invalid_request` for an unknown part, one that is too long or not printable, and where a part is missing
    ///   without which nothing can be delivered. An empty part is one that is not there, as shops send it.
    package mutating func address(_ name: String) throws(Failure) -> Address? {
        guard var object = try Failure.reading({ () throws(JSONRefusal) in try optionalObject(name) }) else {
            return nil
        }
        let path = refusal(name, .missing).path
        var address = Address()
        for part in Address.Part.allCases {
            let text = try Failure.reading { () throws(JSONRefusal) in try object.optionalText(part.rawValue) }
            let field = "\(path).\(part.rawValue)"
            address[part] = try Failure.cleaned(optional: text, field, part.maximumLength)
        }
        let rest = object
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        for part in address.neededParts {
            if case .some = address[part] { continue }
            throw Failure(.invalidRequest, message: "Missing.", field: "\(path).\(part.rawValue)")
        }
        // The provider has one member for both in what is signed, and two in what is compared with it.
        if case (.some, .some) = (address[.county], address[.district]) {
            throw Failure(
                .invalidRequest,
                message: "An address can have a county or a district, but not both.",
                field: "\(path).district"
            )
        }
        return address
    }
}

extension Address {
    /// What the provider wants of every address, and of one in Japan besides.
    fileprivate var neededParts: [Part] {
        let everywhere: [Part] = [.name, .addressLine1, .postalCode, .countryCode]
        return self[.countryCode]?.octets == "JP" ? everywhere + [.stateOrRegion, .phoneNumber] : everywhere
    }
}

extension Address.Part {
    /// The provider's limit, in characters.
    var maximumLength: Int {
        switch self {
        case .addressLine1: 180
        case .addressLine2, .addressLine3: 60
        case .name, .city, .county, .district, .stateOrRegion: 50
        case .postalCode, .phoneNumber: 20
        case .countryCode: 2
        }
    }
}

extension JSONValue {
    /// A buyer with the address that the order goes to.
    ///
    /// - Parameters:
    ///   - address: Where to; empty where nothing is sent.
    package init(buyer: Buyer, address: Address) {
        let who = [("id", buyer.id), ("name", buyer.name), ("email", buyer.email)]
        let members = who.compactMap { name, text in text.map { JSONMember(name, .string($0)) } }
        let parts = Address.Part.allCases.compactMap { part in
            address[part].map { JSONMember(part.rawValue, .string($0)) }
        }
        self = .object([.kind("buyer")] + members + [JSONMember("address", .object(parts))])
    }
}

extension NamedSchema {
    /// A buyer with the address that the order goes to.
    package static let buyer = NamedSchema(
        "Buyer",
        .object([
            .kind("buyer"), .optional("id", .text(1...128)), .optional("name", .text(1...255)),
            .optional("email", .text(1...255)),
            .required("address", .texts(16), "empty if no goods are shipped"),
        ])
    )

    /// A postal address.
    package static let postalAddress = NamedSchema(
        "Address",
        .sorts(
            Address.Part.allCases.map { part in
                let text = Schema.printable(0...part.maximumLength)
                return switch part {
                case .name, .addressLine1, .postalCode, .countryCode:
                    .required(part.rawValue, .printable(1...part.maximumLength))
                case .stateOrRegion: .optional(part.rawValue, text, "required in Japan: the prefecture in kanji")
                case .phoneNumber: .optional(part.rawValue, text, "required in Japan")
                case .district: .optional(part.rawValue, text, "only if there is no county")
                default: .optional(part.rawValue, text)
                }
            },
            // One of both, or none.
            [[.present("county"), .absent("district")], [.absent("county")]]
        )
    )
}
