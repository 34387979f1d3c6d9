/// Why a pushed message is not believed.
package enum NotificationRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The body is no message of the documented shape; the text says what is wrong, without any value of the sender's.
    case malformed(String)
    /// The message is not meant for us, or not from whom it says.
    case foreign(Why)
    /// The message is older than the window, or from the future.
    case stale
    /// The certificate that would prove the message cannot be read at the moment.
    case certificateUnavailable

    /// What makes a message foreign.
    package enum Why: String, Sendable, Hashable, CaseIterable {
        /// Its signature is made in a way that is not known.
        case version
        /// Its certificate's address is not one of the notification service.
        case certificateURL = "certificate_url"
        /// Its topic is none of ours.
        case topic
        /// Its certificate is not issued to the notification service, or by nobody we trust, or not valid now.
        case certificate
        /// Its signature does not belong to its content.
        case signature
        /// It is about another merchant.
        case merchant
        /// It asks us to confirm a subscription at an address that is not one of the notification service.
        case subscribeURL = "subscribe_url"
    }

    /// The status to answer with: 400 and 403 are final, 503 asks for another try.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .foreign, .stale: 403
        case .certificateUnavailable: 503
        }
    }

    /// A word of lower-case letters and underscores, fit for a log line and for a label of a metric.
    package var outcome: String {
        switch self {
        case .malformed: "malformed"
        case .foreign(let why): why.rawValue
        case .stale: "stale"
        case .certificateUnavailable: "certificate_unavailable"
        }
    }

    package var description: String { "notifications.\(outcome)" }
}
