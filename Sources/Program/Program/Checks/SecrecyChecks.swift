import Operations
import ServerCore

/// D54, D55: who else may see what the program keeps secret.
enum SecrecyChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        files(settings) + dumps(settings)
    }

    private static func files(_ settings: ExaminedSettings) -> [Finding] {
        settings.exposures.sorted { $0.key < $1.key }.map { setting, exposure in
            Finding(
                "D54",
                .error,
                setting,
                "\(settings.text(setting)) \(exposure).",
                remedy: "Use mode 0600, owned by the program's user, or 0640, owned by root with the program's group."
            )
        }
    }

    private static func dumps(_ settings: ExaminedSettings) -> [Finding] {
        let setting = "debug.core_dumps"
        guard settings.text(setting) == "true" else { return [] }
        return [
            Finding(
                "D55",
                .warning,
                setting,
                "A crash writes keys, tickets and addresses into a file, and other processes of this user may read them.",
                remedy: "Remove the variable from the environment of every process that serves buyers."
            )
        ]
    }
}
