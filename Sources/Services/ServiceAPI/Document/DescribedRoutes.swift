import Web

/// Routes of a feature as the description has them.
package struct DescribedRoutes: Sendable {
    let routes: [RouteDescription]
    let rules: ServiceRules

    /// Whether apps may ask for one of them.
    var hasAppRoutes: Bool { routes.contains { $0.principal.isApp } }

    /// Routes, and what they share.
    package init(_ routes: [RouteDescription], _ rules: ServiceRules = ServiceRules()) {
        self.routes = routes
        self.rules = rules
    }

    /// The routes as they are served.
    func guarded(by appGuard: (any AppGuard)?) -> DescribedRoutes {
        DescribedRoutes(routes.map { $0.guarded(by: appGuard) }, rules)
    }
}
