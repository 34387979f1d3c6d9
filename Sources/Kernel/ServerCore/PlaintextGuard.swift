package import HTTPCore

/// Finds secrets in a request that came without TLS, and ends what they open; offered by the feature that has such secrets.
package protocol PlaintextGuard: AnyObject {
    /// What ends the exposed sessions, and returns the status to answer with; `nil` where the request holds no secret.
    func revocation(of request: HTTPRequest) -> (() async -> HTTPStatus)?
}
