/// One key of the configuration: its name, its default, and what it means.
///
/// Reading one declares it (`SettingReader`).
/// In the JSON file the dots of a name are nested objects; the environment variable is the name in upper case with
/// `SALLYPORT_` in front and underscores for dots.
package struct Setting: Sendable, Equatable {
    /// How the text of a setting is read.
    package enum Kind: Sendable, Equatable {
        /// Any text, or one of a form that the reading slice checks; the form is given for the documentation.
        case text(takes: String)
        /// A folder.
        case folder
        /// A file that everybody may read.
        case file
        /// A file that `SecretFile` reads.
        case secretFile
        /// A whole number within bounds.
        case number(ClosedRange<Int>)
        /// As `DurationText` reads it; within bounds, in seconds.
        case duration(ClosedRange<Int>)
        /// `true` or `false`.
        case flag
        /// One of a few words.
        case choice([String])
        /// Words with commas between them; an array in the JSON file.
        case list
        /// `host:port`, an address not a name; empty for none.
        case address
        /// An array of objects.
        case objects
    }

    /// Dotted, lower case, for example `session.idle`.
    package let name: String
    /// How the text is read.
    package let kind: Kind
    /// The text that stands where nothing is set; empty for unset.
    package let fallback: String
    /// One line for people.
    package let meaning: String
    /// True where the value must not be printed.
    package let isSecret: Bool
    /// True where a file cannot set it, because it counts before any file is read.
    package let isOnlyVariable: Bool
    /// The groups of commands that go by it, beside those that go by everything.
    package internal(set) var scopes: Set<SettingScope> = []

    init(
        _ name: String,
        _ kind: Kind,
        _ fallback: String,
        _ meaning: String,
        isSecret: Bool = false,
        isOnlyVariable: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        self.meaning = meaning
        self.isSecret = isSecret
        self.isOnlyVariable = isOnlyVariable
    }

    /// The environment variable that overrides the file.
    package var environmentName: String { Setting.environmentName(name) }

    /// The environment variable of a setting.
    package static func environmentName(_ name: String) -> String {
        "SALLYPORT_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }

    /// Whether it names a file, so that neither a folder nor the content of one is meant.
    package var isFile: Bool { kind == .file || kind == .secretFile }

    /// What the file holds that a setting names, by the setting's name; for people.
    package static func content(_ name: String) -> String {
        name.contains("key") ? "the key" : name.contains("secret") ? "the secret" : "the content of the file"
    }

    /// The values that it takes, in Markdown: the column "Takes" of docs/settings.md.
    package var takes: String {
        switch kind {
        case .text(let takes): takes
        case .folder, .file, .secretFile: "path"
        case .number(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
        case .duration(let bounds): "\(Setting.time(bounds.lowerBound)) to \(Setting.time(bounds.upperBound))"
        case .flag: "`true`, `false`"
        case .choice(let words): words.filter { !$0.isEmpty }.map { "`\($0)`" }.joined(separator: ", ")
        case .list: "list"
        case .address: "address and port"
        case .objects: "JSON array"
        }
    }

    private static func time(_ seconds: Int) -> String {
        if seconds > 0, seconds.isMultiple(of: 3_600) { return "\(seconds / 3_600)h" }
        if seconds > 0, seconds.isMultiple(of: 60) { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }
}

/// A group of commands that go by the same settings; what is wrong with others does not stop them.
///
/// An open set: a feature adds a static property and reads its settings `within` it.
package struct SettingScope: Hashable, Sendable {
    private let name: String

    /// All settings: of a program that serves, and of what talks to the provider.
    package static let everything = SettingScope("everything")

    /// A scope of that name.
    package init(_ name: String) {
        self.name = name
    }

    /// Whether its commands go by a setting.
    func includes(_ setting: Setting) -> Bool {
        self == .everything || setting.scopes.contains(self)
    }
}
