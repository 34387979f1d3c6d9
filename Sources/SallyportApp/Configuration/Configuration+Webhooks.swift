import EventIO
import HTTPClient
import Primitives
import Settings
import Webhooks

// The settings of webhooks, and what they mean.

extension Configuration {
    /// How merchants are told of events.
    struct Webhooks: Sendable {
        /// What the keys of endpoints are sealed under; empty where there are none.
        let secretPath: String
        let tries: Int
        let timeout: Duration
        let concurrency: Int
        let allowsLoopback: Bool
        let authorityPath: String

        init(_ read: inout SettingReader) {
            secretPath = read.secretFile(
                "merchant.secret_file",
                "file of 32 bytes or more that processes share; keys of webhooks are sealed under it, keys of postage derived from it"
            )
            tries = read.number("webhooks.tries", 1...1000, 112, "tries of one event before it is dead: three days")
            timeout = read.duration("webhooks.timeout", 1...60, "10s", "for an endpoint to answer")
            concurrency = read.number("webhooks.concurrency", 1...256, 16, "tries under way, of a process")
            allowsLoopback = read.flag(
                "webhooks.allow_loopback",
                false,
                "endpoints and postage callbacks on this machine, also without TLS"
            )
            authorityPath = read.file(
                "webhooks.ca_file",
                "PEM file: the only authorities of endpoints and postage callbacks; empty for the machine's"
            )
        }
    }

    /// What the keys of endpoints are sealed under, read anew at every call.
    ///
    /// - Returns: The whole file, or `nil` where none is set.
    /// - Throws: `ConfigurationError` that says what is wrong with the file.
    func merchantSecret() throws(ConfigurationError) -> Secret<[UInt8]>? {
        let path = webhooks.secretPath
        guard !path.isEmpty else { return nil }
        let bytes = try SecretFile.read(path, "merchant.secret_file")
        if bytes.count >= WebhookVault.leastByteCount { return Secret(bytes) }
        throw ConfigurationError(problems: ["merchant.secret_file: fewer than \(WebhookVault.leastByteCount) bytes"])
    }

    /// Reads every file that the settings of webhooks name.
    ///
    /// - Throws: `ConfigurationError` that says what is wrong with one.
    func checkWebhooks() throws(ConfigurationError) {
        _ = try merchantSecret()
        guard !webhooks.authorityPath.isEmpty else { return }
        do throws(IOError) {
            _ = try Files.read(webhooks.authorityPath, limit: 1 << 20)
        } catch {
            throw ConfigurationError(
                problems: ["webhooks.ca_file: \(webhooks.authorityPath) cannot be read: \(error.sentence)"]
            )
        }
    }
}

extension Configuration.Webhooks {
    /// How often and when an event is sent.
    var policy: DeliveryPolicy {
        var policy = DeliveryPolicy()
        policy.tries = tries
        policy.timeout = timeout
        return policy
    }

    /// How requests to endpoints go out.
    var outbound: ClientConfiguration {
        var outbound = ClientConfiguration()
        if !authorityPath.isEmpty { outbound.trust = .file(path: authorityPath) }
        // An answer's content is of no interest.
        outbound.bodyLimit = 64 << 10
        outbound.concurrencyLimit = concurrency
        return outbound
    }

    /// How questions to merchants' servers go out: to the same servers as events, each with a buyer behind it.
    var inquiries: ClientConfiguration {
        var inquiries = ClientConfiguration()
        inquiries.trust = outbound.trust
        // The answer is one amount.
        inquiries.bodyLimit = 4 << 10
        inquiries.headerLimit = 16 << 10
        return inquiries
    }
}
