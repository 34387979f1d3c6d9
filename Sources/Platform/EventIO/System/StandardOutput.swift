import Glibc
import Primitives
package import Telemetry

extension Logger {
    /// A logger that writes to a stream of the process, one call of the kernel for each line.
    ///
    /// - Parameters:
    ///   - level: The least level that is written.
    ///   - format: How; `nil` for text at a terminal, JSON elsewhere.
    ///   - label: The part of the program; empty for none.
    /// - Returns: The logger; any thread may use it.
    package static func standard(
        _ stream: StandardStream,
        level: LogLevel,
        format: LogFormat?,
        label: String = ""
    ) -> Logger {
        let format = format ?? (stream.isTerminal ? .text : .json)
        return Logger(
            level: level,
            label: label,
            format: format,
            hasPriorities: stream.isJournal,
            clock: SystemClock()
        ) { line in stream.write(line) }
    }
}

/// The streams that a process is born with.
package enum StandardStream: Int32, Sendable {
    /// Where results and log lines go.
    case output = 1
    /// Where complaints go.
    case error = 2

    /// Whether a person reads along.
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether the journal of systemd reads along: `JOURNAL_STREAM` has the device and the inode of this very stream.
    ///
    /// A stream that was redirected since then is another one.
    package var isJournal: Bool {
        var status = stat()
        guard let name = unsafe getenv("JOURNAL_STREAM"), unsafe fstat(rawValue, &status) == 0 else { return false }
        return unsafe String(cString: name) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes what is wrong, for people; the journal gets each line at the level of an error.
    ///
    /// - Parameter text: Without a line feed at its end.
    package func complain(_ text: String) {
        guard isJournal else { return write(text + "\n") }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        write(lines.map { "<\(LogLevel.error.priority)>\($0)\n" }.joined())
    }

    /// Writes all bytes, waiting where the reader is slow; a reader that has gone loses them.
    ///
    /// - Parameter bytes: A whole line, so that lines of several threads do not mix.
    package func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR && errno != EAGAIN {
                return
            }
        }
    }

    /// Writes text, as `write` does with bytes.
    ///
    /// - Parameter text: A whole line with its line feed.
    package func write(_ text: String) {
        write(Array(text.utf8))
    }
}
