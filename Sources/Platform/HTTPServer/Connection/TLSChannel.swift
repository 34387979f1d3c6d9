import EventIO
import TLS

/// A channel with TLS.
final class TLSChannel: Channel {
    private let session: TLSSession
    private let turn: DeferredWork
    private let pool: BufferPool
    /// Ciphertext that waits for the kernel.
    private var outbound = OutputBuffer()
    private var hasBegun = false
    /// Whether the peer spoke plain HTTP and is answered in kind.
    private var isPlain = false
    private var endsOutput = false
    private var peerHasClosed = false
    /// Whether the session may hold plaintext that has not been read.
    private(set) var hasBufferedInput = false

    init(_ session: TLSSession, turn: DeferredWork, pool: BufferPool) {
        self.session = session
        self.turn = turn
        self.pool = pool
    }

    var isOpen: Bool { session.isEstablished }
    var negotiatedProtocol: String? { session.negotiatedProtocol }
    var hasOwnOutput: Bool { session.pendingCiphertext > 0 || outbound.pending > 0 }

    // MARK: In

    func receive(from socket: StreamSocket, into input: inout InputBuffer) throws(ChannelError) -> Received {
        if hasBufferedInput {
            try decrypt(into: &input)
            return .bytes(0, mayHaveMore: true)
        }
        if peerHasClosed { return .end }
        if !hasBegun {
            // The first message of a client costs the loop a key exchange and a signature.
            guard turn.admitHandshake() else { return .postponed }
            hasBegun = true
        }
        let result: IOResult
        do throws(IOError) { result = try turn.receiveIntoScratch(from: socket) } catch { throw .network(error) }
        guard case .done(let count) = result else { return .nothing }
        guard count > 0 else { return .end }
        try process(into: &input)
        return .bytes(count, mayHaveMore: count == DeferredWork.scratchSize || peerHasClosed || hasBufferedInput)
    }

    /// Hands the session what lies in the loop's scratch buffer.
    private func process(into input: inout InputBuffer) throws(ChannelError) {
        do throws(TLSError) {
            let ciphertext = turn.scratch
            try session.feed(ciphertext.span)
            guard try session.handshake() else { return }
        } catch {
            isPlain = error.code == .plainHTTP
            throw .tls(error)
        }
        try decrypt(into: &input)
    }

    private func decrypt(into input: inout InputBuffer) throws(ChannelError) {
        hasBufferedInput = true
        do throws(TLSError) {
            while hasBufferedInput, input.room > 0 {
                switch try session.read(appendingTo: &input.bytes, limit: input.room) {
                case .bytes: break
                case .needsInput: hasBufferedInput = false
                case .closed:
                    hasBufferedInput = false
                    peerHasClosed = true
                }
            }
        } catch { throw .tls(error) }
    }

    // MARK: Out

    func send(_ output: inout OutputBuffer, to socket: StreamSocket) throws(ChannelError) -> Sent {
        if isPlain { return try sendPlain(&output, to: socket) }
        var hasSent = false
        while true {
            if outbound.pending == 0 { try encrypt(&output) }
            if outbound.pending == 0 { break }
            do throws(IOError) {
                let sent = try socket.send(&outbound)
                if sent == .nothing { return hasSent ? .some : .nothing }
                guard sent == .everything else { return sent }
            } catch { throw .network(error) }
            hasSent = true
            outbound.release(pool)
        }
        return .everything
    }

    private func sendPlain(_ output: inout OutputBuffer, to socket: StreamSocket) throws(ChannelError) -> Sent {
        do throws(IOError) { return try socket.send(&output) } catch { throw .network(error) }
    }

    /// Encrypts a part of what waits: memory for ciphertext stays bounded whatever the size of a response.
    private func encrypt(_ output: inout OutputBuffer) throws(ChannelError) {
        if output.pending > 0, session.isEstablished {
            let count = min(output.pending, TLSChannel.bytesAtOnce)
            do throws(TLSError) {
                try session.write(output.bytes.span.extracting(output.sent..<output.sent + count))
            } catch { throw .tls(error) }
            output.advance(count)
        }
        if endsOutput, output.pending == 0 {
            endsOutput = false
            session.close()
        }
        guard session.pendingCiphertext > 0 else { return }
        outbound.open(pool)
        session.takeCiphertext(into: &outbound.bytes)
    }

    private static let bytesAtOnce = 65_536

    func endOutput() {
        endsOutput = true
    }

    func close() {
        outbound.discard(pool)
    }
}
