import Primitives
package import SessionBroker
package import Telemetry

/// Writes the steps of purchases, one line each: who watches a demo sees them go by, a deployment counts them only.
package struct StepLog: Sendable {
    private let logger: Logger
    private let level: LogLevel

    /// Writes nothing.
    package static let silent = StepLog(.silent, at: .debug)

    /// Steps as lines of a level; where the logger leaves the level out, a step costs a comparison.
    package init(_ logger: Logger, at level: LogLevel) {
        self.logger = logger
        self.level = level
    }

    /// Writes a step of a webview session.
    ///
    /// - Parameters:
    ///   - fields: Evaluated only when the line is written.
    package func note(
        _ event: StaticString,
        _ webviewSession: WebviewSessionID,
        _ fields: @autoclosure () -> [LogField] = []
    ) {
        logger.log(level, event, [LogField("webview_session", webviewSession.description)] + fields())
    }
}
