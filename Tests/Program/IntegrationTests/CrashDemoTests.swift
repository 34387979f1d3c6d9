import EventIO
import HTTPCore
import IntegrationKit
import Testing

@Suite("The demo's processes", .tags(.database, .slow), .serialized)
struct CrashDemoTests {
    @Test(arguments: [Signal.interrupt, Signal.terminate, Signal.kill])
    func `however the demo ends, nothing runs on and the data is there at the next start`(signal: Signal) async throws {
        try await withProcessShop { shop in
            try Files.setPermissions(shop.folder, mode: 0o711)
            defer { CrashDemoTests.killAll(shop.folder) }
            let first = try await CrashDemoTests.start(shop, "first.log")
            var crossing = try await shop.client.issue(first.1)
            #expect(CrashDemoTests.processes(shop.folder).count > 2, "database, simulators, broker")
            let exit = try await first.0.end(signal)
            if signal == .kill {
                try await poll(shop.reactor, "the end of the children") {
                    CrashDemoTests.processes(shop.folder).isEmpty ? () : nil
                }
            } else {
                #expect(exit == .code(0))
                #expect(CrashDemoTests.processes(shop.folder) == [])
            }
            let second = try await CrashDemoTests.start(shop, "second.log")
            try await shop.client.open(&crossing, second.1)
            #expect(try await second.0.end(.interrupt) == .code(0))
            #expect(CrashDemoTests.processes(shop.folder) == [])
        }
    }

    @Test(arguments: ["database", "simulators"])
    func `a child that dies is told, and the demo ends instead of failing at every page`(child: String) async throws {
        try await withProcessShop { shop in
            try Files.setPermissions(shop.folder, mode: 0o711)
            defer { CrashDemoTests.killAll(shop.folder) }
            let demo = try await CrashDemoTests.start(shop, "demo.log")
            let victim: String
            if child == "database" {
                let mark = try Files.read(shop.folder + "/var/postgres/data/postmaster.pid")
                victim = String(String(decoding: mark, as: UTF8.self).prefix { $0 != "\n" })
            } else {
                victim = try #require(CrashDemoTests.processes(shop.folder).first { CrashDemoTests.isSimulator($0) })
            }
            let result = try ChildPlan("/bin/kill", ["-9", victim]).run(atMost: .seconds(120))
            try #require(result.exit.isSuccess)
            #expect(try await demo.0.process.exit(on: shop.reactor) == .code(1))
            #expect(demo.0.log.contains("\(child) has ended by signal 9, so everything was stopped"))
            try await poll(shop.reactor, "the end of the children") {
                CrashDemoTests.processes(shop.folder).isEmpty ? () : nil
            }
        }
    }

    @Test(arguments: ["SIMULATOR_LISTEN", "LISTEN", "ADMIN_LISTEN"])
    func `a port that is taken ends the demo at once, and is named with its setting`(name: String) async throws {
        try await withProcessShop { shop in
            try Files.setPermissions(shop.folder, mode: 0o711)
            defer { CrashDemoTests.killAll(shop.folder) }
            let taken = SocketAddress(v4: 0x7F00_0001, port: try freePort())
            let holder = try Socket.listen(on: taken, reusePort: false)
            var environment = try CrashDemoTests.environment(shop)
            environment["SALLYPORT_" + name] = "\(taken)"
            let demo = try RunningProgram(
                ["demo"],
                environment: environment,
                logPath: shop.folder + "/demo.log",
                on: shop.reactor
            )
            #expect(try await demo.process.exit(on: shop.reactor) == .code(1))
            #expect(
                demo.log.contains(
                    "sallyport: \(name.lowercased()): \(taken) is in use: stop the program that listens there; "
                        + "or set SALLYPORT_\(name) to another address"
                )
            )
            #expect(!demo.log.contains("ready https://") && !demo.log.contains("nothing answers"))
            try await poll(shop.reactor, "the end of the children") {
                CrashDemoTests.processes(shop.folder).isEmpty ? () : nil
            }
            #expect(try Socket.localAddress(holder) == taken)
        }
    }

    private static func isSimulator(_ process: String) -> Bool {
        let words = (try? Files.read("/proc/\(process)/cmdline", limit: 4096)) ?? []
        return words.split(separator: 0).contains { Array($0) == Array("simulators".utf8) }
    }

    /// Starts the demo and waits until it says that it is ready.
    ///
    /// - Returns: The program and the address of its clear listener.
    private static func start(_ shop: ProcessShop, _ log: String) async throws -> (RunningProgram, String) {
        let environment = try environment(shop)
        let program = try RunningProgram(
            ["demo"],
            environment: environment,
            logPath: shop.folder + "/" + log,
            on: shop.reactor
        )
        let line = try await program.line(with: "\"server.ready\"")
        _ = try await program.line(with: "ready https://")
        let addresses = line.split(separator: "\"").first { $0.hasPrefix("127.0.0.1:") }?.split(separator: " ")
        let clear = try #require(addresses?.last)
        return (program, "http://\(clear)")
    }

    private static func environment(_ shop: ProcessShop) throws -> [String: String] {
        [
            "SALLYPORT_DATA_DIR": shop.folder + "/var",
            "SALLYPORT_LISTEN": "127.0.0.1:0",
            "SALLYPORT_CLEAR_LISTEN": "127.0.0.1:0",
            "SALLYPORT_ADMIN_LISTEN": "127.0.0.1:0",
            "SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:\(try freePort())",
            "SALLYPORT_LOOPS": "1",
        ]
    }

    /// The processes that have to do with a folder, by number.
    private static func processes(_ folder: String) -> [String] {
        ((try? Files.list("/proc")) ?? []).filter { name in
            guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
            return ["cmdline", "environ"].contains { file in
                let bytes = (try? Files.read("/proc/\(name)/\(file)", limit: 1 << 20)) ?? []
                return String(decoding: bytes, as: UTF8.self).contains(folder)
            }
        }
    }

    private static func killAll(_ folder: String) {
        for name in processes(folder) { _ = try? ChildPlan("/bin/kill", ["-9", name]).run(atMost: .seconds(120)) }
    }
}
