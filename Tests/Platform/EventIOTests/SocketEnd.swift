import EventIO
import Testing

/// One end of a connection, with waits instead of callbacks.
final class SocketEnd: ReadinessHandler {
    private let reactor: Reactor
    private var descriptor: Descriptor
    private var registration: Registration?
    private var seen: Readiness = []
    /// Called in place of waking the waiter.
    var onReady: ((Readiness) -> Void)?
    private var waiting: (wanted: Readiness, suspension: Suspension<Readiness>)?

    init(_ reactor: Reactor, _ descriptor: consuming Descriptor) {
        self.reactor = reactor
        let raw = descriptor.raw
        self.descriptor = descriptor
        do {
            registration = try reactor.add(raw, interest: [.readable, .writable], trigger: .edge, handler: self)
        } catch {
            Issue.record(error)
        }
    }

    func ready(_ readiness: Readiness) {
        if let onReady { return onReady(readiness) }
        seen.formUnion(readiness)
        guard let waiting, !seen.isDisjoint(with: waiting.wanted) else { return }
        self.waiting = nil
        waiting.suspension.resume(take(waiting.wanted))
    }

    var raw: Int32 { descriptor.raw }

    func readable() async -> Readiness {
        await wait(for: [.readable, .hangUp, .error])
    }

    func writable() async -> Readiness {
        await wait(for: [.writable, .error, .hangUp])
    }

    /// The text that is there, `nil` when there is none yet, empty at the end.
    @discardableResult
    func receive() throws -> String? {
        var bytes: [UInt8] = []
        let result = try Socket.receive(descriptor, appendingTo: &bytes, limit: 65_536)
        return result == .wouldBlock ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Everything up to the end of the stream.
    func receiveToEnd() async throws -> String {
        var all = ""
        while true {
            let text = try receive()
            if text == "" { return all }
            if let text { all += text } else { _ = await readable() }
        }
    }

    @discardableResult
    func send(_ text: String) throws -> IOResult {
        let bytes = Array(text.utf8)
        return try Socket.send(descriptor, bytes.span)
    }

    func send(_ first: String, _ second: String) throws -> IOResult {
        let head = Array(first.utf8)
        let tail = Array(second.utf8)
        return try Socket.send(descriptor, head.span, tail.span)
    }

    func connectionError() throws -> IOError? {
        try Socket.connectionError(descriptor)
    }

    func shutDownWriting() throws {
        try Socket.shutDownWriting(descriptor)
    }

    func reset() throws {
        try Socket.setResetOnClose(descriptor)
        close()
    }

    func close() {
        if let registration { reactor.removeBeforeClose(registration) }
        registration = nil
        descriptor.closeInPlace()
    }

    private func wait(for wanted: Readiness) async -> Readiness {
        if !seen.isDisjoint(with: wanted) { return take(wanted) }
        return await suspend { waiting = (wanted, $0) }
    }

    private func take(_ wanted: Readiness) -> Readiness {
        let taken = seen.intersection(wanted)
        seen.subtract(wanted)
        return taken
    }
}

/// Both ends of one connection over loopback.
final class ConnectedPair {
    let client: SocketEnd
    let server: SocketEnd

    init(_ reactor: Reactor, on address: SocketAddress = SocketAddress(v4: 0x7F00_0001, port: 0)) async throws {
        let listener = try Socket.listen(on: address)
        let target = try Socket.localAddress(listener)
        client = SocketEnd(reactor, try Socket.connect(to: target))
        _ = await client.writable()
        guard let accepted = try Socket.accept(listener) else {
            throw IOError(code: IOError.timedOut, operation: "accept4")
        }
        #expect(accepted.peer.isLocal)
        server = SocketEnd(reactor, accepted.takeDescriptor())
        _ = await server.writable()
    }

    func close() {
        client.close()
        server.close()
    }
}
