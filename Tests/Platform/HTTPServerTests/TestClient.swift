import Glibc
import HTTPCore
import TLS
import Testing

@testable import EventIO

/// A client that sends whatever a test wants, byte for byte, on the loop of the server it talks to.
final class TestClient: ReadinessHandler {
    /// What has come and was not taken.
    private(set) var received: [UInt8] = []
    /// Whether the server has closed its side.
    private(set) var hasEnded = false
    /// Whether it reads what comes; when switched on again it reads what has come meanwhile.
    var isReading = true {
        didSet { if isReading { ready(.readable) } }
    }
    /// How the connection failed, if it did.
    private(set) var failure: IOError?
    private let reactor: Reactor
    private var socket: ClientSocket?
    private var registration: Registration?
    private var waiting: Suspension<Void>?
    private(set) var session: TLSSession?
    private var unsent: [UInt8] = []

    /// A client that has begun to connect.
    ///
    /// - Parameter local: Its own address, where that matters.
    init(_ reactor: Reactor, to address: SocketAddress, from local: SocketAddress? = nil) throws {
        self.reactor = reactor
        let socket = try ClientSocket(address, from: local)
        self.socket = socket
        let everything: Interest = [.readable, .writable]
        registration = try reactor.add(socket.raw, interest: everything, trigger: .edge, handler: self)
    }

    /// Shakes hands as a TLS client.
    func startTLS(
        _ context: TLSContext,
        serverName: String = "localhost",
        resumption: TLSResumption? = nil
    ) async throws {
        try beginTLS(context, serverName: serverName, resumption: resumption)
        try await finishTLS()
    }

    /// Sends the first message of a handshake.
    func beginTLS(
        _ context: TLSContext,
        serverName: String = "localhost",
        resumption: TLSResumption? = nil
    ) throws {
        let session = try TLSSession(connecting: context, serverName: serverName, resumption: resumption)
        self.session = session
        _ = try session.handshake()
        push()
    }

    /// Takes a handshake to its end.
    func finishTLS() async throws {
        while let session, try !session.handshake() {
            push()
            try await wait("a handshake")
        }
        push()
    }

    func ready(_ readiness: Readiness) {
        push()
        if isReading { readAll() }
        let suspension = waiting
        waiting = nil
        suspension?.resume()
    }

    // MARK: Sending

    /// Sends text as it is.
    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends bytes as they are.
    func send(_ bytes: [UInt8]) throws {
        if let session { try session.write(bytes.span) } else { unsent += bytes }
        push()
    }

    /// Sends bytes below TLS.
    func sendRaw(_ bytes: [UInt8]) {
        unsent += bytes
        push()
    }

    private func push() {
        session?.takeCiphertext(into: &unsent)
        guard let socket, !unsent.isEmpty else { return }
        // A failure shows up when reading, too.
        guard case .done(let count) = try? socket.send(unsent) else { return }
        unsent.removeFirst(count)
    }

    /// Whether the kernel has taken everything that was to be sent.
    var hasSentAll: Bool { unsent.isEmpty && (session?.pendingCiphertext ?? 0) == 0 }

    /// Says that nothing more comes.
    func endOutput() throws {
        session?.close()
        push()
        try socket?.endOutput()
    }

    /// Closes, as a browser does when its window is shut.
    func close() {
        if let registration { reactor.remove(registration) }
        registration = nil
        socket = nil
    }

    /// Closes with a reset.
    func reset() throws {
        try socket?.resetOnClose()
        close()
    }

    // MARK: Receiving

    private func readAll() {
        var ciphertext: [UInt8] = []
        do throws(IOError) {
            while let socket, case .done(let count) = try socket.receive(into: &ciphertext) {
                guard count > 0 else {
                    hasEnded = true
                    break
                }
            }
        } catch {
            failure = error
            hasEnded = true
        }
        guard let session else {
            received += ciphertext
            return
        }
        decrypt(ciphertext, session)
    }

    private func decrypt(_ ciphertext: [UInt8], _ session: TLSSession) {
        do throws(TLSError) {
            try session.feed(ciphertext.span)
            while session.isEstablished {
                guard case .bytes = try session.read(appendingTo: &received, limit: 16_384) else { return }
            }
        } catch {
            hasEnded = true
        }
    }

    /// Waits until something happens on the connection.
    func wait(_ purpose: String) async throws {
        if hasEnded { throw TestFailure("the connection ended while waiting for \(purpose): \(text)") }
        await suspend { waiting = $0 }
    }

    /// What has come, as text.
    var text: String { String(decoding: received, as: UTF8.self) }

    /// Waits for the end of the connection and takes everything that came.
    func rest() async throws -> String {
        while !hasEnded { try await wait("the end") }
        defer { received = [] }
        return text
    }

    /// Waits for some bytes at least and leaves them where they are.
    func bytes(atLeast count: Int) async throws {
        while received.count < count { try await wait("\(count) bytes") }
    }

    /// Takes what has come.
    func take() -> [UInt8] {
        defer { received = [] }
        return received
    }

    /// Waits for the next response and takes it; an answer to HEAD has no body.
    func response(hasBody: Bool = true) async throws -> TestResponse {
        while true {
            if let (response, length) = TestResponse.parse(received, hasBody: hasBody) {
                received.removeFirst(length)
                return response
            }
            try await wait("a response")
        }
    }

    /// Sends a request and waits for its response.
    func exchange(_ request: String) async throws -> TestResponse {
        try send(request)
        return try await response()
    }
}

/// Why a test cannot go on.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A connected socket, closed when nobody holds it any more.
private final class ClientSocket {
    private let descriptor: Descriptor

    init(_ address: SocketAddress, from local: SocketAddress?) throws {
        guard let local else {
            descriptor = try Socket.connect(to: address)
            return
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = Descriptor(owning: socket(AF_INET, kind, 0))
        let raw = descriptor.raw
        let bound = unsafe local.withKernelForm { unsafe bind(raw, $0, $1) }
        guard bound == 0 else { throw TestFailure("no socket at \(local)") }
        let status = unsafe address.withKernelForm { unsafe connect(raw, $0, $1) }
        guard status == 0 || errno == EINPROGRESS else { throw TestFailure("no connection from \(local)") }
    }

    var raw: Int32 { descriptor.raw }

    func send(_ bytes: [UInt8]) throws(IOError) -> IOResult {
        try Socket.send(descriptor, bytes.span)
    }

    func receive(into buffer: inout [UInt8]) throws(IOError) -> IOResult {
        try Socket.receive(descriptor, appendingTo: &buffer, limit: 65_536)
    }

    func endOutput() throws {
        try Socket.shutDownWriting(descriptor)
    }

    func resetOnClose() throws {
        try Socket.setResetOnClose(descriptor)
    }
}

/// A response as a client reads it.
struct TestResponse {
    let status: Int
    /// The whole head as text, with the empty line.
    let head: String
    let body: String

    /// The values of a field, in order.
    func values(_ name: String) -> [String] {
        head.split(separator: "\r\n").dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
            return String(parts[1].drop { $0 == " " })
        }
    }

    /// Whether the server says that it closes.
    var closes: Bool { values("connection") == ["close"] }

    /// The first response in some bytes and its length, or `nil` where it is not complete.
    static func parse(_ bytes: [UInt8], hasBody: Bool) -> (TestResponse, Int)? {
        let end: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= 12, let index = (0...(bytes.count - 4)).first(where: { Array(bytes[$0..<$0 + 4]) == end })
        else { return nil }
        let head = String(decoding: bytes[..<(index + 4)], as: UTF8.self)
        let empty = TestResponse(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head, body: "")
        let length = empty.status >= 200 && hasBody ? Int(empty.values("content-length").first ?? "0") ?? 0 : 0
        guard bytes.count >= index + 4 + length else { return nil }
        let body = String(decoding: bytes[(index + 4)..<(index + 4 + length)], as: UTF8.self)
        return (TestResponse(status: empty.status, head: head, body: body), index + 4 + length)
    }
}
