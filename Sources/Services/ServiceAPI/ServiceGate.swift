package import HTTPCore
package import Web

/// The gate of `/v1`: whether a request's key opens something; one per loop, offered to features where `/v1` is served.
package protocol ServiceGate: AnyObject {
    /// Lets a request in, and counts it for its key.
    ///
    /// - Parameter scope: What the key has to open.
    /// - Throws: A refusal as every route below `/v1` has it: of a browser, a key, a rate, a scope.
    func admit(_ request: HTTPRequest, _ scope: Scope) async throws(Failure) -> KeyGrant
}
