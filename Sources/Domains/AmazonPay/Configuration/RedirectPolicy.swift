import Primitives

/// Decides where a buyer may be sent for processing.
///
/// The address comes from an answer of the API; should that answer ever be forged, the buyer still goes to Amazon only.
package struct RedirectPolicy: Sendable {
    private let hosts: Set<String>
    private let allowsLoopbackHTTP: Bool

    /// A policy.
    ///
    /// - Parameters:
    ///   - hosts: Names in lower case, with a port where it is not 443; matched exactly, never by suffix.
    ///   - allowsLoopbackHTTP: Whether a listed host on loopback may be reached by plain http; for a simulator only.
    /// - Throws: A host that is malformed, or none at all.
    package init(hosts: [String], allowsLoopbackHTTP: Bool = false) throws(AmazonPayConfigurationError) {
        var problems = hosts.isEmpty ? ["no host is listed for redirects"] : []
        for host in hosts where StrictURL.read("https://" + host)?.authority != host {
            problems.append("\(host) is not a host for redirects")
        }
        guard problems.isEmpty else { throw AmazonPayConfigurationError(problems: problems) }
        self.hosts = Set(hosts.compactMap { StrictURL.read("https://" + $0)?.shortAuthority })
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
    }

    /// Whether a buyer may be sent to an address.
    ///
    /// - Returns: True for https to a listed host, with its port or without where that is the scheme's own; a fragment, user
    ///   information or an odd spelling is refused.
    package func allows(_ text: String) -> Bool {
        guard let url = StrictURL.read(text), !text.utf8.contains(UInt8(ascii: "#")) else { return false }
        guard url.isSecure || (allowsLoopbackHTTP && url.host.isLoopback) else { return false }
        return hosts.contains(url.shortAuthority)
    }
}
