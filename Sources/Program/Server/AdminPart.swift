import EventIO
import HTTPCore
import Postgres
import ServerCore
import Telemetry
import Web

/// The administration listener of a loop: alive, ready, figures.
final class AdminPart {
    private let database: PostgresClient
    private let features: RunningFeatures
    private let metrics: MetricsRegistry
    private let fields: FieldBlock

    init(_ database: PostgresClient, _ features: RunningFeatures, _ metrics: MetricsRegistry, fields: FieldBlock) {
        self.database = database
        self.features = features
        self.metrics = metrics
        self.fields = fields
    }

    static let routes = [
        RouteGroup<AdminPart>(
            on: .admin,
            .json,
            [
                Route(.get, "/healthz", "the process answers", .now { part, _ throws(Failure) in part.health() }),
                Route(.get, "/readyz", "the database answers too", .now { part, _ throws(Failure) in part.ready() }),
                Route(.get, "/metrics", "Prometheus text", .now { part, _ throws(Failure) in part.figures() }),
            ]
        )
    ]

    private func health() -> HTTPResponse { state("ok", .ok) }

    private func ready() -> HTTPResponse {
        guard database.isReady else { return state("database away", .serviceUnavailable) }
        if let reason = features.unreadyReason { return state(reason, .serviceUnavailable) }
        return state("ready", .ok, features.degraded)
    }

    private func figures() -> HTTPResponse {
        text(metrics.prometheusText() + ProcessFigures().prometheusText, .ok)
    }

    /// The state in the first line, the version in the second, then a line for each feature that does not work as it should.
    private func state(
        _ state: String,
        _ status: HTTPStatus,
        _ degraded: [(name: String, reason: String)] = []
    ) -> HTTPResponse {
        text(AdminPart.lines(state, degraded), status)
    }

    /// What `/healthz` and `/readyz` say.
    static func lines(_ state: String, _ degraded: [(name: String, reason: String)]) -> String {
        let others = degraded.map { "degraded \($0.name): \($0.reason)\n" }.joined()
        return "\(state)\nversion \(ProgramVersion.text)\n\(others)"
    }

    private func text(_ text: String, _ status: HTTPStatus) -> HTTPResponse {
        HTTPResponse(
            status,
            block: fields,
            fields: [HTTPField(.contentType, constant: "text/plain; version=0.0.4; charset=utf-8")],
            body: .bytes(Array(text.utf8))
        )
    }
}
