package import StrictJSON

/// The values of all settings: a file, an environment that overrides it, and below both a further file and a command's defaults.
///
/// It knows no setting: what a value is read as, and which values nobody reads, is known once a reader has read it.
package struct SettingSource: Sendable {
    private(set) var members: [JSONMember] = []
    /// Every member of the file at any depth, by its dotted name.
    private var values: [String: JSONValue] = [:]
    /// The same of a file below file and environment.
    private var lower: [String: JSONValue] = [:]
    /// Whether a file was named.
    package let hasFile: Bool
    private(set) var fileProblem: String?
    /// The variables that begin with `SALLYPORT_`.
    let variables: [String: String]
    private(set) var defaults: [String: JSONValue] = [:]

    /// Reads a file and an environment; the environment wins.
    ///
    /// - Parameters:
    ///   - file: The JSON document, or `nil` where no file was named.
    ///   - environment: All variables; those with the prefix `SALLYPORT_` that no setting owns are problems.
    package init(file: [UInt8]?, path: String = "configuration file", environment: [String: String]) {
        variables = environment.filter { $0.key.hasPrefix("SALLYPORT_") }
        hasFile = file != nil
        guard let file else { return }
        do throws(ConfigurationError) {
            members = try SettingSource.members(of: file, path)
            SettingSource.collect(members, prefix: "", into: &values)
        } catch {
            fileProblem = error.problems.first
        }
    }

    /// The source that sets nothing.
    package static let empty = SettingSource(file: nil, environment: [:])

    private static func members(of file: [UInt8], _ path: String) throws(ConfigurationError) -> [JSONMember] {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONParser.parse(file)
        } catch {
            throw ConfigurationError(problems: ["\(path): \(error.sentence(about: file))"])
        }
        guard case .object(let members) = document else {
            throw ConfigurationError(problems: ["\(path): the document is not an object"])
        }
        return members
    }

    private static func collect(
        _ members: [JSONMember],
        prefix: String,
        into values: inout [String: JSONValue]
    ) {
        for member in members {
            values[prefix + member.name] = member.value
            if case .object(let inner) = member.value {
                collect(inner, prefix: prefix + member.name + ".", into: &values)
            }
        }
    }

    /// The source with further values for settings that nothing has set; file, environment and earlier defaults win.
    ///
    /// - Parameter defaults: By name, as a file has them.
    package func fillingIn(_ defaults: [String: JSONValue]) -> SettingSource {
        var copy = self
        copy.defaults.merge(defaults) { own, _ in own }
        return copy
    }

    /// The source with a further file below file and environment, and above all defaults.
    ///
    /// What the file has beside settings of this program is passed over: another version may have written it.
    ///
    /// - Parameters:
    ///   - file: The JSON document.
    /// - Throws: What is wrong with the document as a whole.
    package func over(_ file: [UInt8], path: String) throws(ConfigurationError) -> SettingSource {
        var copy = self
        SettingSource.collect(try SettingSource.members(of: file, path), prefix: "", into: &copy.lower)
        return copy
    }

    /// Whether a file or the environment sets it, be it to an empty text.
    package func isSet(_ name: String) -> Bool {
        variables[Setting.environmentName(name)] != nil || value(of: name) != nil
    }

    private func value(of name: String) -> JSONValue? { values[name] ?? lower[name] }

    /// What file and environment set, as a document in the format of the file.
    ///
    /// Left out are secrets, and what only a variable sets. The paths of files and folders are absolute, so that the document
    /// means the same in every working folder.
    ///
    /// - Parameters:
    ///   - texts: Further settings, by name: what is left of a secret one without its secret.
    package func document(of settings: [Setting], in folder: String, adding texts: [String: String]) -> JSONValue {
        var members: [JSONMember] = []
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            SettingReader.insert(.string(text), at: name.split(separator: ".")[...], in: &members)
        }
        for setting in settings where !setting.isSecret && !setting.isOnlyVariable {
            guard let value = setValue(of: setting, in: folder) else { continue }
            SettingReader.insert(value, at: setting.name.split(separator: ".")[...], in: &members)
        }
        return .object(members)
    }

    private func setValue(of setting: Setting, in folder: String) -> JSONValue? {
        let value: JSONValue?
        if let text = variables[setting.environmentName] {
            value = setting.kind == .objects ? try? JSONParser.parse(Array(text.utf8)) : .string(text)
        } else {
            value = values[setting.name]
        }
        guard setting.isFile || setting.kind == .folder, let path = value?.scalarText else { return value }
        let isAsItIs = path.isEmpty || path.hasPrefix("/") || PathText.isContent(path)
        return isAsItIs ? value : .string(folder + "/" + path)
    }

    /// The text of a setting; `nil` where nothing sets it.
    func text(of setting: Setting) -> String? {
        if let text = variables[setting.environmentName] { return text }
        let value = setting.isOnlyVariable ? nil : value(of: setting.name)
        if case .array(let items)? = value, setting.kind == .list {
            return items.compactMap(\.scalarText).joined(separator: ",")
        }
        return value?.scalarText ?? defaults[setting.name]?.scalarText
    }

    /// The objects of a setting; `nil` where nothing sets it.
    func objects(of setting: Setting) -> [JSONValue]? {
        if let text = variables[setting.environmentName],
            case .array(let items)? = try? JSONParser.parse(Array(text.utf8))
        {
            return items
        }
        if case .array(let items)? = value(of: setting.name) ?? defaults[setting.name] { return items }
        return nil
    }
}
