import EventIO
import Postgres
import ServerCore
package import Settings
import SimulatorCore

extension Configuration {
    /// Every setting of the program, in the order in which `--print-config` shows them.
    static let settings: [Setting] = {
        var reader = SettingReader(.empty)
        _ = Configuration(&reader)
        return reader.settings
    }()

    /// Reads and checks a configuration.
    ///
    /// - Throws: Every problem at once.
    package init(_ source: SettingSource) throws(ConfigurationError) {
        try self.init(source, for: .everything)
    }

    /// Reads a configuration and checks the part of it that somebody goes by.
    ///
    /// - Parameters:
    ///   - scope: The part; what is wrong outside of it stands at some allowed value.
    /// - Throws: Every problem of the part at once.
    init(_ source: SettingSource, for scope: SettingScope) throws(ConfigurationError) {
        var reader = SettingReader(source)
        self.init(&reader)
        let problems = reader.problems(of: scope)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// Reads a configuration whatever is wrong with it.
    init(unchecked source: SettingSource) {
        var reader = SettingReader(source)
        self.init(&reader)
    }

    /// Reads a configuration; where something is wrong it stands at some allowed value.
    init(_ read: inout SettingReader) {
        listeners = Listeners(&read)
        let log = read.within(.database) { Log(&$0) }
        logLevel = log.level
        logFormat = log.format
        // Looked at before anything is read: here it is only checked.
        _ = read.flag(
            CoreDumps.setting,
            false,
            "allow core dumps, debuggers and perf, which can read every secret; as a variable only, not in the file",
            isOnlyVariable: true
        )
        storage = Storage(&read)
        limits = Limits(&read)
        http2 = HTTP2(&read)
        includesSubdomains = read.flag("hsts.include_subdomains", true, "Strict-Transport-Security covers sub-domains")
        site = SiteSettings(&read)
        features = FeatureList.all.configured(&read)
        simulated = FeatureList.simulators.compactMap { $0.init(&read) }
        printed = read.printed
        document = read.document
        checkTogether(&read)
    }
}
