package import Operations
package import Postgres
package import Settings
package import Web

/// A system of the program in three lifetimes; this is the first: what the settings say of it.
///
/// A value, made without files and I/O. It is started once per process, and opened on every loop of it.
package protocol Feature: Sendable {
    /// What it is once per process.
    associatedtype Shared: FeatureProcess

    /// What is known of it without settings.
    static var card: FeatureCard { get }

    /// Reads its settings, each of them whatever the others hold; problems are collected in the reader.
    init(_ settings: inout SettingReader)

    /// Whether the settings switch it on.
    var state: FeatureState { get }

    /// What checks without a network find, also with settings that nothing starts with.
    func findings(_ settings: ExaminedSettings) -> [Finding]

    /// What checks over the network find, also with settings that nothing starts with; nothing is served by this process.
    func probe(_ context: ProbeContext) async -> [Finding]

    /// What checks of the database find; settings and schema are sound.
    ///
    /// - Throws: Why the database gives no answer.
    func examine(_ database: PostgresClient) async throws -> [Finding]

    /// Complains about settings that do not go together with those of the program and of features below, where each by itself
    /// is sound.
    func check(_ settings: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin)

    /// First steps in a demo; `nil` where it has none.
    ///
    /// - Parameter authorityPath: The certificate of the demo's authority.
    func walkthrough(web: WebOrigin, authorityPath: String) -> Walkthrough?

    /// Reads its files and makes what its loops share.
    ///
    /// - Throws: `ConfigurationError` for what an operator can mend; whatever else stops the start, too.
    func start(_ process: ProcessContext) throws -> Shared
}

/// Whether the settings switch a feature on.
package enum FeatureState: Sendable, Equatable {
    /// It is started, where what it needs is.
    case on
    /// It is not started; its commands work as far as they can without it. The settings are those that switch it on together.
    case off(set: [String])
}

/// A feature once per process: keys, caches, limits, counters, shared by the loops.
package protocol FeatureProcess: Sendable {
    /// What it is on one loop.
    associatedtype Part: FeaturePart

    /// Compares the settings with the database, once, before any part is opened.
    ///
    /// - Throws: `ConfigurationError` where they do not go together; whatever else stops the start, too.
    func prepare(_ loop: LoopContext) async throws

    /// Makes the part of a loop, without I/O and without waiting.
    func open(_ loop: LoopContext) throws -> Part

    /// Reads its files again, on SIGHUP; on an error it goes on with what it had.
    func reload() throws

    /// Ends its threads; nothing of it is asked any more.
    func stop()

    /// Whether it works; one that does not takes nothing else with it.
    var health: Health { get }

    /// How long the rows of its partitioned tables are kept.
    var retentions: [Retention] { get }
}

/// A feature on one loop; made there, never leaves it.
package protocol FeaturePart: AnyObject {
    /// The rows that it answers, known without settings.
    static var routes: [RouteGroup<Self>] { get }

    /// All of its rows as values: `routes`, and those that it mounts on another object.
    static var routeCards: [RouteCard] { get }

    /// Hosts of its own on the public listeners, behind the program's.
    var sites: [Site] { get }

    /// Mounts its rows: `routes`, unless settings decide which of them.
    func mount(_ routes: inout Routes) throws(RouteError)

    /// Schedules its periodic work.
    func schedule(_ jobs: JobSchedule)
}

extension Feature {
    package var state: FeatureState { .on }

    package func findings(_ settings: ExaminedSettings) -> [Finding] { [] }

    package func probe(_ context: ProbeContext) async -> [Finding] { [] }

    package func examine(_ database: PostgresClient) async throws -> [Finding] { [] }

    package func check(_ settings: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin) {}

    package func walkthrough(web: WebOrigin, authorityPath: String) -> Walkthrough? { nil }

    static var routeCards: [RouteCard] { Shared.Part.routeCards }

    static var part: any FeaturePart.Type { Shared.Part.self }
}

extension FeatureProcess {
    package func prepare(_ loop: LoopContext) async throws {}

    package func reload() throws {}

    package func stop() {}

    package var health: Health { .ok }

    package var retentions: [Retention] { [] }
}

extension FeaturePart {
    package static var routeCards: [RouteCard] { routes.flatMap(\.cards) }

    package var sites: [Site] { [] }

    package func mount(_ routes: inout Routes) throws(RouteError) {
        for group in Self.routes { try routes.mount(group, on: self) }
    }

    package func schedule(_ jobs: JobSchedule) {}
}
