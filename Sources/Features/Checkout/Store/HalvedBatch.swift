/// How many rows the next statement of a long series takes: half as many after each refusal, down to the row that is refused, and twice
/// as many after each success.
///
/// A series without a refusal runs as if this were not there. One refused row costs at most twice the logarithm of a batch in statements.
package struct HalvedBatch: Equatable {
    /// How many rows a statement takes where nothing is refused.
    package let whole: Int
    /// How many the next one takes.
    package private(set) var size: Int

    /// A series whose statements take so many rows.
    ///
    /// - Parameter whole: One or more.
    package init(_ whole: Int) {
        self.whole = max(1, whole)
        size = self.whole
    }

    /// Notes a statement that went through.
    package mutating func passed() { size = min(whole, size * 2) }

    /// Notes one that was refused; says whether that row alone was in it, so that the series has to pass over it.
    package mutating func refused() -> Bool {
        guard size > 1 else { return true }
        size /= 2
        return false
    }
}
