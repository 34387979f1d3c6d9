import EventIO
package import HTTPClient
import Primitives
package import Settings

/// How webhooks and postage callbacks reach merchants' servers.
package struct WebhookSettings: Sendable {
    let tries: Int
    let timeout: Duration
    let concurrency: Int
    /// Whether servers may be on this machine, and without TLS there.
    package let allowsLoopback: Bool
    let authorityPath: String
    /// How long events are kept behind their month.
    let eventRetention: Duration

    /// Reads them.
    package init(_ read: inout SettingReader) {
        let usual = DeliveryPolicy()
        tries = read.number(
            "webhooks.tries",
            1...1000,
            usual.tries,
            "tries of one event before it is given up (dead); the default takes three days"
        )
        timeout = read.duration("webhooks.timeout", 1...60, usual.timeout, "time for an endpoint to answer")
        concurrency = read.number("webhooks.concurrency", 1...256, usual.concurrency, "simultaneous tries of a process")
        allowsLoopback = read.flag(
            "webhooks.allow_loopback",
            false,
            "allow endpoints and shipping cost callbacks on this machine, also without TLS"
        )
        authorityPath = read.file(
            "webhooks.ca_file",
            "PEM file: the only authorities of endpoints and shipping cost callbacks; empty for the machine's"
        )
        let days = read.number(
            "events.retention_days",
            180...3650,
            400,
            "days to keep events after the end of their month"
        )
        eventRetention = .seconds(days * 86_400)
    }

    /// Reads the file of authorities, where one is set.
    ///
    /// - Throws: `ConfigurationError` that says what is wrong with it.
    func checkAuthorities() throws(ConfigurationError) {
        guard !authorityPath.isEmpty else { return }
        do throws(IOError) {
            _ = try Files.read(authorityPath, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["webhooks.ca_file: \(authorityPath) cannot be read: \(error.sentence)"])
        }
    }

    /// How often and when an event is sent.
    var policy: DeliveryPolicy {
        var policy = DeliveryPolicy()
        policy.tries = tries
        policy.timeout = timeout
        policy.concurrency = concurrency
        return policy
    }

    /// A merchant's server may stand in a private network.
    private var reach: ClientConfiguration.Reach { allowsLoopback ? .everyMachine : .otherMachines }

    /// How requests to endpoints go out.
    package var outbound: OutboundPurpose {
        var outbound = ClientConfiguration()
        if !authorityPath.isEmpty { outbound.trust = .file(path: authorityPath) }
        // An answer's content is dropped. Up to this the connection is used again, beyond it it is closed.
        outbound.bodyLimit = 64 << 10
        outbound.concurrencyLimit = concurrency
        outbound.reach = reach
        return OutboundPurpose("webhooks", outbound)
    }

    /// How questions to merchants' servers go out: to the same servers as events, each with a buyer behind it.
    package var inquiries: OutboundPurpose {
        var inquiries = ClientConfiguration()
        inquiries.trust = outbound.configuration.trust
        inquiries.reach = reach
        // The answer is one amount.
        inquiries.bodyLimit = 4 << 10
        inquiries.headerLimit = 16 << 10
        return OutboundPurpose("postage", inquiries)
    }
}
