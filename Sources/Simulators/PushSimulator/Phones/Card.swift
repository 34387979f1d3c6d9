import Primitives
import StrictJSON

/// A pass on a phone.
struct Card: Sendable {
    /// A place of a field on it.
    enum Area: String, Sendable, CaseIterable {
        case header = "headerFields"
        case primary = "primaryFields"
        case secondary = "secondaryFields"
        case auxiliary = "auxiliaryFields"
        case back = "backFields"
    }

    /// A field as the phone shows it.
    struct Field: Sendable, Equatable {
        let key: String
        let label: String
        let value: String
        /// With the new value put in; `nil` where a change is not shown.
        let changeMessage: String?
    }

    /// Name of the pass type.
    let type: String
    /// The number that is unique within the type.
    let serial: String
    /// Proves to the web service that the pass is on the phone.
    let token: Secret<String>?
    /// Where the phone registers; `nil` for a pass that never changes.
    let webService: String?
    /// The file as it came.
    var archive: [UInt8]
    /// What is in it.
    var opened: OpenedCard
    /// What the web service said with the file.
    var lastModified: String?
    /// Whether the web service knows of it.
    var isRegistered = false
    /// What has changed last, with its messages.
    var changes: [FieldChange] = []

    /// A pass that was judged and is not registered.
    ///
    /// - Returns: `nil` where what no pass can lack is no text.
    init?(_ opened: OpenedCard, archive: [UInt8]) {
        guard let type = opened.json["passTypeIdentifier"]?.text, let serial = opened.json["serialNumber"]?.text
        else { return nil }
        self.type = type
        self.serial = serial
        self.opened = opened
        self.archive = archive
        let token = opened.json["authenticationToken"]?.text
        let url = opened.json["webServiceURL"]?.text
        (self.token, webService) = token == nil || url == nil ? (nil, nil) : (token.map { Secret($0) }, url)
    }

    /// Whether it is the same pass.
    func isSame(_ type: String, _ serial: String) -> Bool {
        self.type.octets == type.octets && self.serial.octets == serial.octets
    }

    /// The member of `pass.json` that has the fields.
    var style: JSONValue? {
        ["boardingPass", "coupon", "eventTicket", "generic", "storeCard"].lazy.compactMap { opened.json[$0] }.first
    }

    /// A text in a language of the phone.
    func text(_ text: String, in languages: [String]) -> String {
        for language in languages {
            if let found = opened.strings[language.octets]?[text.octets] { return found }
        }
        return text
    }

    /// Its fields in a place.
    func fields(_ area: Area, in languages: [String]) -> [Field] {
        (style?[area.rawValue]?.elements ?? []).compactMap { field in
            guard let key = field["key"]?.text else { return nil }
            let value = shown(field, in: languages)
            let message = field["changeMessage"]?.text.map { text($0, in: languages) }
            return Field(
                key: key,
                label: text(field["label"]?.text ?? "", in: languages),
                value: value,
                changeMessage: message.map { Card.fill($0, with: value) }
            )
        }
    }

    private func shown(_ field: JSONValue, in languages: [String]) -> String {
        let value = field["value"] ?? .null
        let plain: String
        switch value {
        case .string(let word): plain = text(word, in: languages)
        case .number(let digits): plain = digits
        default: plain = ""
        }
        guard case .number = value, let currency = field["currencyCode"]?.text else { return plain }
        return plain + " " + currency
    }

    /// Puts a value in the place of `%@`.
    private static func fill(_ message: String, with value: String) -> String {
        let (text, mark) = (Array(message.utf8), Array("%@".utf8))
        guard let start = text.indices.dropLast().first(where: { text[$0] == mark[0] && text[$0 + 1] == mark[1] })
        else { return message }
        return String(decoding: text[..<start] + Array(value.utf8) + text[(start + 2)...], as: UTF8.self)
    }

    /// The fields that another version shows otherwise.
    func changes(to other: Card, in languages: [String]) -> [FieldChange] {
        let before = Card.Area.allCases.flatMap { fields($0, in: languages) }
        let after = Card.Area.allCases.flatMap { other.fields($0, in: languages) }
        return after.compactMap { field in
            let old = before.first { $0.key.octets == field.key.octets }?.value
            guard old?.octets != field.value.octets else { return nil }
            return FieldChange(key: field.key, old: old ?? "", new: field.value, message: field.changeMessage)
        }
    }
}

/// A field whose value is another than before.
struct FieldChange: Sendable {
    let key: String
    let old: String
    let new: String
    /// The notice; `nil` where the phone shows none.
    let message: String?

    var json: JSONValue {
        [
            "key": .string(key), "old": .string(old), "new": .string(new), "message": JSONValue(message),
        ]
    }
}
