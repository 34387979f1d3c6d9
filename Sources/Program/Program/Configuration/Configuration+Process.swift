import ServerCore
import Telemetry
import Web

// What the configuration means for the features of a process.

extension Configuration {
    /// What features are started with.
    ///
    /// - Parameter authority: PEM of a demo's own authority; `nil` for a program that serves buyers.
    func process(authority: [UInt8]?, logger: Logger, metrics: MetricsRegistry) -> ProcessContext {
        ProcessContext(
            FeatureList.all,
            version: ProgramVersion.text,
            web: listeners.web,
            link: listeners.link,
            headers: HeaderPolicy(includesSubdomains: includesSubdomains),
            developmentAuthority: authority,
            logger: logger,
            metrics: metrics
        )
    }

    /// The same of a process that serves nothing: for checks of the settings.
    var unservedProcess: ProcessContext { process(authority: nil, logger: .silent, metrics: MetricsRegistry()) }
}
