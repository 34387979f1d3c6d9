package import Primitives

/// Takes finished log lines: whole lines, each with its line feed.
///
/// It is called from any thread and must not block for long.
package typealias LogSink = @Sendable (_ line: [UInt8]) -> Void

/// Writes structured log lines: one JSON object per line, with `time`, `level`, `event` and the fields.
///
/// A logger is a value and is passed down; there is no global one. Nothing is built for a line below the level. No line has a
/// name twice, because readers of JSON keep one of the two: a field whose name is taken gets a number behind it, `event_2`.
package struct Logger: Sendable {
    /// The least level that is written.
    package let level: LogLevel
    private let clock: any WallClock
    private let sink: LogSink
    private let format: LogFormat
    private let hasPriorities: Bool
    private let context: [UInt8]
    /// What is in the context already.
    private let names: [String]

    /// A logger that writes what matters at least as much as a level.
    ///
    /// - Parameters:
    ///   - level: The least level that is written.
    ///   - label: The part of the program; written as `label` on every line unless it is empty.
    ///   - hasPriorities: Whether each line begins with its level as `<3>`, which the journal of systemd takes off.
    package init(
        level: LogLevel,
        label: String = "",
        format: LogFormat = .json,
        hasPriorities: Bool = false,
        clock: any WallClock,
        sink: @escaping LogSink
    ) {
        self.level = level
        self.clock = clock
        self.sink = sink
        self.format = format
        self.hasPriorities = hasPriorities
        var (line, names) = (LogLine(format), LogLine.names)
        if !label.isEmpty {
            Logger.add([LogField("label", label)], to: &line, &names)
            names.append("label")
        }
        (context, self.names) = (line.bytes, names)
    }

    private init(_ other: Logger, context: [UInt8], names: [String]) {
        level = other.level
        clock = other.clock
        sink = other.sink
        format = other.format
        hasPriorities = other.hasPriorities
        self.context = context
        self.names = names
    }

    /// Adds fields; `names` are those taken before, and get the ones that are made up here, so that a usual line costs no
    /// array.
    private static func add(_ fields: [LogField], to line: inout LogLine, _ names: inout [String]) {
        for (index, field) in fields.enumerated() {
            let given = field.name.description
            var (name, number) = (given, 1)
            while names.contains(name) || fields[..<index].contains(where: { $0.name.description == name }) {
                number += 1
                name = "\(given)_\(number)"
            }
            if number > 1 { names.append(name) }
            line.add(name, field.value)
        }
    }

    /// A logger that drops every line, for tests that do not look at them.
    package static let silent = Logger(level: .error, clock: StoppedClock(), sink: { _ in })

    /// The same logger with fields that go on each of its lines.
    ///
    /// - Parameter fields: Written before the fields of the line itself, after those given earlier.
    /// - Returns: A logger with the longer context.
    package func with(_ fields: [LogField]) -> Logger {
        var (line, names) = (LogLine(format), names)
        line.add(rendered: context)
        Logger.add(fields, to: &line, &names)
        names += fields.map(\.name.description)
        return Logger(self, context: line.bytes, names: names)
    }

    /// Writes one line.
    ///
    /// - Parameters:
    ///   - level: How much it matters; below the logger's level nothing happens.
    ///   - event: What happened, in dotted form: `session.rotated`.
    ///   - fields: Evaluated only when the line is written.
    package func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        guard level >= self.level else { return }
        var (line, names) = (LogLine(format), names)
        line.open(time: clock.now(), level: level, event: event, hasPriority: hasPriorities)
        line.add(rendered: context)
        Logger.add(fields(), to: &line, &names)
        line.close()
        sink(line.bytes)
    }

    /// Writes one line of level `debug`.
    ///
    /// - Parameters:
    ///   - fields: Evaluated only when the line is written.
    package func debug(_ event: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        log(.debug, event, fields())
    }

    /// Writes one line of level `info`.
    ///
    /// - Parameters:
    ///   - fields: Evaluated only when the line is written.
    package func info(_ event: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        log(.info, event, fields())
    }

    /// Writes one line of level `warning`.
    ///
    /// - Parameters:
    ///   - fields: Evaluated only when the line is written.
    package func warning(_ event: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        log(.warning, event, fields())
    }

    /// Writes one line of level `error`.
    ///
    /// - Parameters:
    ///   - fields: Evaluated only when the line is written.
    package func error(_ event: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
        log(.error, event, fields())
    }
}

/// A clock that stands at 1970, for the silent logger.
private struct StoppedClock: WallClock {
    func now() -> WallTime { WallTime(microseconds: 0) }
}
