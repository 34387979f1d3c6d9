import HTTPCore
import HTTPServer
import ServerCore
import Web

// What each listener of a loop serves.

extension Router {
    /// The router of the public listeners, which tell hosts apart.
    static func publicListeners(
        _ services: LoopServices,
        _ merchants: MerchantInterface?,
        _ features: FeatureParts
    ) throws(RouteError) -> Router {
        let deployment = services.deployment
        let (page, json) = (ShopFailures(services, .page), ShopFailures(services, .json))
        var formats: [FormatName: any FailureFormat] = [.page: page, .json: json]
        if let merchants { formats[.problem] = merchants }
        let head = deployment.headers.redirect
        var routes = try Routes(
            [
                Site(.link, host: deployment.linkHost, fallback: .page, formats: formats, headFields: head),
                Site(.web, host: deployment.webHost, fallback: .page, formats: formats, headFields: head),
            ] + features.sites
        )
        try routes.mount(RouteTable.pages, on: services)
        try routes.mount(RouteTable.notifications(isTaken: services.notifications != nil), on: services)
        try routes.mount(RouteTable.about, on: services)
        try routes.mount(RouteTable.links, on: services)
        try routes.mount(deployment.assetRoutes, on: services)
        if let merchants { try routes.mount(MerchantInterface.routes, on: merchants) }
        try features.mount(&routes)
        return Router(routes, misdirected: deployment.misdirected)
    }

    /// The router of the administration listener.
    static func adminListener(_ services: LoopServices, _ features: FeatureParts) throws(RouteError) -> Router {
        let deployment = services.deployment
        let site = Site(
            .admin,
            host: nil,
            fallback: .page,
            formats: [.page: ShopFailures(services, .page), .json: ShopFailures(services, .json)],
            headFields: deployment.headers.redirect
        ) { request in deployment.admin.refusal(of: request, deployment.headers.plain) }
        var routes = try Routes([site])
        try routes.mount(RouteTable.admin, on: services)
        try features.mount(&routes)
        return Router(routes, misdirected: deployment.misdirected)
    }
}
