import Operations

/// D54, D55: who else may see what the program keeps secret.
enum SecrecyChecks {
    static func findings(_ facts: SettingFacts) -> [Finding] {
        files(facts) + dumps(facts)
    }

    private static func files(_ facts: SettingFacts) -> [Finding] {
        facts.exposures.sorted { $0.key < $1.key }.map { setting, exposure in
            Finding(
                "D54",
                .error,
                setting,
                "\(facts.text(setting)) \(exposure).",
                remedy: "Mode 0600 of the program's user, or 0640 of root with the program's group."
            )
        }
    }

    private static func dumps(_ facts: SettingFacts) -> [Finding] {
        let setting = "debug.core_dumps"
        guard facts.text(setting) == "true" else { return [] }
        return [
            Finding(
                "D55",
                .warning,
                setting,
                "A crash writes keys, tickets and addresses into a file, and other processes of this user may read them.",
                remedy: "Take the variable out of the environment of every program that serves."
            )
        ]
    }
}
