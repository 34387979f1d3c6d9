/// The texts of all settings, file and environment put together.
package struct SettingSource: Sendable {
    /// What each name was set to; absent where nothing was.
    private(set) var texts: [String: String] = [:]
    /// Arrays of objects, which have no text form.
    private(set) var objects: [String: [JSONTree]] = [:]
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
    func fillingIn(_ defaults: [String: String], objects: [String: [JSONTree]]) -> SettingSource {
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
        guard case .array(let items)? = try? JSONTree.parse(Array(value.utf8)) else {
            problems.append("\(setting.environmentName): not a JSON array")
            return
        }
        for key in DuplicateKeys.all(in: Array(value.utf8)) {
            problems.append("\(setting.environmentName): \(key) is there twice")
        }
        objects[setting.name] = items
    }

    private mutating func read(_ file: [UInt8], _ known: [String: Setting]) {
        do {
            guard case .object(let members) = try JSONTree.parse(file) else {
                problems.append("configuration file: the document is not an object")
                return
            }
            for key in DuplicateKeys.all(in: file) { problems.append("\(key): twice in the configuration file") }
            flatten(members, prefix: "", known)
        } catch {
            problems.append("configuration file: not JSON")
        }
    }

    private mutating func flatten(_ members: [String: JSONTree], prefix: String, _ known: [String: Setting]) {
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let name = prefix + key
            switch (value, known[name]) {
            case (.array(let items), let setting?) where setting.kind == .objects:
                objects[name] = items
            case (.array(let items), let setting?) where setting.kind == .list:
                texts[name] = items.compactMap(\.scalarText).joined(separator: ",")
            case (.object(let inner), nil):
                flatten(inner, prefix: name + ".", known)
            case (_, let setting?):
                if let text = value.scalarText {
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
