import Cryptography
import EventIO
package import Operations
import Postgres
import Primitives
import ServerCore
import Telemetry
package import Web

/// The interface for merchants' programs and apps on one loop; it is served where a feature has given it routes.
package final class ServicePart {
    private let interface: ServiceInterface
    private let deployment: ServiceDeployment
    private let loop: LoopContext
    private var described: [DescribedRoutes] = []
    private var bound: [any MountedRoutes] = []
    private var claimKeep = Duration.zero

    init(_ deployment: ServiceDeployment, _ loop: LoopContext) throws(CryptographyError) {
        self.deployment = deployment
        self.loop = loop
        interface = try ServiceInterface(deployment, loop)
        loop.formats[.problem] = interface
    }

    /// Serves the routes of a part, for a feature that is being opened.
    package func serve<Part: ServiceRouted>(_ part: Part, _ rules: ServiceRules = ServiceRules()) {
        if described.isEmpty { interface.counters.prepareOthers() }
        let descriptions = part.servedRoutes.map(\.description)
        described.append(DescribedRoutes(descriptions, rules))
        for route in descriptions { interface.counters.prepare(route) }
        bound.append(BoundRoutes(part, interface, rules))
    }

    /// Lets the apps in whose tokens a store knows, for the feature that keeps them; without one, nobody's token works.
    package func authenticateApps(with store: any AppTokenStore) { interface.tokens = store }

    /// Keeps what requests were answered as long as something that repeats would have an effect on; at least 180 days.
    package func keepClaims(for time: Duration) { claimKeep = max(claimKeep, time) }
}

extension ServicePart: FeaturePart {
    /// The description; each feature has its own routes.
    package static let routes = [
        RouteGroup<ServicePart>(
            on: .web,
            .problem,
            prefix: "/v1/",
            bodyLimit: ServiceInterface.bodyLimit,
            head: .likeGet,
            [
                Route(
                    RouteDescription.openAPI.method,
                    RouteDescription.openAPI.path,
                    RouteDescription.openAPI.summary,
                    .fixed { part in part.deployment.document(of: part.described) }
                )
            ]
        )
    ]

    /// What apps are told of paths that no route has.
    private static let appRoutes = RouteGroup<ServicePart>(
        on: .web,
        .problem,
        prefix: "/app/v1/",
        bodyLimit: ServiceInterface.bodyLimit,
        head: .likeGet,
        []
    )

    package func mount(_ routes: inout Routes) throws(RouteError) {
        guard !described.isEmpty else { return }
        let appGuard = loop.offered((any AppGuard).self)
        interface.appGuard = appGuard
        described = described.map { $0.guarded(by: appGuard) }
        for feature in bound { try feature.mount(&routes) }
        for group in ServicePart.routes { try routes.mount(group, on: self) }
        if described.contains(where: \.hasAppRoutes) { try routes.mount(ServicePart.appRoutes, on: self) }
    }

    package func schedule(_ jobs: JobSchedule) {
        guard !described.isEmpty else { return }
        jobs.upkeep?.add { await self.pruneClaims() }
    }

    /// Removes what requests were answered long ago; whether there may be more.
    private func pruneClaims() async -> Bool {
        do throws(StoreError) {
            return try await interface.keys.prune(keep: claimKeep) == PostgresKeyStore.pruneLimit
        } catch {
            loop.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }
}
