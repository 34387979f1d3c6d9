import Postgres
import ServerCore

/// Whether a loop can serve, and what does not work as it should: for balancers, and for the service manager.
final class Readiness {
    private let database: PostgresClient
    private let features: RunningFeatures

    init(_ database: PostgresClient, _ features: RunningFeatures) {
        self.database = database
        self.features = features
    }

    /// Why nothing can be served, in a few words; `nil` where it can.
    var obstacle: String? { database.isReady ? features.unreadyReason : "database away" }

    /// Features that work less well, and why.
    var degraded: [(name: String, reason: String)] { features.degraded }

    /// All of it in one line.
    var sentence: String {
        if let obstacle { return "cannot serve: \(obstacle)" }
        return (["ready"] + degraded.map { "degraded \($0.name): \($0.reason)" }).joined(separator: "; ")
    }
}
