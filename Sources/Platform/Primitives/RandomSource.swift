/// Supplies random bytes for identifiers; a parameter of everything that makes one.
///
/// The one in production draws from the kernel's generator (`EventIO`), the one in tests repeats itself (`TestKit`).
package protocol RandomSource: AnyObject {
    /// Appends random bytes to a buffer.
    ///
    /// - Parameters:
    ///   - count: How many, zero or more.
    func append(_ count: Int, to output: inout [UInt8])

    /// The next random bytes as a number.
    ///
    /// - Parameter byteCount: How many, 1 to 8.
    /// - Returns: What `append` would have appended, the first byte in the highest place.
    func number(byteCount: Int) -> UInt64
}

extension RandomSource {
    /// The next random bytes as a number.
    ///
    /// - Parameter byteCount: How many, 1 to 8.
    /// - Returns: The first byte in the highest place.
    package func number(byteCount: Int) -> UInt64 {
        bytes(byteCount).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The given number of random bytes.
    ///
    /// - Parameter count: Zero or more.
    package func bytes(_ count: Int) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(count)
        append(count, to: &output)
        return output
    }
}
