import EventIO

/// One connection through the proxy.
final class ProxyLink {
    private unowned let door: ProxyDoor
    private var toServer = MessageScanner(hasStartup: true)
    private var toClient = MessageScanner(hasStartup: false)
    private let client: ProxyEnd
    private let server: ProxyEnd
    private var isReader = false
    private var sprung: FaultProxy.Cut?
    private var isClosed = false
    var isForgotten = false

    init(_ door: ProxyDoor, client: consuming Descriptor, server: consuming Descriptor) {
        self.door = door
        self.client = ProxyEnd(client)
        self.server = ProxyEnd(server)
    }

    func begin() {
        client.onReady = { [unowned self] in pump() }
        server.onReady = { [unowned self] in pump() }
        watch()
    }

    /// Listens for what can go on at present, and for nothing else: a held end that hangs up would keep the loop busy.
    func watch() {
        guard !isClosed else { return }
        let sends = !isForgotten && !door.holds(.toServer, isReader: isReader)
        let answers = !isForgotten && !door.holds(.toClient, isReader: isReader)
        client.watch(door.reactor, reads: sends && server.output.isEmpty, writes: answers && !client.output.isEmpty)
        server.watch(door.reactor, reads: answers && client.output.isEmpty, writes: sends && !server.output.isEmpty)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        client.close(door.reactor)
        server.close(door.reactor)
        door.forget(self)
    }

    private func pump() {
        guard !isClosed else { return }
        if client.isReading, let bytes = client.read() { send(bytes) }
        if !isClosed, server.isReading, let bytes = server.read() { answer(bytes) }
        guard !isClosed else { return }
        client.flush()
        server.flush()
        if client.hasEnded || server.hasEnded { return close() }
        watch()
    }

    /// Hands on what the client sends, up to the point where the connection is to break.
    private func send(_ bytes: [UInt8]) {
        for byte in bytes {
            guard let message = toServer.take(byte) else { continue }
            if message.type == nil {
                isReader = message.body.span.contains(Array("default_transaction_read_only".utf8))
            }
            if message.type == UInt8(ascii: "B"), sprung == nil { sprung = door.trap(in: message.body.span) }
            let isSync = message.type == UInt8(ascii: "S")
            if isSync, sprung == .beforeSync {
                // What came before the Sync is with the server.
                server.flush()
                return spring()
            }
            server.output += message.bytes
            guard isSync, sprung == .afterSync else { continue }
            server.flush()
            return spring()
        }
    }

    /// Hands on what the server answers, unless nobody is to hear it.
    private func answer(_ bytes: [UInt8]) {
        guard sprung == .afterAnswer else {
            client.output += bytes
            return
        }
        for byte in bytes {
            guard let message = toClient.take(byte), message.type == UInt8(ascii: "Z") else { continue }
            return spring()
        }
    }

    private func spring() {
        close()
        door.trapSprang()
    }
}

/// One end of a connection.
final class ProxyEnd: ReadinessHandler {
    var output: [UInt8] = []
    var onReady: () -> Void = {}
    private(set) var hasEnded = false
    private(set) var isReading = false
    private var descriptor: Descriptor
    private var registration: Registration?
    private var interest: Interest = []

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    func ready(_ readiness: Readiness) {
        onReady()
    }

    func watch(_ reactor: Reactor, reads: Bool, writes: Bool) {
        isReading = reads
        var wanted: Interest = []
        if reads { wanted.insert(.readable) }
        if writes { wanted.insert(.writable) }
        guard wanted != interest else { return }
        interest = wanted
        if let registration { reactor.remove(registration) }
        registration = nil
        guard !wanted.isEmpty else { return }
        registration = try? reactor.add(descriptor.raw, interest: wanted, trigger: .level, handler: self)
    }

    func read() -> [UInt8]? {
        var bytes: [UInt8] = []
        do throws(IOError) {
            guard case .done(let count) = try Socket.receive(descriptor, appendingTo: &bytes, limit: 65_536) else {
                return nil
            }
            if count == 0 { hasEnded = true }
        } catch {
            hasEnded = true
        }
        return bytes.isEmpty ? nil : bytes
    }

    func flush() {
        do throws(IOError) {
            while !output.isEmpty, case .done(let count) = try Socket.send(descriptor, output.span) {
                output.removeFirst(count)
            }
        } catch {
            hasEnded = true
        }
    }

    func close(_ reactor: Reactor) {
        if let registration { reactor.remove(registration) }
        registration = nil
        descriptor.closeInPlace()
    }
}

/// Finds the ends of messages in a stream of PostgreSQL's protocol, version 3.
struct MessageScanner {
    struct Message {
        /// Nothing for the startup message, which has no type.
        let type: UInt8?
        let bytes: [UInt8]
        var body: [UInt8] { Array(bytes.dropFirst(type == nil ? 4 : 5)) }
    }

    private var bytes: [UInt8] = []
    private var isStartup: Bool

    init(hasStartup: Bool) {
        isStartup = hasStartup
    }

    /// Takes one byte.
    ///
    /// - Returns: The message that it completes, if it does.
    mutating func take(_ byte: UInt8) -> Message? {
        bytes.append(byte)
        let header = isStartup ? 4 : 5
        guard bytes.count >= header else { return nil }
        let length = bytes[(header - 4)..<header].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count == header - 4 + length else { return nil }
        defer {
            bytes = []
            isStartup = false
        }
        return Message(type: isStartup ? nil : bytes[0], bytes: bytes)
    }
}
