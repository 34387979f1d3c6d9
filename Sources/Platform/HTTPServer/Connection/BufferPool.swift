/// Buffers that no connection uses at the moment; an idle connection has none.
final class BufferPool {
    /// What a connection reads into: a whole head fits, and some of what follows.
    let inputBlockSize: Int
    /// Output buffers with more room are given back to the allocator rather than kept.
    private static let keptCapacity = 65_536
    // The last one given is the next one taken: it is still in the processor's cache, and most turns need one only.
    private var lastInput: [UInt8] = []
    private var lastOutput: [UInt8] = []
    private var inputs: BufferStack
    private var outputs: BufferStack

    init(inputBlockSize: Int) {
        self.inputBlockSize = inputBlockSize
        inputs = BufferStack(freshCapacity: inputBlockSize)
        outputs = BufferStack(freshCapacity: 4096)
    }

    func takeInput(_ buffer: inout [UInt8]) {
        swap(&buffer, &lastInput)
        if buffer.capacity == 0 { inputs.take(&buffer) }
    }

    func giveInput(_ buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &lastInput)
        if buffer.capacity > 0 { inputs.give(&buffer) }
    }

    func takeOutput(_ buffer: inout [UInt8]) {
        swap(&buffer, &lastOutput)
        if buffer.capacity == 0 { outputs.take(&buffer) }
    }

    func giveOutput(_ buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: buffer.capacity <= BufferPool.keptCapacity)
        swap(&buffer, &lastOutput)
        if buffer.capacity > 0 { outputs.give(&buffer) }
    }
}

/// Empty buffers with room.
private struct BufferStack {
    private static let keptBuffers = 256
    private let freshCapacity: Int
    private var buffers: [[UInt8]] = []

    init(freshCapacity: Int) {
        self.freshCapacity = freshCapacity
    }

    /// Replaces a buffer without room by one with room.
    mutating func take(_ buffer: inout [UInt8]) {
        if let other = buffers.popLast() { buffer = other } else { buffer.reserveCapacity(freshCapacity) }
    }

    /// Replaces a buffer by one without room.
    mutating func give(_ buffer: inout [UInt8]) {
        if buffers.count < BufferStack.keptBuffers { buffers.append(buffer) }
        buffer = []
    }
}

/// Plaintext that has come and is not used yet, in one pooled buffer of fixed room.
struct InputBuffer {
    /// What was used and what was not; append here, at most `room` bytes, after `makeRoom`.
    var bytes: [UInt8] = []
    /// Where the unused bytes begin.
    private(set) var start = 0
    private let size: Int

    init(_ pool: BufferPool) {
        size = pool.inputBlockSize
    }

    var isEmpty: Bool { start == bytes.count }

    /// Whether nothing can be read before something is used.
    var isFull: Bool { bytes.count - start == size }

    /// How many bytes may be appended.
    var room: Int { size - bytes.count }

    /// Whether it holds memory.
    var hasBuffer: Bool { bytes.capacity > 0 }

    /// Gets a buffer if there is none, and moves the unused bytes to its front if its end is reached.
    mutating func makeRoom(_ pool: BufferPool) {
        if !hasBuffer { pool.takeInput(&bytes) }
        guard start > 0, isEmpty || room == 0 else { return }
        bytes.removeFirst(start)
        start = 0
    }

    /// Drops bytes from the front.
    mutating func consume(_ count: Int) {
        start += min(count, bytes.count - start)
    }

    /// Gives the buffer back if nothing is in it.
    mutating func release(_ pool: BufferPool) {
        guard isEmpty, hasBuffer else { return }
        pool.giveInput(&bytes)
        start = 0
    }
}

/// Bytes that wait to be sent, in one pooled buffer.
struct OutputBuffer {
    /// What was sent and what waits; append here after `open`.
    var bytes: [UInt8] = []
    private(set) var sent = 0

    /// How many bytes wait.
    var pending: Int { bytes.count - sent }

    /// Gets a buffer if there is none.
    mutating func open(_ pool: BufferPool) {
        if bytes.capacity == 0 { pool.takeOutput(&bytes) }
    }

    /// Notes that bytes have gone out.
    mutating func advance(_ count: Int) {
        sent = min(bytes.count, sent + count)
    }

    /// Gives the buffer back if nothing waits.
    mutating func release(_ pool: BufferPool) {
        guard pending == 0, bytes.capacity > 0 else { return }
        discard(pool)
    }

    /// Gives the buffer back, whatever waits in it.
    mutating func discard(_ pool: BufferPool) {
        sent = 0
        pool.giveOutput(&bytes)
    }
}
