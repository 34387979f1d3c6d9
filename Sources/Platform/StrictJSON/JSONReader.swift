import Primitives

/// Why a well-formed JSON value is not the message that somebody expected.
package struct JSONRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: Sendable, Equatable {
        /// The member is absent or `null` and must not be.
        case missing
        /// The member is of another type; the associated text names the one that was expected, for example `a text`.
        case notA(String)
        /// There is no member of this name.
        case unknown
    }

    /// The member, as a path from the root.
    ///
    /// For example `lines[0].quantity`; empty for the root itself. Holds names that the sender chose; a program that shows it
    /// must bound and escape it.
    package let path: String
    /// What is wrong.
    package let reason: Reason

    /// A refusal of one member.
    ///
    /// - Parameters:
    ///   - path: From the root, empty for the root itself.
    package init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    package var description: String {
        let subject = path.isEmpty ? "the value" : path
        return switch reason {
        case .missing: "\(subject) is missing"
        case .notA(let type): "\(subject) is not \(type)"
        case .unknown: "\(subject) is not known"
        }
    }
}

/// Takes the members of one object apart, each by its name and type, and refuses what nobody asked for.
///
/// Ask for every member that a message may have and then call `end`. `null` counts as absent. A reader is a value: one per
/// object, and one more for each object inside it.
package struct JSONReader: Sendable {
    private let path: String
    private var remaining: [JSONMember]

    /// A reader of an object.
    ///
    /// - Parameters:
    ///   - value: What the parser returned, or a part of it.
    ///   - path: Where the value lies, for refusals; empty for the root.
    /// - Throws: `notA` for anything but an object.
    package init(_ value: JSONValue, at path: String = "") throws(JSONRefusal) {
        guard case .object(let members) = value else { throw JSONRefusal(path, .notA("an object")) }
        self.path = path
        remaining = members
    }

    /// Takes a member of any type.
    ///
    /// - Parameter name: The whole name; taken once, a second call finds nothing.
    /// - Returns: The value, or `nil` where it is absent or `null`.
    package mutating func value(_ name: String) -> JSONValue? {
        guard let index = remaining.firstIndex(where: { $0.name.octets == name.octets }) else { return nil }
        let value = remaining.remove(at: index).value
        // Not by `?:`, where `nil` would be the literal of a JSON value.
        if case .null = value { return nil }
        return value
    }

    /// Takes a text that may be absent.
    ///
    /// - Returns: Any text, the empty one among them; `nil` where it is absent or `null`.
    /// - Throws: `notA` for another type.
    package mutating func optionalText(_ name: String) throws(JSONRefusal) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw refusal(name, .notA("a text")) }
        return text
    }

    /// Takes a text.
    ///
    /// - Returns: Any text, the empty one among them.
    /// - Throws: `missing`; `notA` for another type.
    package mutating func text(_ name: String) throws(JSONRefusal) -> String {
        guard let text = try optionalText(name) else { throw refusal(name, .missing) }
        return text
    }

    /// Takes a whole number that may be absent.
    ///
    /// - Returns: A number without fraction or exponent that fits the type; `nil` where it is absent or `null`.
    /// - Throws: `notA` for anything else.
    package mutating func optionalInteger(_ name: String) throws(JSONRefusal) -> Int? {
        guard let value = value(name) else { return nil }
        guard let integer = value.integer else { throw refusal(name, .notA("a whole number")) }
        return integer
    }

    /// Takes a whole number.
    ///
    /// - Returns: A number without fraction or exponent that fits the type.
    /// - Throws: `missing`; `notA` for anything else.
    package mutating func integer(_ name: String) throws(JSONRefusal) -> Int {
        guard let integer = try optionalInteger(name) else { throw refusal(name, .missing) }
        return integer
    }

    /// Takes a truth value that may be absent.
    ///
    /// - Returns: `true` or `false`; `nil` where it is absent or `null`.
    /// - Throws: `notA` for anything else, texts and numbers among it.
    package mutating func optionalFlag(_ name: String) throws(JSONRefusal) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.flag else { throw refusal(name, .notA("true or false")) }
        return flag
    }

    /// Takes an object that may be absent.
    ///
    /// - Returns: A reader for it, to be ended for itself; `nil` where it is absent or `null`.
    /// - Throws: `notA` for anything but an object.
    package mutating func optionalObject(_ name: String) throws(JSONRefusal) -> JSONReader? {
        guard let value = value(name) else { return nil }
        return try JSONReader(value, at: path(name))
    }

    /// Takes an object.
    ///
    /// - Returns: A reader for it, to be ended for itself.
    /// - Throws: `missing`; `notA` for anything but an object.
    package mutating func object(_ name: String) throws(JSONRefusal) -> JSONReader {
        guard let object = try optionalObject(name) else { throw refusal(name, .missing) }
        return object
    }

    /// Takes a list of objects.
    ///
    /// - Returns: A reader for each element in order, each to be ended for itself; possibly none.
    /// - Throws: `missing`; `notA` where it is no list or an element is no object.
    package mutating func objects(_ name: String) throws(JSONRefusal) -> [JSONReader] {
        guard let readers = try optionalObjects(name) else { throw refusal(name, .missing) }
        return readers
    }

    /// Takes a list of objects that may be absent.
    ///
    /// - Returns: A reader for each element in order, each to be ended for itself; `nil` where it is absent or `null`.
    /// - Throws: `notA` where it is no list or an element is no object.
    package mutating func optionalObjects(_ name: String) throws(JSONRefusal) -> [JSONReader]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { throw refusal(name, .notA("a list")) }
        var readers: [JSONReader] = []
        for (index, element) in elements.enumerated() {
            readers.append(try JSONReader(element, at: "\(path(name))[\(index)]"))
        }
        return readers
    }

    /// Takes a list of texts that may be absent.
    ///
    /// - Returns: The texts in order, possibly none; `nil` where the member is absent or `null`.
    /// - Throws: `notA` where it is no list or an element is no text.
    package mutating func optionalTexts(_ name: String) throws(JSONRefusal) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { throw refusal(name, .notA("a list")) }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.text else { throw JSONRefusal("\(path(name))[\(index)]", .notA("a text")) }
            texts.append(text)
        }
        return texts
    }

    /// Takes an object whose members are all texts, under names of the sender's choice.
    ///
    /// - Returns: The members in order; none where it is absent or `null`.
    /// - Throws: `notA` where it is no object or a member is no text.
    package mutating func texts(_ name: String) throws(JSONRefusal) -> [(name: String, text: String)] {
        guard let value = value(name) else { return [] }
        guard case .object(let members) = value else { throw refusal(name, .notA("an object")) }
        var texts: [(name: String, text: String)] = []
        for member in members {
            guard let text = member.value.text else {
                throw JSONRefusal("\(path(name)).\(member.name)", .notA("a text"))
            }
            texts.append((member.name, text))
        }
        return texts
    }

    /// The refusal of a member, for rules about its content that this type does not know.
    ///
    /// - Returns: The refusal, with the whole path.
    package func refusal(_ name: String, _ reason: JSONRefusal.Reason) -> JSONRefusal {
        JSONRefusal(path(name), reason)
    }

    /// Ends the reading.
    ///
    /// - Throws: `unknown` with the first member that nobody took, even where it is `null`.
    package func end() throws(JSONRefusal) {
        if let member = remaining.first { throw refusal(member.name, .unknown) }
    }

    private func path(_ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }
}
