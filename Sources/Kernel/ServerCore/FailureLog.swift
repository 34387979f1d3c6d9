package import EventIO
package import HTTPCore
import Operations
import Primitives
package import Telemetry
package import Web

/// Writes refusals down, so many lines a second for each code; one per loop.
package final class FailureLog {
    private let logger: Logger
    private let reactor: Reactor
    private var lines = LogBudgets<FailureCode>(perSecond: 10)

    /// A log with full budgets.
    package init(_ logger: Logger, on reactor: Reactor) {
        self.logger = logger
        self.reactor = reactor
    }

    /// Writes a refusal down whose reason is on our side; what any client can provoke at will is not, and neither is what was
    /// refused before anything was looked up.
    package func note(_ failure: Failure, of request: HTTPRequest) {
        guard failure.code.isOurs, !failure.isUnexamined else { return }
        if failure.code == .internalError {
            write(.error, "request.failed", failure, request.requestID)
        } else {
            write(.warning, "request.refused", failure, request.requestID)
        }
    }

    /// Writes a refusal down, unless its code has had its lines.
    package func write(_ level: LogLevel, _ event: StaticString, _ failure: Failure, _ requestID: String) {
        guard let unwritten = lines.take(failure.code, at: reactor.now) else { return }
        var fields = [
            LogField("code", failure.code.name), LogField("detail", failure.detail), LogField("request", requestID),
        ]
        if let session = failure.session { fields.append(LogField("webview_session", session.description)) }
        if unwritten > 0 { fields.append(LogField("unwritten", unwritten)) }
        logger.log(level, event, fields)
    }
}
