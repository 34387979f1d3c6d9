/// Which messages are meant for us.
package struct NotificationPolicy: Sendable {
    /// The topics whose messages are ours, as Amazon Pay's console names them.
    package var topics: Set<String>
    /// Our account; the message inside must be about it.
    package var merchantID: String
    /// The age in production: longer than the service tries again, since a repeat keeps its time.
    package static let usualMaximumAge = Duration.seconds(4 * 3600)

    /// How old a message may be.
    package var maximumAge = NotificationPolicy.usualMaximumAge
    /// How far a message may be ahead of our clock.
    package var ahead = Duration.seconds(300)
    /// Where certificates may be fetched from.
    package var rule = CertificateURLRule()

    /// The policy in production for an account.
    ///
    /// - Parameters:
    ///   - topics: The topics whose messages are ours.
    package init(topics: Set<String>, merchantID: String) {
        self.topics = topics
        self.merchantID = merchantID
    }
}
