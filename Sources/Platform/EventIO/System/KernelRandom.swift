import CLinux
import Primitives

/// Draws random bytes from the kernel in blocks of 4 KiB and wipes what it has given out.
///
/// Lives on one loop. A child process never shares a block, because children are started with `exec`.
@safe package final class KernelRandom: RandomSource {
    private static let blockSize = 4096
    private let block: UnsafeMutableRawBufferPointer
    private var used = KernelRandom.blockSize

    /// A source with an empty block.
    package init() {
        unsafe block = UnsafeMutableRawBufferPointer.allocate(byteCount: KernelRandom.blockSize, alignment: 16)
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        unsafe clinux_wipe(block.baseAddress, block.count)
        unsafe block.deallocate()
    }

    /// Appends random bytes to a buffer.
    ///
    /// - Parameters:
    ///   - count: How many, zero or more.
    package func append(_ count: Int, to output: inout [UInt8]) {
        var left = count
        while left > 0 {
            if used == KernelRandom.blockSize { refill() }
            let end = min(used + left, KernelRandom.blockSize)
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: block[used..<end])
            unsafe output.append(contentsOf: piece)
            unsafe clinux_wipe(piece.baseAddress, piece.count)
            left -= end - used
            used = end
        }
    }

    /// The next random bytes as a number.
    ///
    /// - Parameter byteCount: How many, 1 to 8.
    /// - Returns: The first byte in the highest place.
    package func number(byteCount: Int) -> UInt64 {
        // What is left at the end of a block is too little to be worth stitching.
        if used + byteCount > KernelRandom.blockSize { refill() }
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: block[used..<(used + byteCount)])
        var number: UInt64 = 0
        for index in 0..<byteCount { number = unsafe number << 8 | UInt64(piece[index]) }
        unsafe clinux_wipe(piece.baseAddress, piece.count)
        used += byteCount
        return number
    }

    private func refill() {
        unsafe clinux_random_fill(block.baseAddress, block.count)
        used = 0
    }
}
