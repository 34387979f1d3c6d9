import StrictJSON

// Known once everything was read: the keys of the source that no setting owns, and those of another shape.

extension SettingSource {
    /// What is wrong with the source as a whole, one line each: of the file in its order, then of the variables by name.
    func problems(knowing settings: [Setting]) -> [String] {
        let names = Dictionary(settings.map { ($0.name, $0) }) { first, _ in first }
        let variables = Dictionary(settings.map { ($0.environmentName, $0) }) { first, _ in first }
        var problems = [fileProblem].compactMap(\.self) + members.flatMap { SettingSource.problems($0, "", names) }
        for (name, value) in self.variables.sorted(by: { $0.key < $1.key }) {
            if let problem = SettingSource.problem(value, of: variables[name]) {
                problems.append("\(name): \(problem)")
            }
        }
        let fillings = defaults.keys.sorted().filter { names[$0] == nil }
        return problems + fillings.map { "\($0): \(SettingSource.unknown)" }
    }

    private static let unknown = "no such setting"

    private static func problems(_ member: JSONMember, _ prefix: String, _ names: [String: Setting]) -> [String] {
        let name = prefix + member.name
        guard let setting = names[name] else {
            guard case .object(let inner) = member.value else { return ["\(name): \(unknown)"] }
            return inner.flatMap { problems($0, name + ".", names) }
        }
        if setting.isOnlyVariable { return ["\(name): not in a file, only as \(setting.environmentName)"] }
        if case .array = member.value, setting.kind == .objects || setting.kind == .list { return [] }
        return member.value.scalarText == nil ? ["\(name): not a single value"] : []
    }

    /// What is wrong with a variable before anybody reads its text.
    private static func problem(_ value: String, of setting: Setting?) -> String? {
        guard let setting else { return unknown }
        guard setting.kind == .objects else { return nil }
        let bytes = Array(value.utf8)
        do throws(JSONError) {
            guard case .array = try JSONParser.parse(bytes) else { return "not a JSON array" }
            return nil
        } catch {
            return error.sentence(about: bytes)
        }
    }
}

extension JSONError {
    /// What is wrong, for the people who wrote the text.
    func sentence(about text: [UInt8]) -> String {
        switch self {
        case .malformed(let byte): "not JSON at \(JSONError.place(byte, in: text))"
        case .tooDeep: "lists and objects are nested too deeply"
        case .tooMany: "there are too many values"
        case .repeated(let path): "\(path) is there twice"
        case .badText(let byte): "a text at \(JSONError.place(byte, in: text)) is not UTF-8"
        }
    }

    /// Line and column of a byte as editors count them, from one.
    private static func place(_ byte: Int, in text: [UInt8]) -> String {
        let before = text.prefix(byte)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).last ?? []
        // The bytes behind the first one of a character count nothing.
        let column = line.count { $0 & 0xC0 != 0x80 } + 1
        return "line \(before.count { $0 == UInt8(ascii: "\n") } + 1), column \(column)"
    }
}

extension JSONValue {
    /// The text of a scalar as a setting reads it, numbers as they are written; `nil` for a list or object.
    package var scalarText: String? {
        switch self {
        case .null: ""
        case .bool(let flag): flag ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): text
        case .array, .object: nil
        }
    }
}
