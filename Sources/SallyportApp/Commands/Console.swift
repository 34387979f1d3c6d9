import EventIO

/// Where a command's words for people go.
struct Console: Sendable {
    /// Writes one line to standard output at once, also into a pipe.
    let print: @Sendable (String) -> Void
    /// Writes one line to standard error at once.
    let complain: @Sendable (String) -> Void
    /// Writes one line there where a person reads along: what programs see by themselves.
    var remark: @Sendable (String) -> Void = { _ in }

    /// The process's own two streams.
    static let standard = Console(
        print: { line in StandardStream.output.write(line + "\n") },
        complain: { line in StandardStream.error.write(line + "\n") },
        remark: { line in if StandardStream.error.isTerminal { StandardStream.error.write(line + "\n") } }
    )
}
