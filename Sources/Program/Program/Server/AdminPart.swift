import EventIO
import HTTPCore
import Operations
import Telemetry
import Web

/// The administration listener of a loop: what it has, alive, ready, figures.
final class AdminPart {
    private let readiness: Readiness
    private let metrics: MetricsRegistry
    private let fields: FieldBlock

    /// The listener of one loop.
    ///
    /// - Parameter fields: Of answers that go out in clear.
    init(_ readiness: Readiness, _ metrics: MetricsRegistry, fields: FieldBlock) {
        self.readiness = readiness
        self.metrics = metrics
        self.fields = fields
    }

    static let routes = [
        RouteGroup<AdminPart>(
            on: .admin,
            .json,
            [
                Route(.get, "/", "what there is here", .now { part, _ throws(Failure) in part.list() }),
                Route(.get, "/healthz", "the process answers", .now { part, _ throws(Failure) in part.health() }),
                Route(.get, "/readyz", "the database answers too", .now { part, _ throws(Failure) in part.ready() }),
                Route(.get, "/metrics", "Prometheus text", .now { part, _ throws(Failure) in part.figures() }),
            ]
        )
    ]

    private func health() -> HTTPResponse { state("ok", .ok) }

    private func ready() -> HTTPResponse {
        if let obstacle = readiness.obstacle { return state(obstacle, .serviceUnavailable) }
        return state("ready", .ok, readiness.degraded)
    }

    private func list() -> HTTPResponse {
        text("sallyport \(ProgramVersion.text), administration\n\n\(AdminPart.index)", .ok)
    }

    /// The paths of the listener, each in a line with what it is for.
    static let index = RoutesCommand.routes.filter { $0.site == .admin }
        .map { CommandSet.row("\($0.method.text) \($0.path)", $0.summary) + "\n" }.joined()

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

/// Refusals of the administration listener: a line with the code, and what there is instead.
///
/// Whoever asks here is an operator or a program of theirs. The buyers' pages would have neither style nor picture, which are on the
/// web host.
final class AdminFailures: FailureFormat {
    private let fields: FieldBlock

    init(fields: FieldBlock) {
        self.fields = fields
    }

    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(
            failure.code.status,
            block: fields,
            fields: [HTTPField(.contentType, constant: "text/plain; charset=utf-8")],
            body: .bytes(Array("\(failure.code.name)\n\n\(AdminPart.index)".utf8))
        )
    }
}
