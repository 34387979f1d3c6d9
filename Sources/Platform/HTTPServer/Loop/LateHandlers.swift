import Primitives

/// Handlers of one loop that took too long: counted, and named in the log.
struct LateHandlers {
    /// Those about which no line was written yet, and when the next line may be.
    private var unwritten = 0
    private var nextLine = MonotonicTime(nanoseconds: 0)

    /// Counts one.
    ///
    /// - Returns: How many went without a line before it, or `nil` where it goes without one, too: what makes one late makes many.
    mutating func take(at now: MonotonicTime) -> Int? {
        guard now >= nextLine else {
            unwritten += 1
            return nil
        }
        nextLine = now + .seconds(1)
        defer { unwritten = 0 }
        return unwritten
    }
}
