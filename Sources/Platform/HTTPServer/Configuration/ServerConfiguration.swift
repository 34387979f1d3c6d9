package import EventIO
package import HTTPCore

/// Where and how a server listens, and what it allows.
package struct ServerConfiguration: Sendable {
    /// Whether a listener speaks TLS.
    package enum Security: Sendable, Hashable {
        /// Plain HTTP: loopback, or behind a proxy that ends TLS.
        case clear
        /// HTTP inside TLS; the server then has a context.
        case tls
    }

    /// One address to listen on.
    package struct Listener: Sendable, Hashable {
        /// With port 0 the kernel chooses; ask the server's `boundAddresses`.
        package let address: SocketAddress
        /// What is spoken there.
        package let security: Security

        /// The given listener.
        ///
        /// - Parameters:
        ///   - address: Of this machine, and free unless the configuration shares addresses.
        package init(_ address: SocketAddress, _ security: Security) {
            self.address = address
            self.security = security
        }
    }

    /// The default of `drainDeadline`: longer than any call that moves money.
    package static let usualDrainDeadline = Duration.seconds(60)

    /// The name of the server in logs and metrics.
    package var name: String
    /// At least one.
    package var listeners: [Listener]
    /// Whether another process of the same user may listen on the same addresses at the same time.
    ///
    /// For the hand-over between two runs. The kernel then deals connections out among both, so a forgotten process
    /// would go on answering some of them: off by default.
    package var sharesAddresses = false
    /// Whether a clear listener takes HTTP/2 from clients that begin with it; over TLS the context's names decide.
    package var acceptsClearHTTP2 = false
    /// What a peer may ask for.
    package var limits = ServerLimits()
    /// How much content may be held; the servers of a process share one.
    package var content = ContentBudget()
    /// From the begin of a drain until what is still in flight is cut off.
    package var drainDeadline = ServerConfiguration.usualDrainDeadline
    /// Peers of clear listeners whose `X-Forwarded-For` is believed; from everybody else the field is ignored.
    package var trustedProxies: [NetworkPrefix] = []
    /// The fields of every answer that the server gives by itself: refusals and failures of a handler.
    package var errorFields = FieldBlock.empty

    /// A configuration with the default limits.
    ///
    /// - Parameters:
    ///   - name: A word of lower-case letters.
    ///   - listeners: At least one.
    package init(name: String, listeners: [Listener]) {
        self.name = name
        self.listeners = listeners
    }
}
