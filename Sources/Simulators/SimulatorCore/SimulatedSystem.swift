package import EventIO
package import Settings
package import TLS
package import Telemetry

/// A system outside that a feature talks to, as a demo simulates it: what the settings say of it, then a simulator on the loop.
package protocol SimulatedSystem: Sendable {
    /// What `demo` fills in for its settings, and for those by which the feature finds it.
    static var demoSettings: [String: String] { get }

    /// Reads its settings, each of them whatever the others hold.
    ///
    /// - Returns: `nil` where they switch it off, as all do that fill nothing in.
    init?(_ settings: inout SettingReader)

    /// Where it listens.
    ///
    /// - Parameter tls: Makes a context with the certificate of the development authority for `localhost`, and the protocols of
    ///   a listener: `http/1.1`, `h2`, or both.
    func places(_ tls: (_ protocols: [String]) throws -> TLSContext) throws -> [SimulatorHost.Place]

    /// Makes it, on the loop that it runs on.
    func simulator(_ reactor: Reactor, _ logger: Logger) -> any Simulator
}
