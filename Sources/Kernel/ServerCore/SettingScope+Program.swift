package import Settings

extension SettingScope {
    /// Those of a command that reads and writes the database and nothing else.
    package static let database = SettingScope("database")
    /// Those of the association files.
    package static let apps = SettingScope("apps")
}
