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
    ///   - output: Grows by that many.
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

    private func refill() {
        unsafe clinux_random_fill(block.baseAddress, block.count)
        used = 0
    }
}
