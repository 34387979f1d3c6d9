import EventIO
import Foundation
import IntegrationKit
import Primitives
import TestKit
import Testing

@Suite struct `A service manager` {
    @Test(arguments: ["/notify", "@sallyport-test-"])
    func `is told in datagrams, at a path or under an abstract name`(place: String) throws {
        let folder = try ProcessFolder.makeFolder("manager")
        let socket = try DatagramSocket(place.hasPrefix("@") ? place + Files.parent(of: folder + "/x") : folder + place)
        let manager = try #require(ServiceManager(["NOTIFY_SOCKET": socket.name]))
        try manager.tell(.ready, status: "ready\nSTOPPING=1")
        // A sentence is a line, whatever stands in it.
        #expect(socket.receive() == "READY=1\nSTATUS=ready")
        try manager.tell(.reloading(since: MonotonicTime(nanoseconds: 12_345_678)))
        #expect(socket.receive() == "RELOADING=1\nMONOTONIC_USEC=12345")
        try manager.tell(.stopping)
        try manager.tell(.alive)
        try manager.tell(nil, status: "waits")
        #expect(socket.receive() == "STOPPING=1")
        #expect(socket.receive() == "WATCHDOG=1")
        #expect(socket.receive() == "STATUS=waits")
        #expect(socket.receive() == nil)
    }
}

/// The program under a service manager: what that hears, and what the journal gets.
@Suite("Under a service manager", .tags(.database, .slow))
struct ServiceManagerTests {
    @Test func `the program says when it is ready, reloads, lives and stops`() async throws {
        try await withProcessShop { shop in
            let socket = try DatagramSocket(shop.folder + "/notify")
            let log = shop.folder + "/server-0.log"
            try Files.write(log, [], mode: 0o600)
            shop.settings["NOTIFY_SOCKET"] = socket.name
            shop.settings["WATCHDOG_USEC"] = "90000"
            shop.settings["JOURNAL_STREAM"] = try Self.stream(log)
            let server = try await shop.startServer()
            var heard: [String] = []
            var place = 0
            /// Waits for a message behind those that were waited for before.
            func hear(_ line: String) async throws -> String {
                try await poll(shop.reactor, line) { () -> String? in
                    while let message = socket.receive() { heard.append(message) }
                    let next = heard[place...].firstIndex { message in
                        message.split(separator: "\n").contains { $0 == line }
                    }
                    guard let next else { return nil }
                    place = next + 1
                    return heard[next]
                }
            }
            _ = try await hear("READY=1")
            for _ in 0..<3 { _ = try await hear("WATCHDOG=1") }
            // What it has told is what balancers hear.
            #expect(heard.contains { $0.hasSuffix("\nSTATUS=ready") }, "\(heard)")
            try server.program.process.send(.hangUp)
            let reload = try await hear("RELOADING=1")
            #expect(reload.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") && reload.contains("\nSTATUS="))
            _ = try await hear("READY=1")
            _ = try await hear("WATCHDOG=1")
            try server.program.process.send(.terminate)
            _ = try await hear("STOPPING=1")
            #expect(try await server.program.process.exit(on: shop.reactor) == .code(0))
            // Each line has its level where the journal takes it off.
            let lines = server.program.log.split(separator: "\n")
            #expect(!lines.isEmpty && lines.allSatisfy { $0.contains(#/^<[3-7]>\{/#) }, "\(lines)")
        }
    }

    @Test func `complaints about settings are errors in the journal`() async throws {
        try await withTemporaryFolder { folder in
            for isJournal in [true, false] {
                let log = folder + "/journal-\(isJournal)"
                try Files.write(log, [], mode: 0o600)
                let stream = isJournal ? try Self.stream(log) : "1:1"
                let mark = isJournal ? "<3>sallyport: " : "sallyport: "
                try await withLoop { reactor in
                    let program = try RunningProgram(
                        ["serve"],
                        environment: ["JOURNAL_STREAM": stream, "SALLYPORT_PROVIDER_MERCHANT_ID": "A1EXAMPLE2MERCH"],
                        logPath: log,
                        on: reactor
                    )
                    defer { program.destroy() }
                    _ = try await program.process.exit(on: reactor)
                    let lines = program.log.split(separator: "\n")
                    #expect(lines.count > 3 && lines.allSatisfy { $0.hasPrefix(mark) }, "\(lines)")
                }
            }
        }
    }

    /// A file as `JOURNAL_STREAM` names it.
    private static func stream(_ path: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let device = try #require(attributes[.systemNumber] as? NSNumber)
        let inode = try #require(attributes[.systemFileNumber] as? NSNumber)
        return "\(device):\(inode)"
    }
}
