package import Operations
package import Settings

/// The features of a program as the settings make them.
package struct ConfiguredFeatures: Sendable {
    private let all: [(type: any Feature.Type, feature: (any Feature)?)]

    init(_ all: [(any Feature.Type, (any Feature)?)]) {
        self.all = all
    }

    /// A feature; `nil` where the settings switch it off.
    package func first<F: Feature>(_ feature: F.Type) -> F? {
        all.lazy.compactMap { $0.feature as? F }.first
    }

    /// A feature, for what is nothing without it.
    ///
    /// - Throws: `ConfigurationError` where the settings switch it off.
    package func demanded<F: Feature>(_ feature: F.Type) throws(ConfigurationError) -> F {
        if let found = first(feature) { return found }
        throw ConfigurationError(problems: ["\(F.card.name): the settings switch it off"])
    }

    private func isSwitchedOff(_ need: any Feature.Type) -> Bool {
        all.contains { $0.type == need && $0.feature == nil }
    }

    /// What checks without a network find, also with settings that nothing starts with.
    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        all.flatMap { $0.feature?.findings(settings) ?? [] }
    }

    /// What checks over the network find, also with settings that nothing starts with.
    package func probe(_ context: ProbeContext) async -> [Finding] {
        var findings: [Finding] = []
        for (_, feature) in all {
            if let feature { findings += await feature.probe(context) }
        }
        return findings
    }

    /// Starts those that the settings do not switch off.
    ///
    /// - Throws: `ConfigurationError` with every problem of every feature; the first error of another kind.
    package func start(_ process: ProcessContext) throws -> RunningFeatures {
        var running: [RunningFeatures.Member] = []
        var problems: [String] = []
        for (type, feature) in all {
            guard let feature else { continue }
            // One that did not start has said why itself.
            let missing = type.card.needs.filter { need in !running.contains { $0.type == need } }
            problems += missing.filter(isSwitchedOff)
                .map { "\(type.card.name): needs \($0.card.name), which the settings switch off" }
            guard missing.isEmpty else { continue }
            do {
                var process = process
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
