import EventIO
import Primitives

/// One connection of a flood: HTTP/1.1, one request at a time, opened again when it breaks.
final class FloodConnection: ReadinessHandler {
    private unowned let flood: Flood
    private var descriptor = Descriptor(owning: -1)
    private var registration: Registration?
    private var input: [UInt8] = []
    private var sentAt: MonotonicTime?

    init(_ flood: Flood) {
        self.flood = flood
    }

    func open() throws(IOError) {
        descriptor = try Socket.connect(to: flood.plan.address)
        try Socket.setNoDelay(descriptor)
        registration = try flood.reactor.add(descriptor.raw, interest: .readable, trigger: .level, handler: self)
    }

    func close() {
        if let registration { flood.reactor.remove(registration) }
        registration = nil
        descriptor.closeInPlace()
    }

    /// Sends a request, which fits into the socket's buffer.
    func send(_ request: [UInt8]) {
        sentAt = flood.reactor.clock.monotonicNow()
        do throws(IOError) {
            guard case .done(request.count) = try Socket.send(descriptor, request.span) else { return fail() }
        } catch {
            fail()
        }
    }

    func ready(_ readiness: Readiness) {
        do throws(IOError) {
            guard case .done(let count) = try Socket.receive(descriptor, appendingTo: &input, limit: 65_536) else {
                return
            }
            if count == 0 { return fail() }
        } catch {
            return fail()
        }
        takeAnswer()
    }

    private func takeAnswer() {
        guard let answer = AnswerHead(input), input.count >= answer.length, let sentAt else { return }
        input.removeAll(keepingCapacity: true)
        self.sentAt = nil
        let duration = flood.reactor.clock.monotonicNow() - sentAt
        flood.answered(answer.status, after: duration, retryAfter: answer.hasRetryAfter)
        flood.free(self)
    }

    private func fail() {
        close()
        flood.broke()
        sentAt = nil
        input = []
        do throws(IOError) {
            try open()
        } catch {
            // Counted above; a server that is gone ends the run without answers.
        }
        _ = flood.reactor.schedule(after: .milliseconds(10)) { [self] in flood.free(self) }
    }
}

/// What a flood reads of an answer.
struct AnswerHead {
    let status: Int
    /// Of head and body.
    let length: Int
    let hasRetryAfter: Bool

    /// Nothing while the head is not complete; an answer without a length has no body.
    ///
    /// One pass over the head, and no more than the first letter of most lines: what the load generator spends is taken from
    /// the server that it measures.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 12 else { return nil }
        let span = bytes.span
        status = (9..<12).reduce(0) { $0 * 10 + Int(span[$1] &- 0x30) }
        var hasRetryAfter = false
        var body = 0
        var line = 0
        while let end = AnswerHead.lineEnd(span, from: line) {
            if end == line {
                self.hasRetryAfter = hasRetryAfter
                length = end + 2 + body
                return
            }
            let text = span.extracting(line..<end)
            if AnswerHead.begins(text, with: "retry-after:") { hasRetryAfter = true }
            if AnswerHead.begins(text, with: "content-length:") { body = AnswerHead.number(text) }
            line = end + 2
        }
        return nil
    }

    /// The index of the line's CR, where its LF is there too.
    private static func lineEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10 { return index }
            index += 1
        }
        return nil
    }

    /// Whether a line begins with a text in lower case, whatever case the line has.
    private static func begins(_ line: Span<UInt8>, with text: StaticString) -> Bool {
        text.withUTF8Buffer { pattern in
            guard line.count >= pattern.count, unsafe line[0] | 0x20 == pattern[0] else { return false }
            for index in pattern.indices where unsafe line[index] | 0x20 != pattern[index] | 0x20 { return false }
            return true
        }
    }

    private static func number(_ line: Span<UInt8>) -> Int {
        var number = 0
        for index in line.indices where (0x30...0x39).contains(line[index]) {
            number = number * 10 + Int(line[index] - 0x30)
        }
        return number
    }
}
