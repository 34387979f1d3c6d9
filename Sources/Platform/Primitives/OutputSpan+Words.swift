extension OutputSpan<UInt8> {
    /// Appends a number in eight bytes, the highest first.
    ///
    /// - Parameter word: Any; there is room for eight bytes.
    package mutating func append(bigEndian word: UInt64) {
        store(word.bigEndian, byteCount: 8)
    }

    /// Appends a number in four bytes, the highest first.
    ///
    /// - Parameter word: Any; there is room for four bytes.
    package mutating func append(bigEndian32 word: UInt32) {
        store(word.bigEndian, byteCount: 4)
    }

    /// Appends bytes.
    ///
    /// - Parameter bytes: Any number; there is room for them.
    package mutating func append(copying bytes: Span<UInt8>) {
        precondition(bytes.count <= freeCapacity, "no room for the bytes")
        unsafe withUnsafeMutableBufferPointer { room, count in
            // Inside the room by the check above; the source is another memory, since this one is held exclusively.
            unsafe bytes.withUnsafeBufferPointer { bytes in
                guard let source = bytes.baseAddress, let start = room.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
            }
            count += bytes.count
        }
    }

    /// Appends the memory of a word in one go: byte by byte each would be checked anew.
    private mutating func store<Word: FixedWidthInteger & BitwiseCopyable>(_ word: Word, byteCount: Int) {
        precondition(byteCount <= freeCapacity, "no room for the word")
        unsafe withUnsafeMutableBufferPointer { room, count in
            // Inside the room by the check above.
            guard let start = room.baseAddress else { return }
            unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: Word.self)
            count += byteCount
        }
    }
}

extension [UInt8] {
    /// Appends bytes.
    package mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

extension String {
    /// The text of characters that a body writes, with one allocation at most.
    ///
    /// - Parameters:
    ///   - body: Writes ASCII.
    package init(ascii count: Int, _ body: (inout OutputSpan<UInt8>) -> Void) {
        self = unsafe String(unsafeUninitializedCapacity: count) { memory in
            var room = unsafe OutputSpan(buffer: memory, initializedCount: 0)
            body(&room)
            return unsafe room.finalize(for: memory)
        }
    }
}
