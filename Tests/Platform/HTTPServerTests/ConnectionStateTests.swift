import EventIO
import HTTPCore
import Testing

@testable import HTTP1
@testable import HTTPServer

@Suite("The state of an HTTP/1.1 connection")
struct ConnectionStateTests {
    private static func state(_ change: (inout ServerLimits) -> Void = { _ in }) -> HTTP1ConnectionState {
        var limits = ServerLimits()
        change(&limits)
        return HTTP1ConnectionState(limits)
    }

    /// Takes a state through one request that is answered at once.
    private static func answer(_ state: inout HTTP1ConnectionState, turn: UInt64 = 1, more: Bool = false) -> Bool {
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: turn, hasShare: true) == .parse)
        #expect(state.parsed(.complete, isInside: false, inputIsEmpty: !more) == .handle)
        let keeps = state.willRespond(clientKeeps: true)
        _ = state.responded(inputIsEmpty: !more)
        return keeps
    }

    @Test func `waits for a first head, then for the next request`() {
        var state = Self.state()
        #expect(state.next(inputIsEmpty: true, pendingOutput: 0, turn: 1, hasShare: true) == .wait(.header))
        #expect(Self.answer(&state) == true)
        #expect(state.next(inputIsEmpty: true, pendingOutput: 0, turn: 1, hasShare: true) == .wait(.idle))
        #expect(state.requestCount == 1)
    }

    @Test func `waits under the deadline of the part that is missing`() {
        var state = Self.state()
        _ = Self.answer(&state)
        #expect(state.parsed(.needMore, isInside: true, inputIsEmpty: false) == .nothing)
        #expect(state.waitOrClose() == .wait(.header))
        let content = BodyAnnouncement(length: 5, expectsContinue: false)
        #expect(state.parsed(.head(content), isInside: true, inputIsEmpty: true) == .checkLimit)
        let next = state.next(inputIsEmpty: true, pendingOutput: 0, turn: 1, hasShare: true)
        #expect(next == .parse, "the parser checks the length")
        #expect(state.parsed(.needMore, isInside: true, inputIsEmpty: true) == .nothing)
        #expect(state.waitOrClose() == .wait(.body))
    }

    @Test func `has one request in flight`() {
        var state = Self.state()
        #expect(state.parsed(.complete, isInside: false, inputIsEmpty: false) == .handle)
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: true) == .nothing)
        #expect(state.willRespond(clientKeeps: true) == true)
        #expect(state.responded(inputIsEmpty: false) == nil)
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: true) == .parse)
    }

    @Test func `gives way after its share of a turn`() {
        var state = Self.state { $0.requestsPerTurn = 2 }
        for _ in 0..<2 { #expect(Self.answer(&state, more: true) == true) }
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: true) == .yield)
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 2, hasShare: true) == .parse)
    }

    @Test func `gives way where its client has had its share, but not in the middle of a request`() {
        var state = Self.state()
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: false) == .yield)
        #expect(state.parsed(.needMore, isInside: true, inputIsEmpty: false) == .nothing)
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: false) == .parse)
    }

    @Test func `pauses while a slow reader has enough to read`() {
        var state = Self.state { $0.pendingOutputBytes = 100 }
        #expect(state.next(inputIsEmpty: false, pendingOutput: 101, turn: 1, hasShare: true) == .pause)
        #expect(state.next(inputIsEmpty: false, pendingOutput: 100, turn: 1, hasShare: true) == .parse)
    }

    @Test(arguments: [true, false])
    func `invites content once, if none has come`(nothingHasCome: Bool) {
        var state = Self.state()
        let content = BodyAnnouncement(length: 5, expectsContinue: true)
        #expect(state.parsed(.head(content), isInside: true, inputIsEmpty: nothingHasCome) == .checkLimit)
        let reaction = state.parsed(.needMore, isInside: true, inputIsEmpty: true)
        #expect(reaction == (nothingHasCome ? .sendContinue : .nothing))
        #expect(state.parsed(.needMore, isInside: true, inputIsEmpty: true) == .nothing)
    }

    @Test func `ends with a refusal`() {
        var state = Self.state()
        let reaction = state.parsed(.failed(.headTooLarge), isInside: true, inputIsEmpty: false)
        #expect(reaction == .refuse(.headerTooLarge))
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: true) == .nothing)
    }

    @Test func `keeps as long as everybody agrees`() {
        var state = Self.state { $0.requestsPerConnection = 2 }
        #expect(Self.answer(&state) == true)
        #expect(Self.answer(&state) == false, "the limit")
        var asked = Self.state()
        _ = asked.parsed(.complete, isInside: false, inputIsEmpty: true)
        #expect(asked.willRespond(clientKeeps: false) == false, "the client")
        #expect(asked.responded(inputIsEmpty: true) == .close(lingers: false))
        var draining = Self.state()
        draining.drainBegins()
        #expect(Self.answer(&draining) == false, "the server")
    }

    @Test(arguments: [true, false])
    func `lingers after its last response only if the client goes on`(hasSentMore: Bool) {
        var state = Self.state { $0.requestsPerConnection = 1 }
        _ = state.parsed(.complete, isInside: false, inputIsEmpty: !hasSentMore)
        #expect(state.willRespond(clientKeeps: true) == false)
        #expect(state.responded(inputIsEmpty: !hasSentMore) == .close(lingers: hasSentMore))
        #expect(state.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: true) == .nothing)
    }

    @Test func `ends with the input when nothing is in flight`() {
        var state = Self.state()
        #expect(state.inputEnded(inputIsEmpty: true) == false)
        #expect(state.next(inputIsEmpty: true, pendingOutput: 0, turn: 1, hasShare: true) == .close(lingers: false))
    }

    @Test func `answers everything that came before the end of input`() {
        var state = Self.state()
        _ = state.parsed(.complete, isInside: false, inputIsEmpty: false)
        #expect(
            state.inputEnded(inputIsEmpty: false) == false,
            "the handler in flight goes on: more of the client's waits"
        )
        #expect(state.willRespond(clientKeeps: true) == true)
        #expect(state.responded(inputIsEmpty: false) == nil)
        _ = state.parsed(.complete, isInside: false, inputIsEmpty: true)
        #expect(state.willRespond(clientKeeps: true) == true)
        #expect(state.responded(inputIsEmpty: true) == nil)
        #expect(state.next(inputIsEmpty: true, pendingOutput: 0, turn: 1, hasShare: true) == .close(lingers: false))
    }

    @Test func `stops a handler nobody seems to wait for, and still sends what it answers`() {
        var state = Self.state()
        _ = state.parsed(.complete, isInside: false, inputIsEmpty: true)
        #expect(state.inputEnded(inputIsEmpty: true) == true)
        #expect(state.willRespond(clientKeeps: true) == false)
        #expect(state.responded(inputIsEmpty: true) == .close(lingers: false))
    }

    @Test func `draining closes when idle and is patient when young`() {
        var idle = Self.state()
        _ = Self.answer(&idle)
        idle.drainBegins()
        #expect(idle.next(inputIsEmpty: true, pendingOutput: 0, turn: 1, hasShare: true) == .close(lingers: false))
        var young = Self.state()
        young.drainBegins()
        #expect(young.next(inputIsEmpty: true, pendingOutput: 0, turn: 1, hasShare: true) == .wait(.patience))
    }

    @Test func `answers a deadline only inside a request`() {
        var waiting = Self.state()
        #expect(waiting.deadlinePassed(.header) == nil)
        var idle = Self.state()
        _ = Self.answer(&idle)
        #expect(idle.deadlinePassed(.idle) == nil)
        var inside = Self.state()
        _ = inside.parsed(.needMore, isInside: true, inputIsEmpty: false)
        #expect(inside.deadlinePassed(.header) == .requestTimeout)
        #expect(inside.next(inputIsEmpty: false, pendingOutput: 0, turn: 1, hasShare: true) == .nothing)
    }
}

@Suite("Bytes that the kernel may hold")
struct ReadStateTests {
    @Test func `are read once per edge`() {
        var state = ReadState()
        #expect(!state.mayHaveMore)
        state.note(isReadable: true, isHangUp: false)
        #expect(state.mayHaveMore)
        state.noteBytes(mayHaveMore: false)
        #expect(!state.mayHaveMore, "a short read has emptied the socket")
        state.note(isReadable: true, isHangUp: false)
        state.noteBytes(mayHaveMore: true)
        #expect(state.mayHaveMore, "a full one may have left something")
        state.noteEmpty()
        #expect(!state.mayHaveMore)
    }

    @Test func `are read to the end after a hang-up, however short a read is`() {
        var state = ReadState()
        state.note(isReadable: true, isHangUp: true)
        state.noteBytes(mayHaveMore: false)
        #expect(state.mayHaveMore, "the end came with the same edge")
        state.noteEnd()
        #expect(!state.mayHaveMore)
        #expect(state.hasEnded)
        state.expectMore()
        #expect(!state.mayHaveMore)
    }

    @Test func `are not expected from a writable socket`() {
        var state = ReadState()
        state.note(isReadable: false, isHangUp: false)
        #expect(!state.mayHaveMore)
    }
}

@Suite("A pooled buffer")
struct BufferTests {
    @Test func `for input keeps what is not used and makes room for more`() {
        let pool = BufferPool(inputBlockSize: 8)
        var input = InputBuffer(pool)
        #expect(input.isEmpty)
        #expect(!input.isFull)
        input.makeRoom(pool)
        input.bytes.append(contentsOf: [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(input.isFull)
        input.consume(5)
        #expect(!input.isFull)
        input.makeRoom(pool)
        #expect(input.bytes == [6, 7, 8])
        #expect(input.room == 5)
        input.consume(.max)
        #expect(input.isEmpty)
        input.release(pool)
        #expect(!input.hasBuffer)
    }

    @Test func `that holds something is not given back`() {
        let pool = BufferPool(inputBlockSize: 8)
        var input = InputBuffer(pool)
        input.makeRoom(pool)
        input.bytes.append(1)
        input.release(pool)
        #expect(input.bytes == [1])
        var output = OutputBuffer()
        output.open(pool)
        output.bytes.append(contentsOf: [1, 2])
        output.advance(1)
        output.release(pool)
        #expect(output.pending == 1)
        output.advance(1)
        output.release(pool)
        #expect(output.bytes.capacity == 0)
    }

    @Test func `comes back empty, and to one user only`() {
        let pool = BufferPool(inputBlockSize: 8)
        var buffers = (0..<3).map { _ in InputBuffer(pool) }
        for index in buffers.indices {
            buffers[index].makeRoom(pool)
            buffers[index].bytes.append(UInt8(index))
        }
        for index in buffers.indices {
            buffers[index].consume(1)
            buffers[index].release(pool)
        }
        for index in buffers.indices {
            buffers[index].makeRoom(pool)
            #expect(buffers[index].bytes.isEmpty)
            buffers[index].bytes.append(UInt8(index))
        }
        #expect(buffers.map { $0.bytes } == [[0], [1], [2]])
    }
}
