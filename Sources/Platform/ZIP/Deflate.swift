import CZlib

/// The checksum of ZIP and PNG, ISO 3309.
package enum CRC32 {
    /// The checksum of bytes.
    package static func checksum(of bytes: Span<UInt8>) -> UInt32 {
        let sum = unsafe bytes.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) }
        return UInt32(truncatingIfNeeded: sum)
    }
}

/// Deflate, RFC 1951, of whole buffers.
package enum Deflate {
    /// The compressed bytes, or `nil` where they are not fewer than those given.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 1 else { return nil }
        return unsafe buffer(room: bytes.count - 1) { output, room in
            unsafe shim_deflate(bytes, bytes.count, output, room)
        }
    }

    /// The bytes behind compressed ones.
    ///
    /// - Parameters:
    ///   - count: How many bytes they have to be; a claim that no compression reaches allocates nothing.
    /// - Returns: `nil` where they are damaged, do not end with the input, or are another number.
    package static func expand(_ bytes: Span<UInt8>, count: Int) -> [UInt8]? {
        guard count >= 0, count <= greatest(from: bytes.count) else { return nil }
        // One byte more: without any, the library refuses an empty content.
        let output = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe buffer(room: count + 1) { output, room in
                unsafe shim_inflate(input.baseAddress, input.count, output, room)
            }
        }
        return output?.count == count ? output : nil
    }

    /// How many bytes a stream with header and checksum, RFC 1950, stands for; they are not kept.
    ///
    /// - Returns: `nil` where it is damaged, does not end with the input, or holds more than `limit`.
    package static func expandedCount(ofZlib bytes: [UInt8], limit: Int) -> Int? {
        guard limit >= 0 else { return nil }
        let count = unsafe shim_inflated_count(bytes, bytes.count, limit)
        return count < 0 ? nil : count
    }

    /// A byte stands for 1,032 at most.
    private static func greatest(from count: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: 1_032)
        return overflow ? .max : product
    }

    private static func buffer(room: Int, _ fill: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8]? {
        var isGood = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { memory, used in
            let written = unsafe fill(memory.baseAddress, room)
            isGood = written >= 0
            used = max(written, 0)
        }
        return isGood ? bytes : nil
    }
}
