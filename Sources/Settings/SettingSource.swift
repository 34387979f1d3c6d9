package import StrictJSON

/// The values of all settings: a file, an environment that overrides it, and the defaults of a command below both.
///
/// It knows no setting: what a value is read as, and which values nobody reads, is known once a reader has read it.
package struct SettingSource: Sendable {
    private(set) var members: [JSONMember] = []
    /// Every member of the file at any depth, by its dotted name.
    private var values: [String: JSONValue] = [:]
    private(set) var fileProblem: String?
    /// The variables that begin with `SALLYPORT_`.
    let variables: [String: String]
    private(set) var defaults: [String: String] = [:]
    private(set) var objectDefaults: [String: [JSONValue]] = [:]

    /// Reads a file and an environment; the environment wins.
    ///
    /// - Parameters:
    ///   - file: The JSON document, or `nil` where no file was named.
    ///   - path: Where the document is, for people.
    ///   - environment: All variables; those with the prefix `SALLYPORT_` that no setting owns are problems.
    package init(file: [UInt8]?, path: String = "configuration file", environment: [String: String]) {
        variables = environment.filter { $0.key.hasPrefix("SALLYPORT_") }
        guard let file else { return }
        do throws(JSONError) {
            guard case .object(let members) = try JSONParser.parse(file) else {
                fileProblem = "\(path): the document is not an object"
                return
            }
            self.members = members
            collect(members, prefix: "")
        } catch {
            fileProblem = "\(path): \(error.sentence(about: file))"
        }
    }

    /// The source that sets nothing.
    package static let empty = SettingSource(file: nil, environment: [:])

    private mutating func collect(_ members: [JSONMember], prefix: String) {
        for member in members {
            values[prefix + member.name] = member.value
            if case .object(let inner) = member.value { collect(inner, prefix: prefix + member.name + ".") }
        }
    }

    /// The source with further values for settings that nothing has set; file, environment and earlier defaults win.
    ///
    /// - Parameters:
    ///   - defaults: Name to text.
    ///   - objects: Name to array of objects.
    package func fillingIn(_ defaults: [String: String], objects: [String: [JSONValue]] = [:]) -> SettingSource {
        var copy = self
        copy.defaults.merge(defaults) { own, _ in own }
        copy.objectDefaults.merge(objects) { own, _ in own }
        return copy
    }

    /// Whether file or environment set it, be it to an empty text.
    package func isSet(_ name: String) -> Bool {
        variables[Setting.environmentName(name)] != nil || values[name] != nil
    }

    /// The text of a setting; `nil` where nothing sets it.
    func text(of setting: Setting) -> String? {
        if let text = variables[setting.environmentName] { return text }
        if !setting.isOnlyVariable, let value = values[setting.name] {
            if case .array(let items) = value, setting.kind == .list {
                return items.compactMap(\.scalarText).joined(separator: ",")
            }
            if let text = value.scalarText { return text }
        }
        return defaults[setting.name]
    }

    /// The objects of a setting; `nil` where nothing sets it.
    func objects(of setting: Setting) -> [JSONValue]? {
        if let text = variables[setting.environmentName],
            case .array(let items)? = try? JSONParser.parse(Array(text.utf8))
        {
            return items
        }
        if case .array(let items)? = values[setting.name] { return items }
        return objectDefaults[setting.name]
    }
}
