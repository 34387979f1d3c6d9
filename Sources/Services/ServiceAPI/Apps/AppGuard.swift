package import HTTPCore
package import Primitives
import ServerCore
package import Web

/// What an app sends, as its guard sees it; taken out of the request before anything is waited for.
///
/// An object, so that a request that nobody guards has room for a reference and no more.
package final class AppRequest: Sendable {
    /// In upper case.
    package let method: String
    /// Path and query as they came.
    package let target: String
    /// The content.
    package let body: [UInt8]
    /// What the app shows beside its token; `nil` where it shows nothing, or several things.
    package let proof: String?
    /// Where it comes from, for the limits.
    package let client: ClientKeys

    /// Where an app shows it.
    package static let fieldName = "App-Attest-Assertion"
    private static let field = HTTPFieldName(fieldName)

    /// A request, by the method of its route.
    package init(_ request: HTTPRequest, _ method: HTTPMethod) {
        self.method = "\(method.text)"
        target = request.path + (request.query.map { "?" + $0 } ?? "")
        body = request.body
        client = request.peer.keys
        let shown = AppRequest.field.map { request.values($0) } ?? []
        proof = shown.count == 1 ? shown[0] : nil
    }
}

/// Demands more than a token of apps, on the routes that the settings name; a feature offers one on its loop.
package protocol AppGuard: AnyObject {
    /// What it refuses with.
    var refusals: [FailureCode] { get }

    /// Whether a route needs more, by the name of its description or of its `GuardedRoute`; known before the first request.
    func guards(_ route: String) -> Bool

    /// Lets a request in, or refuses it.
    ///
    /// - Parameter account: For which the app speaks; `nil` on a route that knows none.
    func admit(_ request: AppRequest, of account: UUIDBytes?) async throws(Failure)
}

/// On the card of a feature: a route that a guard may stand before, and that is none of `ServiceRoute`.
package struct GuardedRoute: FeatureSlot {
    /// As the settings name it.
    package let name: String

    /// A route; the feature asks the guard itself.
    package init(_ name: String) { self.name = name }
}

extension RouteDescription {
    /// The route as it is served: with what its guard refuses, where it has one.
    func guarded(by appGuard: (any AppGuard)?) -> RouteDescription {
        guard let appGuard, principal.isApp, appGuard.guards(name) else { return self }
        var route = self
        route.guardRefusals = appGuard.refusals
        return route
    }

    /// Whether a guard is asked before its handler.
    var isGuarded: Bool { !guardRefusals.isEmpty }
}
