import EventIO

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

/// What a flood wants to know of an answer.
struct AnswerHead {
    let status: Int
    /// Of head and body.
    let length: Int
    let hasRetryAfter: Bool

    /// Nothing while the head is not complete; an answer without a length has no body.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 12, let end = AnswerHead.end(of: bytes) else { return nil }
        status = bytes[9..<12].reduce(0) { $0 * 10 + Int($1 &- 0x30) }
        hasRetryAfter = AnswerHead.find("\r\nretry-after:", in: bytes[..<end]) != nil
        var body = 0
        if let start = AnswerHead.find("\r\ncontent-length:", in: bytes[..<end]) {
            for byte in bytes[start...].drop(while: { $0 == 0x20 }) {
                guard (0x30...0x39).contains(byte) else { break }
                body = body * 10 + Int(byte - 0x30)
            }
        }
        length = end + body
    }

    /// The index behind a text in lower case, whatever case the bytes have.
    private static func find(_ text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
        text.withUTF8Buffer { pattern in
            guard bytes.count >= pattern.count else { return nil }
            let start = (bytes.startIndex...(bytes.endIndex - pattern.count)).first { start in
                pattern.indices.allSatisfy { unsafe bytes[start + $0] | 0x20 == pattern[$0] | 0x20 }
            }
            return start.map { $0 + pattern.count }
        }
    }

    private static func end(of bytes: [UInt8]) -> Int? {
        var index = 3
        while index < bytes.count {
            if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 {
                return index + 1
            }
            index += 1
        }
        return nil
    }
}
