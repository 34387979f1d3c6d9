/// How a log line is written.
package enum LogFormat: Sendable {
    /// A JSON object: for programs.
    case json
    /// Time of day, level, event, then `name=value`: for people at a terminal.
    case text
}
