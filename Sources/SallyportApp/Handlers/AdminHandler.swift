import EventIO
import HTTPCore
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
        return state("ready", .ok, exchange)
    }

    @Sendable static func metrics(_ exchange: Exchange) throws(Failure) -> HTTPResponse {
        text(exchange.services.metrics.prometheusText() + ProcessFigures().prometheusText, .ok, exchange)
    }

    /// The state in the first line, the version in the second.
    private static func state(_ text: String, _ status: HTTPStatus, _ exchange: Exchange) -> HTTPResponse {
        AdminHandler.text("\(text)\nversion \(ProgramVersion.text)\n", status, exchange)
    }

    private static func text(_ text: String, _ status: HTTPStatus, _ exchange: Exchange) -> HTTPResponse {
        HTTPResponse(
            status,
            block: exchange.services.deployment.headers.admin,
            fields: [HTTPField(.contentType, constant: "text/plain; version=0.0.4; charset=utf-8")],
            body: .bytes(Array(text.utf8))
        )
    }
}
