package import Primitives
package import Telemetry

/// Keeps the lines of a logger for a test to look at.
package final class CapturedLog: Sendable {
    private let stored = Lock<[String]>([])

    /// An empty log.
    package init() {}

    /// A logger that writes here.
    ///
    /// - Parameters:
    ///   - level: The least level that is kept.
    package func logger(level: LogLevel = .trace, clock: any WallClock = ManualClock()) -> Logger {
        Logger(level: level, clock: clock) { line in
            self.stored.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
    }

    /// The lines so far, each with its line feed.
    package var lines: [String] { stored.withLock { $0 } }

    /// The lines so far that contain a text.
    ///
    /// - Returns: In the order of writing.
    package func lines(with text: String) -> [String] {
        lines.filter { $0.contains(text) }
    }
}
