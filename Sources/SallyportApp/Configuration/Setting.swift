/// One key of the configuration: its name, its default, and what it means.
///
/// In the JSON file the dots of a name are nested objects; the environment variable is the name in upper case with
/// `SALLYPORT_` in front and underscores for dots.
struct Setting: Sendable {
    /// How the text of a setting is read.
    enum Kind: Sendable, Equatable {
        case text
        case path
        /// A whole number within bounds.
        case number(ClosedRange<Int>)
        /// `36/7.2`: calls at once, then calls a second; empty for unset.
        case callRate
        /// `90`, `90s`, `15m` or `2h`; within bounds, in seconds.
        case duration(ClosedRange<Int>)
        /// `true` or `false`.
        case flag
        /// One of a few words.
        case choice([String])
        /// Words with commas between them; an array in the JSON file.
        case list
        /// `host:port`, an address not a name; empty for none.
        case address
        /// `https://host[:port]` without a path.
        case origin
        /// An array of objects, read by its own decoder.
        case objects
    }

    /// Dotted, lower case, for example `session.idle`.
    let name: String
    /// How the text is read.
    let kind: Kind
    /// The text that stands where nothing is set; empty for unset.
    let fallback: String
    /// True where the value must not be printed.
    let isSecret: Bool
    /// One line for people.
    let meaning: String

    init(_ name: String, _ kind: Kind, _ fallback: String, secret: Bool = false, _ meaning: String) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        isSecret = secret
        self.meaning = meaning
    }

    /// The environment variable that overrides the file.
    var environmentName: String { Setting.environmentName(name) }

    /// The environment variable of a setting.
    static func environmentName(_ name: String) -> String {
        "SALLYPORT_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
    }
}
