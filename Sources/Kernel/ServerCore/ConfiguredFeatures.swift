package import Operations
package import Postgres
package import Settings

/// The features of a program as the settings make them.
package struct ConfiguredFeatures: Sendable {
    private let all: [any Feature]
    private let on: [any Feature]

    /// Those that are off, in list order.
    package let off: [FeatureOff]
    /// The file of the keys that all of them seal under.
    package let keyring: KeyringFile
    private let unknownPerMinute: Int

    /// What each made of its settings; one that needs another which is off is off, too.
    init(_ all: [any Feature], _ keyring: KeyringFile, unknownPerMinute: Int) {
        self.keyring = keyring
        self.unknownPerMinute = unknownPerMinute
        var on: [any Feature] = []
        var off: [FeatureOff] = []
        for feature in all {
            let type = Swift.type(of: feature)
            let missing = type.card.needs.first { need in off.contains { $0.type == need } }
            switch (feature.state, missing) {
            case (.off(let settings), _):
                let words = "off; to switch it on, set \(settings.joined(separator: ", "))"
                off.append(FeatureOff(type: type, sentence: words))
            case (.on, let missing?):
                let words = "off, because \(missing.card.name) is off, which it needs"
                off.append(FeatureOff(type: type, sentence: words))
            case (.on, nil): on.append(feature)
            }
        }
        self.all = all
        self.on = on
        self.off = off
    }

    /// A feature; `nil` where the settings switch it off.
    package func first<F: Feature>(_ feature: F.Type) -> F? {
        on.lazy.compactMap { $0 as? F }.first
    }

    /// Those that are on.
    package var active: FeatureSet { FeatureSet(on.map { Swift.type(of: $0) }) }

    /// A feature as its settings make it, also one that they switch off: for commands, and for what is checked of settings.
    ///
    /// - Throws: `ConfigurationError` where the program has no such feature.
    package func read<F: Feature>(_ feature: F.Type) throws(ConfigurationError) -> F {
        if let found = all.lazy.compactMap({ $0 as? F }).first { return found }
        throw ConfigurationError(problems: ["\(feature.card.name): not a part of this program"])
    }

    /// What checks without a network find, also with settings that nothing starts with.
    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        KeyringFile.findings(settings) + on.flatMap { $0.findings(settings) }
    }

    /// What checks over the network find, also with settings that nothing starts with.
    package func probe(_ context: ProbeContext) async -> [Finding] {
        var findings: [Finding] = []
        for feature in on { findings += await feature.probe(context) }
        return findings
    }

    /// What checks of the database find; settings and schema are sound.
    ///
    /// - Throws: Why the database gives no answer.
    package func examine(_ database: PostgresClient) async throws -> [Finding] {
        var findings: [Finding] = []
        for feature in on { findings += try await feature.examine(database) }
        return findings
    }

    /// Complains about settings of several features, or of one and the program, that do not go together.
    package func check(_ settings: inout SettingReader, web: WebOrigin) {
        for feature in all { feature.check(&settings, beside: self, web: web) }
    }

    /// First steps in a demo, in list order.
    package func walkthroughs(web: WebOrigin, authorityPath: String) -> [Walkthrough] {
        on.compactMap { $0.walkthrough(web: web, authorityPath: authorityPath) }
    }

    /// Starts those that the settings do not switch off.
    ///
    /// - Throws: `ConfigurationError` with every problem of every feature; the first error of another kind.
    package func start(_ process: ProcessContext) throws -> RunningFeatures {
        var process = process
        process.active = active
        process.unknownPerMinute = unknownPerMinute
        var running: [RunningFeatures.Member] = []
        var problems: [String] = []
        do throws(ConfigurationError) {
            process.keyring = try keyring.read()
        } catch {
            problems = error.problems
        }
        for feature in on {
            let type = Swift.type(of: feature)
            // One that did not start has said why itself.
            guard type.card.needs.allSatisfy({ need in running.contains { $0.type == need } }) else { continue }
            do {
                process.started = RunningFeatures(running)
                running.append(RunningFeatures.Member(type: type, process: try feature.start(process)))
            } catch let error as ConfigurationError {
                problems += error.problems
            } catch {
                RunningFeatures(running).stop()
                throw error
            }
        }
        guard problems.isEmpty else {
            RunningFeatures(running).stop()
            throw ConfigurationError(problems: problems)
        }
        return RunningFeatures(running)
    }
}

/// A feature that the settings switch off, itself or with one that it needs.
package struct FeatureOff: Sendable {
    let type: any Feature.Type
    /// Why, and what to set.
    package let sentence: String

    /// As the card has it.
    package var name: String { type.card.name }
}
