package import StrictJSON

/// Reads the members of one object of a setting, and notices those that nobody asked for.
package struct ObjectReader {
    private var members: [JSONMember] = []
    private var found: [String] = []

    /// Reads an object; any other value is a problem.
    package init(_ value: JSONValue) {
        if case .object(let members) = value {
            self.members = members
        } else {
            found.append("not an object")
        }
    }

    /// The text of a member that must be there; empty after a problem.
    package mutating func text(_ key: String) -> String {
        guard let text = take(key)?.scalarText, !text.isEmpty else {
            found.append("\(key) is missing")
            return ""
        }
        return text
    }

    /// The text of a member; `nil` where it is absent.
    package mutating func optionalText(_ key: String) -> String? {
        guard let value = take(key) else { return nil }
        if let text = value.scalarText, !text.isEmpty { return text }
        found.append("\(key) is not a text")
        return nil
    }

    /// A problem of a member that was read.
    package mutating func complain(_ key: String, _ problem: String) { found.append("\(key) is \(problem)") }

    /// A member that is true or false; false where it is absent.
    package mutating func flag(_ key: String) -> Bool {
        guard let value = take(key) else { return false }
        if case .bool(let flag) = value { return flag }
        found.append("\(key) is neither true nor false")
        return false
    }

    /// The texts of a member; `nil` where it is absent.
    package mutating func list(_ key: String) -> [String]? {
        guard let value = take(key) else { return nil }
        if case .array(let items) = value { return items.compactMap(\.scalarText) }
        found.append("\(key) is not an array")
        return nil
    }

    private mutating func take(_ key: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.name == key }) else { return nil }
        return members.remove(at: index).value
    }

    /// What is wrong with what was read, then what nobody read.
    package var problems: [String] { found + members.map { "\($0.name) is no member" } }
}
