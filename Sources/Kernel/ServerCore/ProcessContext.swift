package import Cryptography
package import Pages
import Settings
package import Telemetry
package import Web

/// What a feature is started with.
package struct ProcessContext: Sendable {
    /// What the program runs for.
    package enum Mode: Sendable {
        /// To be looked at, on one machine, without an account anywhere.
        case demo
        /// For buyers.
        case serve
    }

    /// Of the program, as `0.1.0`.
    package let version: String
    /// The web host: pages and interfaces.
    package let web: WebOrigin
    /// The link host: association files and return links.
    package let link: WebOrigin
    /// The fields of responses.
    package let headers: HeaderPolicy
    /// The static files, those of every page and those of features.
    package let assets: StaticAssets
    /// The shop's name on every page, as the settings have it; `nil` for none.
    package var shopName: String?
    /// Certificate of the authority that a demo has made for itself, in PEM; `nil` for a program that serves buyers.
    package var developmentAuthority: [UInt8]?
    /// How browsers reach the administration listener; `nil` where there is none.
    package var administration: AdminListener?
    /// The keys that values in the database are sealed under; `nil` where no file is set.
    package internal(set) var keyring: Keyring?
    /// How many tokens and keys that do not exist an address may show in a minute.
    package internal(set) var unknownPerMinute = 20
    /// Where to write.
    package let logger: Logger
    /// Where to count.
    package let metrics: MetricsRegistry
    /// Threads for work that would hold up a loop.
    package let workers: Workers

    private let features: FeatureSet
    /// Those that stand before the one that is started.
    var started = RunningFeatures([])
    /// Those that the settings switch on.
    var active: FeatureSet

    /// A context.
    ///
    /// - Parameters:
    ///   - features: Of the program, for one that collects what others offer.
    ///   - version: Of the program, as `0.1.0`.
    package init(
        _ features: FeatureSet,
        version: String,
        web: WebOrigin,
        link: WebOrigin,
        headers: HeaderPolicy,
        assets: StaticAssets,
        logger: Logger,
        metrics: MetricsRegistry
    ) {
        self.features = features
        active = features
        self.version = version
        self.web = web
        self.link = link
        self.headers = headers
        self.assets = assets
        self.logger = logger
        self.metrics = metrics
        workers = Workers(metrics)
    }

    /// What the program runs for.
    package var mode: Mode { developmentAuthority == nil ? .serve : .demo }

    /// What requests to other servers are sent as: the value of `User-Agent`.
    package var agent: String { "Sallyport/\(version)" }

    /// Every code that requests are refused with, of all features.
    package var failures: [FailureCode] { features.failures }

    /// A feature below, once per process.
    ///
    /// - Throws: `ConfigurationError` where the settings switch it off.
    package func shared<F: Feature>(_ feature: F.Type) throws -> F.Shared {
        let process = started.members.first { $0.type == feature }?.process
        if let process = process as? F.Shared { return process }
        throw ConfigurationError(problems: ["\(F.card.name): the settings switch it off, and another feature needs it"])
    }

    /// Everything of a type that features offer, in list order; also of those that the settings switch off.
    package func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot] { features.slots(type) }

    /// Everything of a type that those features offer which are on, in list order.
    package func activeSlots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot] { active.slots(type) }
}
