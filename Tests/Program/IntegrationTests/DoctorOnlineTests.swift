import EventIO
import IntegrationKit
import Testing

@Suite("The doctor beside a running demo", .tags(.database, .slow), .serialized)
struct DoctorOnlineTests {
    @Test func `finds nothing wrong, and then each thing that was set wrong`() async throws {
        try await withProcessShop { shop in
            try Files.setPermissions(shop.folder, mode: 0o711)
            let environment = try DoctorOnlineTests.environment(shop.folder)
            let demo = try RunningProgram(
                ["demo"],
                environment: environment,
                logPath: shop.folder + "/demo.log",
                on: shop.reactor
            )
            defer { demo.destroy() }
            _ = try await demo.line(with: "ready https://")

            // It waits three seconds for an answer, and a busy machine may take longer.
            var sound = try await DoctorOnlineTests.examine(shop, environment)
            for _ in 0..<3 where sound.exit != .code(0) {
                sound = try await DoctorOnlineTests.examine(shop, environment)
            }
            #expect(sound.exit == .code(0), "\(sound.output)")
            let checks = sound.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
            #expect(checks == ["D02 warning link.base_url", "D26 note link.base_url", "D29 note program", "doctor"])

            for (name, value, line) in DoctorOnlineTests.mistakes {
                var changed = environment
                changed["SALLYPORT_" + name] = value
                var found = try await DoctorOnlineTests.examine(shop, changed)
                for _ in 0..<3 where !("\n" + found.output).contains("\n" + line) {
                    found = try await DoctorOnlineTests.examine(shop, changed)
                }
                #expect(found.exit == .code(2))
                #expect(("\n" + found.output).contains("\n" + line), "\(found.output)")
            }
            #expect(try await demo.end(.interrupt) == .code(0))
        }
    }

    /// What the doctor is told otherwise than the demo was.
    private static let mistakes: [(String, String, String)] = [
        ("PROVIDER_PUBLIC_KEY_ID", "SANDBOX-SOMEBODYELSESKEY0000001", "D40 error provider.public_key_id: "),
        ("APPS_IOS", #"[{"prefix":"ABCDE12345","bundle":"com.example.other"}]"#, "D20 error https://links.localhost:"),
        ("LINK_BASE_URL", "https://links.localhost:1", "D20 error link.base_url: "),
        // Another rule than the program's, as if a balancer had cut the field.
        ("HSTS_INCLUDE_SUBDOMAINS", "true", "D25 error https://localhost:"),
    ]

    private static func environment(_ folder: String) throws -> [String: String] {
        let port = try freePort()
        return [
            "SALLYPORT_DATA_DIR": folder + "/var",
            "SALLYPORT_LISTEN": "127.0.0.1:\(port)",
            "SALLYPORT_WEB_BASE_URL": "https://localhost:\(port)",
            "SALLYPORT_LINK_BASE_URL": "https://links.localhost:\(port)",
            "SALLYPORT_ADMIN_LISTEN": "127.0.0.1:0",
            "SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:\(try freePort())",
            "SALLYPORT_LOOPS": "1",
            "SALLYPORT_HSTS_INCLUDE_SUBDOMAINS": "false",
        ]
    }

    private static func examine(
        _ shop: ProcessShop,
        _ environment: [String: String]
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let log = "\(shop.folder)/doctor.\(UInt64.random(in: 0 ... .max)).log"
        let program = try RunningProgram(
            ["doctor", "--demo", "--online"],
            environment: environment,
            logPath: log,
            on: shop.reactor
        )
        defer { program.destroy() }
        return (try await program.process.exit(on: shop.reactor), program.log)
    }
}
