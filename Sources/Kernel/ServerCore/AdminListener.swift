package import HTTPCore
import Primitives

/// How browsers reach the administration listener.
package struct AdminListener: Sendable {
    /// The origin that is set; `nil` for the names of this machine, in clear, on any port.
    package let origin: WebOrigin?
    /// Whether programs of this machine alone reach it.
    package let isLocal: Bool

    /// A listener.
    package init(origin: WebOrigin?, isLocal: Bool) {
        self.origin = origin
        self.isLocal = isLocal
    }

    /// Whether browsers reach it over TLS, which a proxy ends.
    package var isSecure: Bool { origin?.scheme == "https" }

    /// Whether a key that is typed into a page crosses no network in clear.
    package var isSafe: Bool { origin.map { $0.scheme == "https" || $0.isLoopback } ?? isLocal }

    /// The origin of the pages that a request belongs to; `nil` for a host that is not the listener's.
    ///
    /// - Parameter request: Let in by the listener: without an origin of its own, that takes no host but those of this machine.
    package func ownOrigin(of request: HTTPRequest) -> String? {
        if let origin { return request.hostNames(Array(origin.authority.utf8)) ? origin.text : nil }
        guard isLocal, let host = request.host else { return nil }
        return "http://" + host
    }
}

/// Paths of the administration listener that ask for a sign-in of their own, and not for the listener's token.
///
/// Offered on a loop by the feature that has them.
package final class SignInPaths: Sendable {
    private let paths: [String]

    /// Paths; one that ends in a slash stands for all that begin with it.
    package init(_ paths: [String]) {
        self.paths = paths
    }

    /// Whether a request is for one of them.
    package func contain(_ request: HTTPRequest) -> Bool {
        let path = request.path
        return paths.contains { path.octets == $0.octets || ($0.hasSuffix("/") && path.octets.starts(with: $0.octets)) }
    }
}
