package import Operations

/// The checks that need no network: settings, and the files that they name.
package enum OfflineChecks {
    /// Looks at everything.
    ///
    /// - Parameters:
    ///   - facts: What the settings say.
    ///   - appleFile: The association file for iOS that the program serves; `nil` where it serves none.
    /// - Returns: What was found, in no order.
    package static func findings(_ facts: SettingFacts, appleFile: [UInt8]?) -> [Finding] {
        var found = HostChecks.findings(facts) + SessionChecks.findings(facts) + AppChecks.findings(facts)
        found += CertificateChecks.findings(facts) + ProviderChecks.findings(facts)
        found += MessageChecks.findings(facts) + AppLinkChecks.findings(facts)
        found += AdminChecks.findings(facts) + SecrecyChecks.findings(facts)
        if let appleFile { found += AppleFileChecks(bytes: appleFile, facts: facts).findings }
        return found + refusals(facts, besides: found)
    }

    /// What the program itself refuses, unless a check has reported it already, in more detail.
    private static func refusals(_ facts: SettingFacts, besides found: [Finding]) -> [Finding] {
        let told = Set(found.filter { $0.severity == .error }.map(\.subject))
        return facts.problems.filter { problem in
            // The program names the whole part where a check names one setting of it.
            !told.contains { $0 == problem.setting || $0.hasPrefix(problem.setting + ".") }
        }.map { problem in
            Finding(
                "D00",
                .error,
                problem.setting,
                Finding.sentence(problem.text),
                remedy: "The program does not start so; docs/settings.md lists what each setting takes."
            )
        }
    }
}
