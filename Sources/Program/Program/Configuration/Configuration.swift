import EventIO
import ServerCore
import Settings
import SimulatorCore
package import StrictJSON
import Telemetry

/// All settings, read once at the start, checked in full, and never changed afterwards.
package struct Configuration: Sendable {
    let listeners: Listeners
    let storage: Storage
    let limits: Limits
    let http2: HTTP2
    let logLevel: LogLevel
    /// `nil` for text at a terminal, JSON elsewhere.
    let logFormat: LogFormat?
    let includesSubdomains: Bool
    /// Static files and look of all pages.
    let site: SiteSettings
    /// What the features read.
    let features: ConfiguredFeatures
    /// What is simulated of the systems that they talk to.
    let simulated: [any SimulatedSystem]
    /// Name and text of every setting, secrets hidden, in the order of the table.
    package let printed: [(name: String, value: String)]
    /// Every setting as the file of `--config` has it, secrets left out.
    package let document: JSONValue
}
