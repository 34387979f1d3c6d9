import AppStoreTransactions
import Primitives

/// The key of requests to Apple's server, which a reload may replace; one for a process.
///
/// Apple takes tokens of both while a new key is beside the old one, so that no call is lost when it changes.
final class ServerAPIKeys: Sendable {
    /// A key.
    struct Key: Sendable {
        /// As App Store Connect calls it.
        let id: String
        /// What makes tokens with it.
        let tokens: ServerAPITokenMaker
        /// What signs offers with it.
        let offers: OfferSigners
    }

    private let state: Lock<(key: Key, edition: Int)>

    init(_ key: Key) { state = Lock((key, 0)) }

    /// The key of now; the edition is another one after each reload.
    var current: (key: Key, edition: Int) { state.withLock { $0 } }

    /// Takes another key for all calls from now on.
    func replace(_ key: Key) { state.withLock { $0 = (key, $0.edition + 1) } }
}
