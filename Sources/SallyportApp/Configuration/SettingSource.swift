import StrictJSON

/// The texts of all settings, file and environment put together.
package struct SettingSource: Sendable {
    /// What each name was set to; absent where nothing was.
    private(set) var texts: [String: String] = [:]
    /// Arrays of objects, which have no text form.
    private(set) var objects: [String: [JSONValue]] = [:]
    /// What is wrong with the file or the environment, one line each.
    private(set) var problems: [String] = []

    /// Reads a file and an environment; the environment wins.
    ///
    /// - Parameters:
    ///   - file: The JSON document, or `nil` where no file was named.
    ///   - environment: All variables; those with the prefix `SALLYPORT_` that no setting owns are problems.
    package init(file: [UInt8]?, environment: [String: String]) {
        let known = Dictionary(SettingTable.all.map { ($0.name, $0) }) { first, _ in first }
        if let file { read(file, known) }
        let variables = Dictionary(SettingTable.all.map { ($0.environmentName, $0) }) { first, _ in first }
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("SALLYPORT_") {
            guard let setting = variables[name] else {
                problems.append("\(name): no such setting")
                continue
            }
            set(setting, value)
        }
    }

    /// The source with further texts for settings that nothing has set.
    ///
    /// - Parameters:
    ///   - defaults: Name to text.
    ///   - objects: Name to array of objects.
    /// - Returns: A copy in which file and environment still win.
    func fillingIn(_ defaults: [String: String], objects: [String: [JSONValue]]) -> SettingSource {
        var copy = self
        copy.texts.merge(defaults) { own, _ in own }
        copy.objects.merge(objects) { own, _ in own }
        return copy
    }

    private mutating func set(_ setting: Setting, _ value: String) {
        guard setting.kind == .objects else {
            texts[setting.name] = value
            return
        }
        do throws(JSONError) {
            if case .array(let items) = try JSONParser.parse(Array(value.utf8)) {
                objects[setting.name] = items
            } else {
                problems.append("\(setting.environmentName): not a JSON array")
            }
        } catch {
            problems.append("\(setting.environmentName): \(error.sentence)")
        }
    }

    private mutating func read(_ file: [UInt8], _ known: [String: Setting]) {
        do throws(JSONError) {
            if case .object(let members) = try JSONParser.parse(file) {
                flatten(members, prefix: "", known)
            } else {
                problems.append("configuration file: the document is not an object")
            }
        } catch {
            problems.append("configuration file: \(error.sentence)")
        }
    }

    private mutating func flatten(_ members: [JSONMember], prefix: String, _ known: [String: Setting]) {
        for member in members {
            let name = prefix + member.name
            if name == SettingTable.coreDumps.name {
                problems.append("\(name): not in a file, only as \(SettingTable.coreDumps.environmentName)")
                continue
            }
            switch (member.value, known[name]) {
            case (.array(let items), let setting?) where setting.kind == .objects:
                objects[name] = items
            case (.array(let items), let setting?) where setting.kind == .list:
                texts[name] = items.compactMap(\.scalarText).joined(separator: ",")
            case (.object(let inner), nil):
                flatten(inner, prefix: name + ".", known)
            case (_, let setting?):
                if let text = member.value.scalarText {
                    texts[setting.name] = text
                } else {
                    problems.append("\(name): not a single value")
                }
            case (_, nil):
                problems.append("\(name): no such setting")
            }
        }
    }
}

extension JSONError {
    /// What is wrong, for the people who wrote the text.
    fileprivate var sentence: String {
        switch self {
        case .malformed(let byte): "not JSON from byte \(byte) on"
        case .tooDeep: "lists and objects lie too deep inside each other"
        case .repeated(let path): "\(path) is there twice"
        case .badText(let byte): "a text at byte \(byte) is not UTF-8"
        }
    }
}

extension JSONValue {
    /// The text of a scalar as a setting reads it, numbers as they are written; `nil` for a list or object.
    var scalarText: String? {
        switch self {
        case .null: ""
        case .bool(let flag): flag ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): text
        case .array, .object: nil
        }
    }
}
