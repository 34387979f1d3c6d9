import EventIO
import IntegrationKit
import TestKit
import Testing

@Suite("A command that waits", .tags(.slow))
struct InterruptTests {
    static let commands = [["migrate"], ["keys", "list"], ["audit", "00000000-0000-7000-8000-000000000000"]]

    /// The database takes the connection and never says a word.
    @Test(arguments: commands, [Signal.interrupt, .terminate])
    func `for a database is ended by a signal`(words: [String], signal: Signal) async throws {
        try await withTemporaryFolder { folder in
            let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0), reusePort: false)
            let address = try Socket.localAddress(listener)
            try await withLoop { reactor in
                let program = try RunningProgram(
                    words,
                    environment: ["SALLYPORT_DATABASE_URL": "postgresql://shop@\(address)/shop"],
                    logPath: folder + "/log",
                    on: reactor
                )
                defer { program.destroy() }
                let silence = Silence()
                _ = try await poll(reactor, "a connection") { try silence.take(listener) ? true : nil }
                #expect(try await program.end(signal) == .signal(signal.number))
            }
        }
    }
}

/// Holds a connection on which nothing is said.
private final class Silence {
    private var connection: Socket.Accepted?

    func take(_ listener: borrowing Descriptor) throws(IOError) -> Bool {
        connection = try Socket.accept(listener)
        return connection != nil
    }
}
