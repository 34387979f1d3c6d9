package import EventIO
package import Postgres
package import Telemetry

/// What a feature is started with.
package struct ProcessContext: Sendable {
    /// What the program runs for.
    package enum Mode: Sendable {
        /// To be looked at, on one machine, without an account anywhere.
        case demo
        /// For buyers.
        case serve
    }

    /// What the program runs for.
    package let mode: Mode
    /// What requests to other servers are sent as: the value of `User-Agent`.
    package let agent: String
    /// Where to write.
    package let logger: Logger
    /// Where to count.
    package let metrics: MetricsRegistry

    private let features: FeatureSet

    /// A context.
    ///
    /// - Parameters:
    ///   - mode: What the program runs for.
    ///   - features: Of the program, for one that collects what others offer.
    ///   - agent: Name and version of the program, as `Sallyport/0.1.0`.
    ///   - logger: Where to write.
    ///   - metrics: Where to count.
    package init(_ mode: Mode, _ features: FeatureSet, agent: String, logger: Logger, metrics: MetricsRegistry) {
        self.mode = mode
        self.agent = agent
        self.features = features
        self.logger = logger
        self.metrics = metrics
    }

    /// Everything of a type that features offer, in list order; also of those that the settings switch off.
    package func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot] { features.slots(type) }
}

/// What a check over the network is made with.
package struct ProbeContext {
    /// The loop that it runs on.
    package let reactor: Reactor
    /// A way to the database; `nil` for one that runs with the program only.
    package let database: PostgresClient?

    /// A context.
    package init(_ reactor: Reactor, database: PostgresClient?) {
        self.reactor = reactor
        self.database = database
    }
}
