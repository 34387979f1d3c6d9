package import EventIO
package import HTTPClient
package import HTTPCore
package import Operations
package import Postgres
import Primitives
package import Telemetry
package import Web

/// What a feature finds on a loop, and what other features have put there; made on the loop, never leaves it.
package final class LoopContext {
    /// The loop.
    package let reactor: Reactor
    /// Whether it is the one that has what a process does once: the jobs of `oneLoop`, and what `keep` begins.
    package let isFirst: Bool
    /// Its way to the database; not connected where nothing is served.
    package let database: PostgresClient
    /// The fields of responses.
    package let headers: HeaderPolicy
    /// Brings what has begun to its end.
    package let shield: CancellationShield
    /// Writes down refusals whose reason is on our side.
    package let refusals: FailureLog
    /// How refusals are written on the hosts of the program, by kind of answer.
    package var formats: [FormatName: any FailureFormat] = [:]
    /// Where to write.
    package let logger: Logger
    /// Where to count.
    package let metrics: MetricsRegistry
    private var parts: [ObjectIdentifier: any FeaturePart] = [:]
    private var opening: FeatureCard?
    private var offers: [ObjectIdentifier: AnyObject] = [:]

    /// A loop without parts.
    package init(
        _ reactor: Reactor,
        isFirst: Bool = true,
        database: PostgresClient,
        headers: HeaderPolicy,
        logger: Logger = .silent,
        metrics: MetricsRegistry = MetricsRegistry()
    ) {
        self.logger = logger
        self.metrics = metrics
        self.reactor = reactor
        self.isFirst = isFirst
        self.database = database
        self.headers = headers
        shield = CancellationShield(on: reactor)
        refusals = FailureLog(logger, on: reactor)
    }

    /// Puts something there for the features, which find it by the type that it is offered as.
    package func offer<Offer>(_ offer: Offer, as type: Offer.Type = Offer.self) {
        offers[ObjectIdentifier(type)] = offer as AnyObject
    }

    /// What the program offers beside its features; `nil` where the settings switch it off.
    package func offered<Offer>(_ type: Offer.Type) -> Offer? {
        offers[ObjectIdentifier(type)] as? Offer
    }

    /// What the program offers, for a feature that is nothing without it.
    ///
    /// - Throws: `FeatureError` where the settings switch it off.
    package func demanded<Offer>(_ type: Offer.Type) throws(FeatureError) -> Offer {
        if let offer = offered(type) { return offer }
        throw FeatureError(description: "\(opening?.name ?? "nobody"): this program does not offer \(type)")
    }

    /// A client for requests of one purpose; what the program offers in place of all clients, where it does.
    package func client(_ purpose: OutboundPurpose) -> any HTTPExchange {
        if let offer = offered((any HTTPExchange).self) { return offer }
        let client = CurlClient(
            reactor,
            configuration: purpose.configuration,
            purpose: purpose.name,
            logger: logger,
            metrics: metrics
        )
        guard let policy = purpose.breaker else { return client }
        return CircuitBreaker(
            client,
            policy,
            purpose: purpose.name,
            clock: SystemClock(),
            random: reactor.random,
            metrics: metrics
        )
    }

    /// Makes connections over HTTP/2 to a server that is asked much at once.
    package func connector(to destination: HTTP2Destination) -> HTTP2Connector {
        HTTP2Connector(reactor, to: destination, logger: logger, metrics: metrics)
    }

    /// The part of a feature below, for a feature that is being opened.
    ///
    /// - Throws: `FeatureError` for one that the card does not name under `needs`.
    package func part<F: Feature>(_ feature: F.Type) throws(FeatureError) -> F.Shared.Part {
        guard let asking = opening, asking.needs.contains(where: { $0 == feature }) else {
            throw FeatureError(description: "\(opening?.name ?? "nobody") does not say that it needs \(F.card.name)")
        }
        guard let part = parts[ObjectIdentifier(feature)] as? F.Shared.Part else {
            throw FeatureError(description: "\(asking.name): \(F.card.name) is not open")
        }
        return part
    }

    /// Opens a feature for the ones above.
    func open<F: Feature>(_ feature: F.Type, _ process: some FeatureProcess) throws -> any FeaturePart {
        opening = F.card
        defer { opening = nil }
        let part = try process.open(self)
        parts[ObjectIdentifier(feature)] = part
        return part
    }
}

/// Two features that cannot be in one program, or one that asks for what it did not name; a fault of the program.
package struct FeatureError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, with the features' names.
    package let description: String

    /// An error.
    package init(description: String) { self.description = description }
}
