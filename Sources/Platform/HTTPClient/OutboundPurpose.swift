/// What requests go out for, and how.
///
/// Each purpose has a client of its own on each loop, so that a server that hangs holds up the requests of its purpose alone.
package struct OutboundPurpose: Sendable {
    /// In metrics and log lines, for example `webhooks`.
    package let name: String
    /// Trust, times and bounds.
    package var configuration: ClientConfiguration
    /// When a server that fails is left alone for a while; `nil` where the caller sees to that.
    package var breaker: CircuitBreaker.Policy?

    /// A purpose whose failures are the caller's matter.
    package init(_ name: String, _ configuration: ClientConfiguration = ClientConfiguration()) {
        self.name = name
        self.configuration = configuration
    }
}
