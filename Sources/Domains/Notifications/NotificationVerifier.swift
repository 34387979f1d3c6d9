import Cryptography
package import Primitives

/// Decides whether a posted message is to be believed, and what it says.
///
/// A signature proves that the notification service has sent it; anybody can have a topic there. Hence the topic must be ours
/// too. What is cheap is looked at first, so that an untrusted sender makes us fetch nothing. One per loop, not `Sendable`.
package final class NotificationVerifier {
    private let policy: NotificationPolicy
    private let certificates: CertificateCache

    /// A verifier.
    ///
    /// - Parameters:
    ///   - certificates: Of the same loop.
    package init(_ policy: NotificationPolicy, certificates: CertificateCache) {
        self.policy = policy
        self.certificates = certificates
    }

    /// Judges a message.
    ///
    /// It may be one that came before: messages are delivered at least once, in any order.
    ///
    /// - Parameters:
    ///   - body: Of the request, as it came; the request's fields are not signed and not looked at.
    ///   - mayFetch: Asked, at most once, before a certificate that is not remembered is fetched.
    /// - Throws: Why it is not believed, with the status to answer.
    package func verify(
        _ body: [UInt8],
        now: WallTime,
        mayFetch: () -> Bool = { true }
    ) async throws(NotificationRefusal) -> VerifiedNotification {
        let envelope = try SNSEnvelope(body)
        guard let digest = envelope.digest else { throw .foreign(.version) }
        guard let url = policy.rule.certificateURL(envelope.certificateURL) else { throw .foreign(.certificateURL) }
        let confirmURL = try confirmURL(of: envelope)
        guard policy.topics.contains(where: { $0.octets == envelope.topic.octets }) else { throw .foreign(.topic) }
        guard now <= envelope.timestamp + policy.maximumAge, envelope.timestamp <= now + policy.ahead else {
            throw .stale
        }
        let key = try await certificates.key(for: url, at: now, mayFetch: mayFetch)
        guard key.verifyPKCS1(envelope.signature, of: envelope.canonicalOctets, digest: digest) else {
            throw .foreign(.signature)
        }
        if let confirmURL { return .subscription(confirmURL: confirmURL) }
        switch envelope.type {
        case .unsubscribeConfirmation: return .unsubscription
        case .notification, .subscriptionConfirmation: return try InnerMessage.read(envelope, of: policy.merchantID)
        }
    }

    /// Where a subscription is confirmed; `nil` for anything but the wish for one.
    private func confirmURL(of envelope: SNSEnvelope) throws(NotificationRefusal) -> String? {
        guard envelope.type == .subscriptionConfirmation, let url = envelope.subscribeURL else { return nil }
        guard policy.rule.allowsConfirmation(url) else { throw .foreign(.subscribeURL) }
        return url
    }
}
