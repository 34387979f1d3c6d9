import EventIO
import Pages
import ServerCore
import Settings
import Telemetry
import Web

// What the configuration means for the features of a process.

extension Configuration {
    /// What features are started with.
    ///
    /// - Parameter authority: PEM of a demo's own authority; `nil` for a program that serves buyers.
    /// - Throws: What is wrong with a static file.
    func process(
        authority: [UInt8]?,
        logger: Logger,
        metrics: MetricsRegistry
    ) throws(ConfigurationError) -> ProcessContext {
        var process = ProcessContext(
            FeatureList.all,
            version: ProgramVersion.text,
            web: listeners.web,
            link: listeners.link,
            headers: HeaderPolicy(includesSubdomains: includesSubdomains),
            assets: try site.assets(FeatureList.all.slots(StaticAsset.self)),
            logger: logger,
            metrics: metrics
        )
        process.shopName = site.shopName
        process.developmentAuthority = authority
        process.administration = listeners.admin.map { address in
            AdminListener(origin: listeners.adminOrigin, isLocal: address.isLocal && !address.addressBytes.isEmpty)
        }
        return process
    }

    /// The same of a process that serves nothing: for checks of the settings.
    func unservedProcess() throws(ConfigurationError) -> ProcessContext {
        try process(authority: nil, logger: .silent, metrics: MetricsRegistry())
    }
}
