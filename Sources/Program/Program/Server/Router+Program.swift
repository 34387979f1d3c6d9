import HTTPCore
import HTTPServer
import ServerCore
import Web

// What each listener of a loop serves.

extension Router {
    /// The router of the public listeners, where the host selects the site.
    static func publicListeners(
        _ process: ProcessContext,
        _ part: SitePart,
        _ loop: LoopContext,
        _ features: FeatureParts,
        noting unknown: UnknownHosts
    ) throws(RouteError) -> PublicRouter {
        let (formats, headers) = (loop.formats, process.headers)
        func site(_ name: SiteName, _ origin: WebOrigin) -> Site {
            Site(
                name,
                host: Array(origin.authority.utf8),
                origin: origin.text,
                fallback: .page,
                formats: formats,
                headFields: headers.redirect
            )
        }
        var routes = try Routes([site(.link, process.link), site(.web, process.web)] + features.sites)
        try routes.mount(part.files, on: part)
        try features.mount(&routes)
        let misdirected = StaticResponse(HTTPResponse(.misdirected, block: headers.common))
        return PublicRouter(routes, misdirected: misdirected, noting: unknown)
    }

    /// The router of the administration listener.
    static func adminListener(
        _ part: AdminPart,
        _ access: AdminAccess,
        _ loop: LoopContext,
        _ features: FeatureParts
    ) throws(RouteError) -> Router {
        // In clear, where transport security must not be claimed (RFC 6797, 7.2).
        let fields = loop.headers.downgrade
        let refusals = AdminFailures(fields: fields)
        let signIn = loop.offered(SignInPaths.self)
        let site = Site(
            .admin,
            host: nil,
            fallback: .page,
            formats: loop.formats.mapValues { _ in refusals },
            headFields: fields
        ) { request in access.refusal(of: request, fields, signIn: signIn) }
        var routes = try Routes([site])
        for group in AdminPart.routes { try routes.mount(group, on: part) }
        try features.mount(&routes)
        return Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected, block: fields)))
    }
}
