import EventIO

/// Where a command's words for people go.
struct Console: Sendable {
    /// Writes one line to standard output at once, also into a pipe.
    let print: @Sendable (String) -> Void
    /// Writes one line to standard error at once.
    let complain: @Sendable (String) -> Void

    /// The process's own two streams.
    static let standard = Console(
        print: { line in StandardStream.output.write(line + "\n") },
        complain: { line in StandardStream.error.write(line + "\n") }
    )
}
