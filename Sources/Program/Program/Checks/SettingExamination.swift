import EventIO
import HTTPCore
import HTTPServer
import Operations
import Primitives
import ServerCore
import Settings
import Web

/// What `doctor` looks at: the settings as texts, and what this program says of them.
struct SettingExamination {
    let settings: ExaminedSettings
    /// What the features read.
    let features: ConfiguredFeatures
    private let problems: [ProgramChecks.Problem]

    /// Examines settings, with which the program may not start at all.
    init(_ source: SettingSource, now: WallTime) {
        var reader = SettingReader(source)
        features = Configuration(&reader).features
        let webPaths = RoutesCommand.routes.filter { $0.site == .web && $0.method == .get }.map(\.path)
        var settings = ExaminedSettings(reader, webPaths: webPaths, now: now)
        settings.servesLinks = !features.active.slots(LinkHostUse.self).isEmpty
        self.settings = settings
        problems = SettingExamination.problems(source)
    }

    /// What the checks without a network find.
    var findings: [Finding] {
        let found = ProgramChecks.findings(settings) + features.findings(settings)
        return found + ProgramChecks.off(features.off) + ProgramChecks.refusals(problems, besides: found)
    }

    /// What the program would refuse at its start.
    private static func problems(_ source: SettingSource) -> [ProgramChecks.Problem] {
        do {
            let configuration = try Configuration(source)
            let invalid = configuration.listeners.trustedProxies.filter { $0 != "*" && NetworkPrefix($0) == nil }
            guard invalid.isEmpty else {
                return invalid.map {
                    ProgramChecks.Problem(setting: "trusted_proxies", text: "\($0) is no address or network")
                }
            }
            try Application.check(configuration)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map(problem)
        } catch {
            return [ProgramChecks.Problem(setting: "serve", text: "\(error)")]
        }
    }

    /// `name: what is wrong`, taken apart.
    private static func problem(_ line: String) -> ProgramChecks.Problem {
        guard let mark = line.firstRange(of: ": ") else {
            return ProgramChecks.Problem(setting: "settings", text: line)
        }
        return ProgramChecks.Problem(setting: String(line[..<mark.lowerBound]), text: String(line[mark.upperBound...]))
    }
}
