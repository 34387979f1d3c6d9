extension OutputSpan<UInt8> {
    /// Appends a number in eight bytes, the highest first.
    ///
    /// - Parameter word: Any; there is room for eight bytes.
    package mutating func append(bigEndian word: UInt64) {
        var shift: UInt64 = 64
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    /// Appends a number in four bytes, the highest first.
    ///
    /// - Parameter word: Any; there is room for four bytes.
    package mutating func append(bigEndian32 word: UInt32) {
        var shift: UInt32 = 32
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    /// Appends bytes.
    ///
    /// - Parameter bytes: Any number; there is room for them.
    package mutating func append(copying bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}

extension String {
    /// The text of characters that a body writes, with one allocation at most.
    ///
    /// - Parameters:
    ///   - count: The greatest number of characters.
    ///   - body: Writes ASCII.
    package init(ascii count: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        self = unsafe String(unsafeUninitializedCapacity: count) { memory in
            var room = unsafe OutputSpan(buffer: memory, initializedCount: 0)
            body(&room)
            return unsafe room.finalize(for: memory)
        }
    }
}
