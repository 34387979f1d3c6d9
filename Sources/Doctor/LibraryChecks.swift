import Operations

/// D29: what TLS and chance come from.
enum LibraryChecks {
    static func findings(_ facts: SettingFacts) -> [Finding] {
        guard !facts.libraries.isEmpty else { return [] }
        let names = facts.libraries.map { "\($0.name) \($0.running)" }.joined(separator: ", ")
        let note = Finding(
            "D29",
            .note,
            "program",
            "TLS by \(names); random numbers come from the kernel, by getrandom."
        )
        return [note]
            + facts.libraries.filter(isOlder).map { library in
                Finding(
                    "D29",
                    .warning,
                    "program",
                    "\(library.name) \(library.running) is loaded, and the program was built for \(library.built).",
                    remedy: "Install the library's updates: what was repaired since then is missing here."
                )
            }
    }

    private static func isOlder(_ library: SettingFacts.Library) -> Bool {
        numbers(library.running).lexicographicallyPrecedes(numbers(library.built))
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: ".").map { part in Int(part.prefix { $0.isNumber }) ?? 0 }
    }
}
