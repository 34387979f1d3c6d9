import Settings

/// Whether the program may leave a core, and be traced: decided by a variable, before there is a secret in memory.
enum CoreDumps {
    static let setting = "debug.core_dumps"

    /// Whether an environment allows them; a wrong text does not.
    static func areAllowed(_ environment: [String: String]) -> Bool {
        environment[Setting.environmentName(setting)] == "true"
    }
}
