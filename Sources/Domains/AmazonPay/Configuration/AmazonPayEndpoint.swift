import Primitives

/// Where the API is reached.
package struct AmazonPayEndpoint: Sendable, Hashable {
    /// Scheme, host and possibly port; no path.
    package let origin: String
    /// Whether this is a stand-in for the service.
    package let isSimulator: Bool

    /// The service of a region.
    package init(_ region: AmazonPayRegion) {
        origin = "https://" + region.apiHost
        isSimulator = false
    }

    /// A stand-in for the service.
    ///
    /// Requests keep naming the region's real host in `x-amz-pay-host`, so that signatures do not depend on it.
    ///
    /// - Parameters:
    ///   - text: `https` with any host, or `http` with one on loopback; no path.
    /// - Throws: A malformed address, or an account that moves real money.
    package init(simulator text: String, for credentials: Credentials) throws(AmazonPayConfigurationError) {
        var problems: [String] = []
        let url = StrictURL.read(text)
        if url == nil || url.map({ $0.rest != "" && $0.rest != "/" }) == true {
            problems.append("the simulator's address must be https://host[:port]")
        }
        if let url, !url.isSecure, !url.host.isLoopback {
            problems.append("the simulator's address must be https unless it is on loopback")
        }
        if credentials.environment == .live {
            problems.append("a live key must not be used with a simulator")
        }
        guard let url, problems.isEmpty else { throw AmazonPayConfigurationError(problems: problems) }
        origin = url.origin
        isSimulator = true
    }
}
