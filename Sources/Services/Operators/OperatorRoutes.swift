package import HTTPCore
package import ServerCore
package import Web

/// A part of a feature with pages for the shop's staff.
package protocol OperatorPagePart: FeaturePart, SendableMetatype {
    /// What the loop offers; `nil` where the settings switch these pages off.
    var access: OperatorAccess? { get }
}

extension OperatorPagePart {
    package func mount(_ routes: inout Routes) throws(RouteError) {
        for group in Self.routes where access != nil || group.format != .operators {
            try routes.mount(group, on: self)
        }
    }
}

extension FormatName {
    /// A page of the staff's.
    package static let operators = FormatName("operators")
}

extension RouteGroup where Part: OperatorPagePart {
    /// Pages on the administration listener, below `/console/`; not there where the settings switch them off.
    package static func operators(_ routes: [Route<Part>]) -> RouteGroup {
        RouteGroup(on: .admin, .operators, bodyLimit: OperatorAccess.bodyLimit, routes)
    }
}

extension Route where Part: OperatorPagePart {
    /// A page for whoever is signed in with a role.
    package static func page(
        _ pattern: RoutePattern,
        _ summary: String,
        role: OperatorRole = .view,
        _ handler: @escaping @Sendable (Part) -> (OperatorRequest) async throws -> OperatorPage
    ) -> Route {
        Route(.get, pattern, summary) { part in
            { request in
                guard let access = part.access else { throw Failure(.notFound) }
                return try await access.page(request, for: role, handler(part))
            }
        }
    }

    /// What a form of such a page sends: it comes from one of our pages, and from the session that it was made for.
    ///
    /// - Parameter fields: The names of the form; no other one may come.
    package static func change(
        _ pattern: RoutePattern,
        _ summary: String,
        role: OperatorRole = .change,
        fields: [String],
        _ handler: @escaping @Sendable (Part) -> (OperatorRequest) async throws -> OperatorAnswer
    ) -> Route {
        Route(.post, pattern, summary) { part in
            { request in
                guard let access = part.access else { throw Failure(.notFound) }
                return try await access.change(request, for: role, fields, handler(part))
            }
        }
    }
}
