import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import SimulatorCore
import Telemetry
import TestKit
import Testing

@Suite struct `A host of simulators` {
    private static let anywhere = SimulatorHost.Place(.init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear), tls: nil)

    @Test func `runs several, each on listeners of its own`() async throws {
        try await withLoop { reactor in
            let (one, other) = (Parrot("one"), Parakeet("two"))
            let host = SimulatorHost(reactor, logger: .silent)
            try host.start(one, at: [Self.anywhere, Self.anywhere], state: nil)
            try host.start(other, at: [Self.anywhere], state: nil)
            #expect(Set(one.urls + other.urls).count == 3)
            for (bird, word) in [(one, "one"), (other, "two")] as [(Parrot, String)] {
                for url in bird.urls {
                    let answer = try await CurlClient(reactor).send(OutboundRequest(method: "GET", url: url))
                    #expect(String(decoding: answer.body, as: UTF8.self) == word)
                }
            }
            await host.stop()
            await #expect(throws: HTTPExchangeError.self) {
                _ = try await CurlClient(reactor).send(OutboundRequest(method: "GET", url: other.urls[0]))
            }
        }
    }

    @Test func `keeps what each has to know in a file of its own`() async throws {
        let path = try ProcessFolder.makeFolder("simulators") + "/state.json"
        try await withLoop { reactor in
            let first = SimulatorHost(reactor, logger: .silent)
            try first.start(Parrot("one"), at: [], state: path)
            try first.start(Parakeet("two"), at: [], state: path + ".two")
            await first.stop()
            let (one, other) = (Parrot(""), Parakeet(""))
            let next = SimulatorHost(reactor, logger: .silent)
            try next.start(one, at: [], state: path)
            try next.start(other, at: [], state: path + ".two")
            #expect(one.word == "one" && other.word == "two")
        }
    }

    @Test func `puts a file aside that a simulator does not take`() async throws {
        let path = try ProcessFolder.makeFolder("simulators") + "/state.json"
        try Files.write(path, [0xFF], mode: 0o600)
        try await withLoop { reactor in
            let bird = Parrot("one")
            let host = SimulatorHost(reactor, logger: .silent)
            try host.start(bird, at: [], state: path)
            #expect(bird.word == "one")
            await host.stop()
        }
        #expect(try Files.read(path + ".refused") == [0xFF])
        #expect(try Files.read(path) == Array("one".utf8))
    }

    @Test func `starts none that an operator has to mend first`() async throws {
        try await withLoop { reactor in
            let bird = Parrot("one")
            bird.problem = "It has no perch."
            let host = SimulatorHost(reactor, logger: .silent)
            #expect { try host.start(bird, at: [Self.anywhere], state: nil) } throws: { error in
                (error as? SimulatorError)?.problems == ["It has no perch."]
            }
            #expect(bird.urls.isEmpty)
        }
    }
}

/// A service that says one word.
private class Parrot: Simulator {
    class var name: String { "parrot" }
    static let bodyLimit = 100
    var word: String
    var urls: [String] = []
    var problem: String?

    init(_ word: String) {
        self.word = word
    }

    func handle(_ request: HTTPRequest) -> HandlerResult {
        .now(HTTPResponse(.ok, body: .bytes(Array(word.utf8))))
    }

    func problems(listeningOn address: SocketAddress) -> [String] { problem.map { [$0] } ?? [] }

    func isServed(at url: String) { urls.append(url) }

    func remember() -> [UInt8]? { Array(word.utf8) }

    func recall(_ bytes: [UInt8]) throws {
        guard let word = String(validating: bytes, as: UTF8.self) else { throw SimulatorError(problems: ["no text"]) }
        self.word = word
    }
}

/// Another service.
private final class Parakeet: Parrot {
    override class var name: String { "parakeet" }
}
