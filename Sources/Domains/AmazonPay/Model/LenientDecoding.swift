import Commerce

/// Decoding that takes a member which is null, empty, missing or of another type for the same thing: not there.
///
/// The vendor adds, drops and nulls members without notice; a decoder that insists breaks purchases that are fine.
extension KeyedDecodingContainer {
    func text(_ key: Key) -> String? {
        let text = try? decode(String.self, forKey: key)
        return text?.isEmpty == true ? nil : text
    }

    func flag(_ key: Key) -> Bool? {
        try? decode(Bool.self, forKey: key)
    }

    func value<Value: Decodable>(_ key: Key) -> Value? {
        try? decode(Value.self, forKey: key)
    }

    /// The elements that can be decoded; a null among them is passed over.
    func list<Element: Decodable>(_ key: Key) -> [Element] {
        let list = try? decode([Lenient<Element>].self, forKey: key)
        return (list ?? []).compactMap(\.value)
    }
}

/// An element that may be anything.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) {
        value = try? Value(from: decoder)
    }
}

/// A member's name as the wire has it.
struct MemberName: CodingKey {
    let stringValue: String

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(_ name: String) {
        stringValue = name
    }

    var intValue: Int? { nil }

    init?(intValue: Int) {
        nil
    }
}

/// A postal address on the wire.
struct WireAddress: Decodable {
    let address: Address

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: MemberName.self)
        var address = Address()
        for part in Address.Part.allCases { address[part] = members.text(MemberName(part.rawValue)) }
        self.address = address
    }
}

/// A buyer on the wire.
struct WireBuyer: Decodable {
    let buyer: Buyer

    private enum CodingKeys: String, CodingKey {
        case buyerId
        case name
        case email
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        buyer = Buyer(id: members.text(.buyerId), name: members.text(.name), email: members.text(.email))
    }
}
