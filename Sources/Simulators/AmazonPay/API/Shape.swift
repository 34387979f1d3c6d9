import SimulatorCore
import StrictJSON

/// What a value of a request body may look like.
indirect enum Shape: Sendable {
    /// A text of at most so many characters.
    case text(Int)
    /// A text from a list.
    case oneOf([String])
    /// An https URL, or http to this machine, of at most so many characters.
    case url(Int)
    /// The same, or a link into an app: a scheme that is a domain backwards.
    case link(Int)
    case flag
    case price
    /// Digits, as a text or as a number.
    case count
    case object([Member])
    case list(of: Shape, limit: Int)
    /// An object whose names are free.
    case table(of: Shape, limit: Int)

    /// A member of an object.
    struct Member: Sendable {
        let name: String
        let shape: Shape
        let isRequired: Bool

        init(_ name: String, _ shape: Shape, isRequired: Bool = false) {
            self.name = name
            self.shape = shape
            self.isRequired = isRequired
        }
    }
}

/// Holds a body to its shape, in the order of the service: unknown members, then types and lengths, then absent members.
struct BodyCheck {
    private var unknown: String?
    private var invalid: String?
    private var missing: String?

    /// Checks a body.
    ///
    /// - Throws: `UnrecognizedField`, `InvalidParameterValue` or `MissingParameterValue`, naming the first member found so.
    static func check(_ body: JSONValue, _ members: [Shape.Member]) throws(APIError) {
        var check = BodyCheck()
        check.visit(body, .object(members), "")
        if let name = check.unknown { throw APIError(.unrecognizedField, "\(name) is not recognized.") }
        if let name = check.invalid { throw APIError(.invalidParameterValue, "The value of \(name) is invalid.") }
        if let name = check.missing { throw APIError(.missingParameterValue, "\(name) is required.") }
    }

    /// Null counts as absent.
    private mutating func visit(_ value: JSONValue, _ shape: Shape, _ path: String) {
        switch (shape, value) {
        case (_, .null): break
        case (.object(let members), .object(let given)): visit(given, members, path)
        case (.list(let element, let limit), .array(let elements)):
            if elements.count > limit { note(&invalid, path) }
            for (index, item) in elements.enumerated() { visit(item, element, "\(path)[\(index)]") }
        case (.table(let element, let limit), .object(let given)):
            if given.count > limit { note(&invalid, path) }
            for member in given { visit(member.value, element, path + "." + member.name) }
        case (.price, .object(let given)):
            for member in given where member.name != "amount" && member.name != "currencyCode" {
                note(&unknown, "\(path).\(member.name)")
            }
            if !BodyCheck.isValid(value, shape) { note(&invalid, path) }
        default:
            if !BodyCheck.isValid(value, shape) { note(&invalid, path.isEmpty ? "the body" : path) }
        }
    }

    private mutating func visit(_ given: [JSONMember], _ members: [Shape.Member], _ path: String) {
        let prefix = path.isEmpty ? "" : path + "."
        for member in given {
            guard let known = members.first(where: { $0.name == member.name }) else {
                note(&unknown, prefix + member.name)
                continue
            }
            visit(member.value, known.shape, prefix + member.name)
        }
        for member in members where member.isRequired {
            let value = given.first { $0.name == member.name }?.value ?? .null
            if value == .null || value == .string("") { note(&missing, prefix + member.name) }
        }
    }

    private func note(_ place: inout String?, _ path: String) {
        if place == nil { place = path }
    }

    private static func isValid(_ value: JSONValue, _ shape: Shape) -> Bool {
        switch (shape, value) {
        case (.text(let limit), .string(let text)): text.unicodeScalars.count <= limit
        case (.oneOf(let choices), .string(let text)): choices.contains(text)
        case (.url(let limit), .string(let text)):
            text.isEmpty || (text.utf8.count <= limit && WebURL(text)?.isTrustworthy == true)
        case (.link(let limit), .string(let text)):
            text.isEmpty || (text.utf8.count <= limit && WebURL(text, acceptsApps: true)?.isTrustworthy == true)
        case (.flag, .bool): true
        case (.price, .object): price(value) != nil
        case (.count, .string(let digits)), (.count, .number(let digits)): Int(digits).map { $0 >= 0 } ?? false
        default: false
        }
    }

    /// The price that a value stands for, or `nil` where it is none; the amount may be a text or a number.
    static func price(_ value: JSONValue?) -> Price? {
        guard let value, let code = value["currencyCode"]?.text, let currency = Currency(rawValue: code) else {
            return nil
        }
        switch value["amount"] {
        case .string(let amount), .number(let amount): return Price(amount: amount, currency: currency)
        default: return nil
        }
    }
}
