import Postgres
import ServerCore

/// Whether a loop can serve, and what does not work as it should: for balancers, and for the service manager.
final class Readiness {
    private let database: PostgresClient
    private let features: RunningFeatures
    private let partitions: PartitionHealth

    init(_ database: PostgresClient, _ features: RunningFeatures, _ partitions: PartitionHealth) {
        self.database = database
        self.features = features
        self.partitions = partitions
    }

    /// Why nothing can be served, in a few words; `nil` where it can.
    var obstacle: String? {
        guard database.isReady else { return "database away" }
        return partitions.isMissing ? "partition missing" : features.unreadyReason
    }

    /// Features that work less well, and why.
    var degraded: [(name: String, reason: String)] { features.degraded }

    /// All of it in one line.
    var sentence: String {
        if let obstacle { return "cannot serve: \(obstacle)" }
        return (["ready"] + degraded.map { "degraded \($0.name): \($0.reason)" }).joined(separator: "; ")
    }
}
