package import ServerCore
package import Web

/// A route for merchants' programs or for apps: what is known of it, and who answers a request that was let in.
package struct ServiceRoute<Part: AnyObject>: Sendable {
    /// Answers a request that was let in.
    package typealias Handler = @Sendable (ServiceCall<Part>) async throws(Failure) -> ServiceAnswer

    /// For the router and for the description of the interface.
    package private(set) var description: RouteDescription
    /// Whether buyers cause its requests by coming back to the session in its path: then how often is counted for the session
    /// and not for the key.
    let isCausedByBuyers: Bool
    let handler: Handler

    /// A route that asks for a key or a token with the scope of its description.
    package init(_ description: RouteDescription, isCausedByBuyers: Bool = false, _ handler: @escaping Handler) {
        self.description = description
        self.isCausedByBuyers = isCausedByBuyers
        self.handler = handler
    }
}

extension ServiceRoute {
    /// The route as it is served.
    func guarded(by appGuard: (any AppGuard)?) -> ServiceRoute {
        var route = self
        route.description = description.guarded(by: appGuard)
        return route
    }
}

/// A part of a feature that has routes for merchants' programs or apps; its `open` gives it to `ServicePart.serve`.
package protocol ServiceRouted: FeaturePart {
    /// Its routes for merchants' programs and apps, known without settings.
    static var serviceRoutes: [ServiceRoute<Self>] { get }

    /// Those that are served: all, unless settings decide which of them.
    var servedRoutes: [ServiceRoute<Self>] { get }
}

extension ServiceRouted {
    package var servedRoutes: [ServiceRoute<Self>] { Self.serviceRoutes }

    /// What is known of all of them.
    package static var descriptions: [RouteDescription] { serviceRoutes.map(\.description) }

    package static var routeCards: [RouteCard] {
        routes.flatMap(\.cards) + BoundRoutes<Self>.group(serviceRoutes).cards
    }
}
