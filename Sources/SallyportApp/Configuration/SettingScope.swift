/// The settings that a command goes by; what is wrong with others is not its affair.
enum SettingScope: Sendable {
    /// All of them: of a program that serves, and of what talks to the provider.
    case everything
    /// Those of a command that reads and writes the database and nothing else.
    case database
    /// Those of the association files.
    case apps

    /// Whether a setting is one of them.
    ///
    /// - Parameter name: The setting's.
    func includes(_ name: String) -> Bool {
        switch self {
        case .everything: true
        case .database:
            SettingScope.store.contains(name) || SettingScope.parts.contains { name.hasPrefix($0) }
        case .apps: name.hasPrefix("apps.") || name == "link.base_url"
        }
    }

    private static let store: Set = [
        "database_url", "data_dir", "migrations_dir", "log_level", "log.format", "profile",
    ]
    /// The way to the database, and how long what is stored lives.
    private static let parts = ["database.", "session.", "open.", "proof.", "cookies."]
}
