import EventIO

/// Where a command's words for people go.
package struct Console: Sendable {
    /// Writes one line to standard output at once, also into a pipe.
    package let print: @Sendable (String) -> Void
    /// Writes one line to standard error at once.
    package let complain: @Sendable (String) -> Void
    /// Writes one line there where a person reads along: what programs see by themselves.
    package let remark: @Sendable (String) -> Void

    /// Streams of the caller's own.
    package init(
        print: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void,
        remark: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.print = print
        self.complain = complain
        self.remark = remark
    }

    /// The process's own two streams.
    package static let standard = Console(
        print: { line in StandardStream.output.write(line + "\n") },
        complain: { line in StandardStream.error.complain(line) },
        remark: { line in if StandardStream.error.isTerminal { StandardStream.error.write(line + "\n") } }
    )
}
