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
    ///   - path: Where the document is, for people.
    ///   - environment: All variables; those with the prefix `SALLYPORT_` that no setting owns are problems.
    package init(file: [UInt8]?, path: String = "configuration file", environment: [String: String]) {
        let known = Dictionary(SettingTable.all.map { ($0.name, $0) }) { first, _ in first }
        if let file { read(file, path, known) }
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
            problems.append("\(setting.environmentName): \(error.sentence(about: Array(value.utf8)))")
        }
    }

    private mutating func read(_ file: [UInt8], _ path: String, _ known: [String: Setting]) {
        do throws(JSONError) {
            if case .object(let members) = try JSONParser.parse(file) {
                flatten(members, prefix: "", known)
            } else {
                problems.append("\(path): the document is not an object")
            }
        } catch {
            problems.append("\(path): \(error.sentence(about: file))")
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
    fileprivate func sentence(about text: [UInt8]) -> String {
        switch self {
        case .malformed(let byte): "not JSON at \(JSONError.place(byte, in: text))"
        case .tooDeep: "lists and objects lie too deep inside each other"
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
