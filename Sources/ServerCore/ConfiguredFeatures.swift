package import Operations
import Settings

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

    /// What checks without a network find, also with settings that nothing starts with.
    package var findings: [Finding] { all.flatMap { $0.feature?.findings() ?? [] } }

    /// Starts those that the settings do not switch off.
    ///
    /// - Throws: `ConfigurationError` with every problem of every feature; the first error of another kind.
    package func start(_ process: ProcessContext) throws -> RunningFeatures {
        var running: [RunningFeatures.Member] = []
        var problems: [String] = []
        for (type, feature) in all {
            guard let feature else { continue }
            for need in type.card.needs where !running.contains(where: { $0.type == need }) {
                problems.append("\(type.card.name): needs \(need.card.name), which the settings switch off")
            }
            do {
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
