import EventIO
import ServerCore
import Settings
import SimulatorCore
import StrictJSON

/// What `demo` fills in where nothing is set: its own keys and hosts, and what features and simulated systems ask for.
enum DemoDefaults {
    /// The settings of a demo.
    ///
    /// - Parameter source: What file and environment say; it wins.
    static func fill(_ source: SettingSource) -> SettingSource {
        var reader = SettingReader(source)
        let settings = Configuration(&reader)
        let keys = DevelopmentKeys(in: settings.storage.dataDirectory)
        let own: [String: JSONValue] = [
            "tls.certificate": .string(keys.certificatePath),
            "tls.key": .string(keys.keyPath),
        ]
        let demo = DemoSource(reader, folder: keys.folder)
        return FeatureList.simulators.reduce(
            source.fillingIn(own).fillingIn(hosts(settings.listeners)).fillingIn(FeatureList.all.demoSettings(demo))
        ) { $0.fillingIn($1.demoSettings(demo)) }
    }

    /// Both hosts under the port that is listened on, so that what is printed is where the program is.
    private static func hosts(_ listeners: Configuration.Listeners) -> [String: JSONValue] {
        guard let port = listeners.tls?.port, port != 0 else { return [:] }
        return ["web.base_url": "https://localhost:\(port)", "link.base_url": "https://links.localhost:\(port)"]
    }

    /// The settings of a command that works on the data of a demo.
    ///
    /// - Parameter source: What file and environment say; it wins.
    /// - Returns: The demo's, where the data directory is a demo's and nothing else is set.
    /// - Throws: What `DemoFolder.settings` throws.
    static func fillWhereKept(_ source: SettingSource) throws -> SettingSource {
        try DemoFolder.settings(for: source) ?? source
    }
}
