import EventIO
import HTTPCore
import ServerCore
import Telemetry
import Web

/// The administration listener: alive, ready, figures.
enum AdminHandler {
    @Sendable static func health(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        state("ok", .ok, exchange)
    }

    @Sendable static func readiness(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        let services = exchange.services
        guard services.isReady else { return state("database away", .serviceUnavailable, exchange) }
        guard !services.isWithoutPartition else { return state("partition missing", .serviceUnavailable, exchange) }
        return state("ready", .ok, exchange, services.features.degraded)
    }

    @Sendable static func metrics(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        text(exchange.services.metrics.prometheusText() + ProcessFigures().prometheusText, .ok, exchange)
    }

    /// The state in the first line, the version in the second, then a line for each feature that does not work as it should.
    private static func state(
        _ text: String,
        _ status: HTTPStatus,
        _ exchange: Exchange,
        _ degraded: [(name: String, reason: String)] = []
    ) -> HTTPResponse {
        AdminHandler.text(lines(text, degraded), status, exchange)
    }

    /// What `/healthz` and `/readyz` say.
    static func lines(_ state: String, _ degraded: [(name: String, reason: String)]) -> String {
        let others = degraded.map { "degraded \($0.name): \($0.reason)\n" }.joined()
        return "\(state)\nversion \(ProgramVersion.text)\n\(others)"
    }

    private static func text(_ text: String, _ status: HTTPStatus, _ exchange: Exchange) -> HTTPResponse {
        HTTPResponse(
            status,
            block: exchange.services.deployment.headers.plain,
            fields: [HTTPField(.contentType, constant: "text/plain; version=0.0.4; charset=utf-8")],
            body: .bytes(Array(text.utf8))
        )
    }
}
