import Primitives

/// Random bytes that repeat: the same seed gives the same bytes.
package final class SeededRandom: RandomSource {
    private var state: UInt64

    /// A source that starts at a seed.
    package init(seed: UInt64) {
        state = seed
    }

    /// Appends the next bytes of the sequence to a buffer.
    ///
    /// - Parameters:
    ///   - count: How many, zero or more.
    package func append(_ count: Int, to output: inout [UInt8]) {
        for _ in 0..<count { output.append(UInt8(truncatingIfNeeded: next() >> 56)) }
    }

    /// The next number of the sequence (SplitMix64).
    ///
    /// - Returns: 64 bits.
    package func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number below a bound.
    ///
    /// - Parameter bound: At least 1.
    /// - Returns: Zero to one below the bound.
    package func below(_ bound: Int) -> Int {
        Int(next() % UInt64(max(1, bound)))
    }
}
