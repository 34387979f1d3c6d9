package import StrictJSON

/// What a value of a request body may look like.
package indirect enum Shape: Sendable {
    /// A text of at most so many characters.
    case text(Int)
    /// A text from a list.
    case oneOf([String])
    /// An https URL, or http to this machine, of at most so many characters.
    case url(Int)
    /// The same, or a link into an app: a scheme that is a domain backwards.
    case link(Int)
    /// True or false.
    case flag
    /// An object with these members and no other, valid where the closure says so.
    case whole([String], @Sendable (JSONValue) -> Bool)
    /// Digits, as a text or as a number.
    case count
    /// An object with these members and no other.
    case object([Member])
    /// So many elements at most.
    case list(of: Shape, limit: Int)
    /// An object whose names are free.
    case table(of: Shape, limit: Int)

    /// A member of an object.
    package struct Member: Sendable {
        let name: String
        let shape: Shape
        let isRequired: Bool

        /// A member that may be absent, unless it is required.
        package init(_ name: String, _ shape: Shape, isRequired: Bool = false) {
            self.name = name
            self.shape = shape
            self.isRequired = isRequired
        }
    }
}

/// The first mismatch of a body and its shape: unknown members before types and lengths, those before absent members.
package enum ShapeMismatch: Equatable, CustomStringConvertible {
    /// No member of this name is known.
    case unknown(String)
    /// Its value is of another type, or too long.
    case invalid(String)
    /// It is required.
    case missing(String)

    /// The mismatch of an object and its members; `nil` for a valid body.
    package static func first(in body: JSONValue, _ members: [Shape.Member]) -> ShapeMismatch? {
        var check = BodyCheck()
        check.visit(body, .object(members), "")
        return check.unknown.map(unknown) ?? check.invalid.map(invalid) ?? check.missing.map(missing)
    }

    package var description: String {
        switch self {
        case .unknown(let name): "\(name) is not recognized."
        case .invalid(let name): "The value of \(name) is invalid."
        case .missing(let name): "\(name) is required."
        }
    }
}

/// Holds a body to its shape.
private struct BodyCheck {
    var unknown: String?
    var invalid: String?
    var missing: String?

    /// Null counts as absent.
    mutating func visit(_ value: JSONValue, _ shape: Shape, _ path: String) {
        switch (shape, value) {
        case (_, .null): break
        case (.object(let members), .object(let given)): visit(given, members, path)
        case (.list(let element, let limit), .array(let elements)):
            if elements.count > limit { note(&invalid, path) }
            for (index, item) in elements.enumerated() { visit(item, element, "\(path)[\(index)]") }
        case (.table(let element, let limit), .object(let given)):
            if given.count > limit { note(&invalid, path) }
            for member in given { visit(member.value, element, path + "." + member.name) }
        case (.whole(let names, _), .object(let given)):
            for member in given where !names.contains(member.name) {
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
        case (.whole(_, let holds), .object): holds(value)
        case (.count, .string(let digits)), (.count, .number(let digits)): Int(digits).map { $0 >= 0 } ?? false
        default: false
        }
    }
}
