package import EventIO
package import Operations
package import Primitives
package import Settings
package import StrictJSON
package import Telemetry

/// A system outside that a feature talks to, as a demo simulates it: what the settings say of it, then a simulator on the loop.
package protocol SimulatedSystem: Sendable {
    /// As the command `simulators` takes it; one word in lower case, for example `amazon-pay`.
    static var name: String { get }
    /// For people, for example `Amazon Pay`.
    static var title: String { get }
    /// What its simulator has, in sentences for the help of `simulators`; may be empty.
    static var details: String { get }
    /// What it adds to the options of `simulators`.
    static var options: [CommandOption] { get }
    /// The setting by which the feature finds it; where an operator sets that, a demo uses what stands there and runs none.
    static var addressSetting: String { get }
    /// Settings of an account at the real system: where one is set, a command does not go by the settings of a demo.
    static var accountSettings: [String] { get }

    /// What `demo` fills in for its settings, and for those by which the feature finds it, by name, as a file has them.
    static func demoSettings(_ demo: DemoSource) -> [String: JSONValue]

    /// Makes its keys and other files in the new folder of a demo; the names of all systems differ.
    static func makeFiles(in folder: String, random: any RandomSource) throws

    /// Reads its settings, each of them whatever the others hold; those of the features are in `texts` already.
    ///
    /// - Returns: `nil` where they switch it off, as all do that fill nothing in.
    init?(_ settings: inout SettingReader)

    /// Where the feature reaches it: a URL that it answers, with whatever status.
    var healthURL: String { get }
    /// PEM file with the authorities that are believed there; empty for the machine's.
    var authorityPath: String { get }
    /// The options of its own that `demo` runs it with, values by name.
    var demoOptions: [String: String] { get }
    /// What `demo` prints of it when it is ready, such as a page to open; empty for nothing.
    var demoText: String { get }

    /// Where it listens.
    ///
    /// - Throws: `ConfigurationError` for what an operator can mend.
    func places(_ launch: SimulatorLaunch) throws -> [SimulatorHost.Place]

    /// Makes it, on the loop that it runs on.
    ///
    /// - Throws: `ConfigurationError` for what an operator can mend.
    func simulator(_ launch: SimulatorLaunch, _ reactor: Reactor, _ logger: Logger) throws -> any Simulator
}

extension SimulatedSystem {
    package static var details: String { "" }

    package static var options: [CommandOption] { [] }

    package static var accountSettings: [String] { [] }

    package static func makeFiles(in folder: String, random: any RandomSource) throws {}

    package var authorityPath: String { "" }

    package var demoOptions: [String: String] { [:] }

    package var demoText: String { "" }
}
