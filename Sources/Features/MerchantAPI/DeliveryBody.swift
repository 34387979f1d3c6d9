import Commerce
import Primitives
import ServiceAPI
import StrictJSON
import Web

extension JSONReader {
    /// Takes the restrictions of a delivery, which may be absent.
    ///
    /// - Returns: What may be served; `nil` where the member is absent or `null`.
    /// - Throws: `invalid_request` for another country than Japan, a prefecture that is not written in kanji in full, a postal code
    ///   of another form, an empty list, and where nothing is named.
    mutating func deliveryRestrictions(_ name: String) throws(Failure) -> DeliveryRestrictions? {
        let found = try Failure.reading { () throws(JSONRefusal) in try optionalObject(name) }
        guard var object = found else { return nil }
        let (word, region) = try Failure.reading { () throws(JSONRefusal) in
            let word = try object.text("type")
            var countries = try object.object("restrictions")
            let region = try countries.object(DeliveryRestrictions.country)
            try countries.end()
            try object.end()
            return (word, region)
        }
        guard let kind = DeliveryRestrictions.Kind(word: word.octets) else {
            let words = DeliveryRestrictions.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(.invalidRequest, message: "One of \(words).", field: "\(name).type")
        }
        return try DeliveryRestrictions(kind, region, at: "\(name).restrictions.\(DeliveryRestrictions.country)")
    }
}

extension DeliveryRestrictions {
    /// The one country that there is delivery to.
    static let country = "JP"
    private static let regionsMember = "statesOrRegions"
    private static let codesMember = "zipCodes"

    fileprivate init(_ kind: Kind, _ reader: JSONReader, at path: String) throws(Failure) {
        var reader = reader
        let (names, codes) = try Failure.reading { () throws(JSONRefusal) in
            let lists = (
                try reader.optionalTexts(DeliveryRestrictions.regionsMember),
                try reader.optionalTexts(DeliveryRestrictions.codesMember)
            )
            try reader.end()
            return lists
        }
        let lists = [
            (DeliveryRestrictions.regionsMember, names, DeliveryRestrictions.maximumPrefectures),
            (DeliveryRestrictions.codesMember, codes, DeliveryRestrictions.maximumPostalCodes),
        ]
        for (name, list, most) in lists {
            guard let list, !(1...most).contains(list.count) else { continue }
            throw Failure(.invalidRequest, message: "A list of 1 to \(most).", field: "\(path).\(name)")
        }
        var known: [Prefecture] = []
        for (index, name) in (names ?? []).enumerated() {
            guard let prefecture = Prefecture(kanji: name.octets) else {
                let rule = "A prefecture in kanji and in full, for example 沖縄県."
                throw Failure(
                    .invalidRequest,
                    message: rule,
                    field: "\(path).\(DeliveryRestrictions.regionsMember)[\(index)]"
                )
            }
            known.append(prefecture)
        }
        if let odd = codes?.firstIndex(where: { !DeliveryRestrictions.isPostalCode($0) }) {
            let rule = "A postal code such as 900-0015, or the beginning of one and *, such as 90*."
            throw Failure(.invalidRequest, message: rule, field: "\(path).\(DeliveryRestrictions.codesMember)[\(odd)]")
        }
        guard let restrictions = DeliveryRestrictions(kind, prefectures: known, postalCodes: codes ?? []) else {
            throw Failure(field: path, "needs statesOrRegions or zipCodes")
        }
        self = restrictions
    }

    /// Restrictions as they were stored, or `nil` for what this program did not write.
    ///
    /// - Parameter stored: What `json` gave.
    init?(stored: JSONValue) {
        guard let kind = stored["type"]?.text.flatMap({ Kind(word: $0.octets) }),
            let region = stored["restrictions"]?[DeliveryRestrictions.country]
        else { return nil }
        let names = region[DeliveryRestrictions.regionsMember]?.elements ?? []
        let codes = region[DeliveryRestrictions.codesMember]?.elements ?? []
        let known = names.compactMap { $0.text.flatMap { Prefecture(kanji: $0.octets) } }
        guard known.count == names.count else { return nil }
        self.init(kind, prefectures: known, postalCodes: codes.compactMap(\.text))
    }

    /// The form in which they are sent, stored and read back.
    var json: JSONValue {
        var lists: [JSONMember] = []
        if !prefectures.isEmpty {
            lists.append(
                JSONMember(DeliveryRestrictions.regionsMember, .array(prefectures.map { .string($0.kanji) }))
            )
        }
        if !postalCodes.isEmpty {
            lists.append(JSONMember(DeliveryRestrictions.codesMember, .array(postalCodes.map { .string($0) })))
        }
        let countries = [JSONMember(DeliveryRestrictions.country, .object(lists))]
        return ["type": .string(kind.rawValue), "restrictions": .object(countries)]
    }
}

extension NamedSchema {
    /// To which addresses an order may go.
    static let deliveryRestrictions = NamedSchema(
        "DeliveryRestrictions",
        .object([
            .required(
                "type",
                .word(DeliveryRestrictions.Kind.allCases.map(\.rawValue)),
                "`Allowed`: only these addresses; `NotAllowed`: all others in Japan"
            ),
            .required("restrictions", .object([.required(DeliveryRestrictions.country, .named(.deliveryRegion))])),
        ]),
        isInBoth: true
    )

    private static let deliveryRegion = NamedSchema(
        "DeliveryRegion",
        .sorts(
            [
                .optional(
                    "statesOrRegions",
                    .list(
                        .word(Prefecture.allCases.map(\.kanji)),
                        1...DeliveryRestrictions.maximumPrefectures
                    )
                ),
                .optional(
                    "zipCodes",
                    .list(.matching(SchemaPattern.postalCode), 1...DeliveryRestrictions.maximumPostalCodes),
                    "whole postal codes, or the beginning of one and `*`"
                ),
            ],
            [[.present("statesOrRegions")], [.absent("statesOrRegions"), .present("zipCodes")]]
        ),
        isInBoth: true
    )
}
