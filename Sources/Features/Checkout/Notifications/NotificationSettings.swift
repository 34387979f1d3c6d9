import Cryptography
import EventIO
import Notifications
import Settings

/// What the provider may push to us, and how we know that it is the provider.
package struct NotificationSettings: Sendable {
    /// Whose messages are ours; empty where none are taken.
    package let topics: [String]
    /// PEM file with the roots that are believed; empty for the machine's.
    let anchorPath: String
    /// PEM file with certificates that the service may leave out; empty for none.
    let intermediatesPath: String
    /// Hosts that count as the service's: simulators.
    let certificateHosts: [String]
    let maximumAge: Duration
    let confirmsSubscriptions: Bool

    init(_ read: inout SettingReader, provider: ProviderSettings) {
        topics = read.list(
            "notifications.topic_arn",
            "",
            "topics of the provider's messages; empty: /ipn/amazon-pay answers 404"
        )
        anchorPath = read.file(
            "notifications.trust_anchor",
            "PEM file: root certificates of the sender's certificate chain; empty for the machine's"
        )
        intermediatesPath = read.file(
            "notifications.intermediates",
            "PEM file: intermediate certificates that the sender may leave out"
        )
        certificateHosts = read.list(
            "notifications.certificate_hosts",
            "",
            "hosts, with ports, from which the sender's certificate may be fetched: simulators only"
        )
        maximumAge = read.duration(
            "notifications.max_age",
            60...86_400,
            NotificationPolicy.usualMaximumAge,
            "greatest age of a message; older ones are refused"
        )
        confirmsSubscriptions = read.flag(
            "notifications.confirm_subscriptions",
            false,
            "confirm subscriptions of this server to the topics without an operator"
        )
        for topic in topics where TopicARN(topic) == nil {
            read.complain(
                "notifications.topic_arn",
                "not a topic, such as arn:aws:sns:ap-northeast-1:123456789012:name"
            )
        }
        if !certificateHosts.isEmpty, provider.publicKeyID.hasPrefix("LIVE-") || provider.apiURL.isEmpty {
            read.complain(
                "notifications.certificate_hosts",
                "for simulators only: with this setting the operator of that host could send messages that the program accepts"
            )
        }
    }

    /// How the certificates of messages are judged.
    ///
    /// - Returns: `nil` where no messages are taken.
    /// - Throws: Where a file cannot be read or holds no certificates.
    func chain() throws(ConfigurationError) -> CertificateChain? {
        guard !topics.isEmpty else { return nil }
        let anchors = try NotificationSettings.pem(anchorPath, "notifications.trust_anchor")
        let intermediates = try NotificationSettings.pem(intermediatesPath, "notifications.intermediates")
        do throws(CryptographyError) {
            return try CertificateChain(anchorsPEM: anchors, intermediatesPEM: intermediates ?? [])
        } catch {
            throw ConfigurationError(problems: ["notifications: certificates: \(error.debugDescription)"])
        }
    }

    /// Which messages are meant for us.
    func policy(merchantID: String) -> NotificationPolicy {
        var policy = NotificationPolicy(topics: Set(topics), merchantID: merchantID)
        policy.maximumAge = maximumAge
        policy.rule = CertificateURLRule(extraAuthorities: certificateHosts)
        return policy
    }

    private static func pem(_ path: String, _ setting: String) throws(ConfigurationError) -> [UInt8]? {
        guard !path.isEmpty else { return nil }
        do throws(IOError) {
            return try Files.read(path, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["\(setting): \(path) cannot be read: \(error.sentence)"])
        }
    }
}
