/// Where a merchant gets notifications.
package struct NotificationTarget: Sendable, Equatable {
    /// How notifications are signed.
    package enum Version: String, Sendable, CaseIterable {
        /// SHA-1.
        case one = "1"
        /// SHA-256.
        case two = "2"
        /// One after the other.
        case alternating = "alternating"
    }

    /// The merchant's receiver, `https` or (to this machine) `http`.
    package let url: String
    /// The topic that the merchant expects, `arn:aws:sns:…`.
    package let topicARN: String
    /// How notifications are signed.
    package var version = Version.one
    /// What stands before the path of `SigningCertURL`; `nil` for the simulator's own address.
    package var certificateBase: String?

    /// Notifications signed by SHA-1, as most come, with certificates at the simulator's own address.
    package init(url: String, topicARN: String) {
        self.url = url
        self.topicARN = topicARN
    }
}
