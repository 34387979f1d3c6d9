/// What is known about bytes that the kernel holds for a connection under edge triggering.
///
/// The kernel reports each change once, so a reader that stops before the end of what is there has to remember it.
/// A short read proves that nothing is left, but not that the peer has not ended the stream right behind it: one edge
/// may report both. After a hang-up, therefore, only the end itself counts.
struct ReadState {
    /// Whether a read may find something.
    private(set) var mayHaveMore = false
    /// Whether the end was read.
    private(set) var hasEnded = false
    private var hangUpIsTold = false

    /// The kernel has reported something.
    mutating func note(isReadable: Bool, isHangUp: Bool) {
        if isReadable { mayHaveMore = true }
        if isHangUp {
            hangUpIsTold = true
            mayHaveMore = true
        }
    }

    /// A read has given bytes; it may have left some if it filled the room it was given.
    mutating func noteBytes(mayHaveMore more: Bool) {
        mayHaveMore = more || hangUpIsTold
    }

    /// A read has given nothing.
    mutating func noteEmpty() {
        mayHaveMore = false
    }

    /// A read has met the end.
    mutating func noteEnd() {
        mayHaveMore = false
        hasEnded = true
    }

    /// There is reason to read without a report of the kernel.
    mutating func expectMore() {
        if !hasEnded { mayHaveMore = true }
    }
}
