extension OutputSpan<UInt8> {
    /// Appends bytes that a body writes all at once, after one look at whether there is room.
    ///
    /// - Parameters:
    ///   - count: How many; zero or more.
    ///   - body: Must fill exactly as many bytes from the pointer on, which may have any alignment.
    @unsafe mutating func append(raw count: Int, _ body: (UnsafeMutableRawPointer) -> Void) {
        precondition(count >= 0 && count <= freeCapacity, "there is room for what is written")
        unsafe withUnsafeMutableBufferPointer { room, initialized in
            guard let start = room.baseAddress else { return }
            unsafe body(UnsafeMutableRawPointer(start + initialized))
            initialized += count
        }
    }
}
