/// Buffers that no connection uses at the moment; an idle connection has none.
final class BufferPool {
    /// What a connection reads into: a whole head fits, and some of what follows.
    let inputBlockSize: Int
    /// Buffers with more room are given back to the allocator rather than kept.
    private static let keptCapacity = 65_536
    private static let keptBuffers = 256
    private var inputs: [[UInt8]] = []
    private var outputs: [[UInt8]] = []

    init(inputBlockSize: Int) {
        self.inputBlockSize = inputBlockSize
    }

    func takeInput() -> [UInt8] {
        inputs.popLast() ?? BufferPool.empty(capacity: inputBlockSize)
    }

    func giveInput(_ buffer: consuming [UInt8]) {
        guard inputs.count < BufferPool.keptBuffers else { return }
        buffer.removeAll(keepingCapacity: true)
        inputs.append(buffer)
    }

    func takeOutput() -> [UInt8] {
        outputs.popLast() ?? BufferPool.empty(capacity: 4096)
    }

    private static func empty(capacity: Int) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(capacity)
        return buffer
    }

    func giveOutput(_ buffer: consuming [UInt8]) {
        guard outputs.count < BufferPool.keptBuffers, buffer.capacity <= BufferPool.keptCapacity else { return }
        buffer.removeAll(keepingCapacity: true)
        outputs.append(buffer)
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

    /// Gets a buffer if there is none, and moves the unused bytes to its front if its end is reached.
    mutating func makeRoom(_ pool: BufferPool) {
        if bytes.capacity == 0 { bytes = pool.takeInput() }
        guard room == 0, start > 0 else { return }
        bytes.removeFirst(start)
        start = 0
    }

    /// Drops bytes from the front.
    mutating func consume(_ count: Int) {
        start += min(count, bytes.count - start)
        if isEmpty { removeAll() }
    }

    /// Drops everything.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        start = 0
    }

    /// Gives the buffer back if nothing is in it.
    mutating func release(_ pool: BufferPool) {
        guard isEmpty, bytes.capacity > 0 else { return }
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        pool.giveInput(taken)
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
        if bytes.capacity == 0 { bytes = pool.takeOutput() }
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
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        pool.giveOutput(taken)
    }
}
