import StrictJSON

/// Reads typed values out of a source, and declares what it reads.
///
/// Help, `--print-config`, the documents and the list of known keys come from `settings`.
/// A slice reads all of its settings whatever they hold, and interprets them afterwards: so the settings of an empty source are
/// those of every other. Problems are collected instead of stopping at the first.
package struct SettingReader {
    let source: SettingSource
    private var found: [(setting: String, text: String)] = []
    /// Everything that was read, in this order.
    package private(set) var settings: [Setting] = []
    private var variables: Set<String> = []
    private var scopes: Set<SettingScope> = []
    /// What every setting came out as, by name; secrets as they are.
    package private(set) var texts: [String: String] = [:]
    /// The entries of every setting that is an array of objects, by name.
    private(set) var objects: [String: [JSONValue]] = [:]
    /// The settings that hold what should stand in a file; they read as empty.
    package private(set) var contents: Set<String> = []

    /// A reader that has read nothing yet.
    package init(_ source: SettingSource) {
        self.source = source
    }

    /// Reads settings by which a scope's commands go, too.
    package mutating func within<Value>(_ scope: SettingScope, _ read: (inout SettingReader) -> Value) -> Value {
        let isNew = scopes.insert(scope).inserted
        defer { if isNew { scopes.remove(scope) } }
        return read(&self)
    }

    /// Declares a setting.
    ///
    /// Each is read at one place only: a second one would have a default and a meaning of its own.
    private mutating func declare(_ setting: Setting) {
        if !variables.insert(setting.environmentName).inserted {
            complain(setting.name, "read at two places of the program, or of the same variable as another setting")
        }
        var setting = setting
        setting.scopes = scopes
        settings.append(setting)
    }

    /// Declares a setting and gives its text; its default where nothing is set.
    ///
    /// Where a path is meant and the content of a file is there, it stays here: a path is printed wherever it leads to nothing.
    mutating func read(_ setting: Setting) -> String {
        declare(setting)
        let text = source.text(of: setting) ?? setting.fallback
        if setting.isFile || setting.kind == .folder, PathText.isContent(text) {
            contents.insert(setting.name)
            complain(setting.name, "holds \(Setting.content(setting.name)) itself, not a path")
            texts[setting.name] = ""
            return ""
        }
        texts[setting.name] = text
        return text
    }

    /// Declares a setting that is an array of objects, and gives them.
    mutating func readObjects(_ setting: Setting) -> [JSONValue] {
        declare(setting)
        let items = source.objects(of: setting) ?? []
        objects[setting.name] = items
        texts[setting.name] = "(\(items.count) entries)"
        return items
    }

    /// Records what a setting came out as that had left it to others.
    package mutating func resolve(_ name: String, as text: String) {
        texts[name] = text
    }

    /// Notes a problem of a setting.
    ///
    /// - Parameters:
    ///   - item: The object that it is about, where there are several; from zero.
    ///   - text: What is wrong, without the value where it is secret.
    package mutating func complain(_ name: String, item: Int? = nil, _ text: String) {
        found.append((name, "\(name)\(item.map { "[\($0)]" } ?? ""): \(text)"))
    }

    /// Whether nothing is wrong with any of some settings so far, so that rules about several of them have something to go by.
    package func areSound(_ names: String...) -> Bool {
        !found.contains { names.contains($0.setting) }
    }

    /// Name and text of every setting, secrets hidden, in the order of reading.
    package var printed: [(name: String, value: String)] {
        settings.map { setting in
            let text = texts[setting.name] ?? ""
            return (setting.name, setting.isSecret && !text.isEmpty ? "<secret>" : text)
        }
    }

    /// What is wrong once everything was read: of the source as a whole, then of settings, each `name: what is wrong`.
    ///
    /// - Parameter scope: Problems of settings outside of it are left out.
    package func problems(of scope: SettingScope) -> [String] {
        let included = Set(settings.filter(scope.includes).map(\.name))
        return source.problems(knowing: settings) + found.filter { included.contains($0.setting) }.map(\.text)
    }
}
