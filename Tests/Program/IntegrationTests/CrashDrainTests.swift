import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import IntegrationKit
import Primitives
import StrictJSON
import Testing

@Suite("Ends and reloads", .tags(.database, .slow))
struct CrashDrainTests {
    @Test(arguments: ProcessSetup.all)
    func `SIGTERM lets a purchase in flight end and the process with it`(
        setup: ProcessSetup
    ) async throws {
        try await withProcessShop(over: setup.version) { shop in
            let servers = try await shop.start(setup.processes)
            let server = servers[0]
            let crossing = try await shop.place(1, on: servers)[0]
            try await shop.control.fault("CompleteCheckoutSession", ["delayMs": 700])
            let exits = Box<ChildProcess.Exit>()
            let answers = try await inParallel(shop.reactor, [true, false]) { buys -> InboundResponse? in
                if buys { return try await shop.client.purchase(crossing, server.url) }
                try await shop.waitUntilFaultsAreMet()
                exits.value = try await server.program.end(.terminate)
                return nil
            }
            #expect(answers.compactMap(\.self).map(\.status) == [200])
            #expect(exits.value == .code(0))
            #expect(server.program.log.contains("server.stopped"))
            for other in servers.dropFirst() {
                let again = try await shop.client.purchase(crossing, other.url)
                #expect(again.body == answers.compactMap(\.self).first?.body, "the other process knows the answer")
                #expect(try other.program.process.wait(atMost: .zero) == nil)
            }
            try await shop.expectPaidOnce([crossing])
        }
    }

    @Test func `SIGTERM lets a purchase end that recovery has taken up, and nothing is left undone`() async throws {
        try await withProcessShop { shop in
            try await shop.turnAutopilotOn()
            let first = try await shop.startServer()
            let crossing = try await shop.place(on: first)
            try await shop.control.fault("CompleteCheckoutSession", count: 10, ["resetBefore": true])
            _ = try await shop.client.purchase(crossing, first.url)
            _ = try await first.program.end(.terminate)
            try await shop.control.clearFaults()
            try shop.endLease(of: crossing)
            try await shop.control.fault("CompleteCheckoutSession", ["delayMs": 700])
            let second = try await shop.startServer()
            try await shop.waitUntilFaultsAreMet()
            #expect(try await second.program.end(.terminate) == .code(0))
            #expect(try shop.state(of: crossing) == "authorized")
            for event in ["upkeep.recovery_failed", "upkeep.payments_failed", "purchase.lease_lost"] {
                #expect(!second.program.log.contains(event), "\(event)")
            }
            try await shop.expectPaidOnce([crossing])
        }
    }

    @Test func `SIGHUP makes new connections see the new certificate`() async throws {
        try await withProcessShop { shop in
            let old = try CrashDrainTests.writeCertificate(in: shop.folder, authority: "old.pem")
            shop.settings["SALLYPORT_LISTEN"] = "127.0.0.1:0"
            shop.settings["SALLYPORT_CLEAR_LISTEN"] = ""
            shop.settings["SALLYPORT_TLS_CERTIFICATE"] = shop.folder + "/server.pem"
            shop.settings["SALLYPORT_TLS_KEY"] = shop.folder + "/server.key"
            let server = try await shop.startServer()
            #expect(await CrashDrainTests.isTrusted(server, by: old, shop.reactor))
            let new = try CrashDrainTests.writeCertificate(in: shop.folder, authority: "new.pem")
            try server.program.process.send(.hangUp)
            _ = try await server.program.line(with: "server.certificate_reloaded")
            #expect(await CrashDrainTests.isTrusted(server, by: new, shop.reactor))
            #expect(await !CrashDrainTests.isTrusted(server, by: old, shop.reactor))
            try Files.write(shop.folder + "/server.pem", Array("nonsense".utf8), mode: 0o600)
            try server.program.process.send(.hangUp)
            _ = try await server.program.line(with: "server.certificate_refused")
            #expect(await CrashDrainTests.isTrusted(server, by: new, shop.reactor), "the last good one stays")
            #expect(try await server.program.end(.terminate) == .code(0))
        }
    }

    private static func writeCertificate(in folder: String, authority name: String) throws -> String {
        let (now, random) = (SystemClock().now(), KernelRandom())
        let authority = try DevelopmentAuthority.make(
            name: name,
            permitting: CertificateName.loopback,
            now: now,
            random: random
        )
        let server = try authority.issue(for: CertificateName.loopback, now: now, random: random)
        try Files.write(folder + "/server.pem", server.certificatePEM, mode: 0o600)
        try Files.write(folder + "/server.key", server.keyPEM.reveal(), mode: 0o600)
        try Files.write(folder + "/" + name, authority.certificatePEM, mode: 0o600)
        return folder + "/" + name
    }

    private static func isTrusted(_ server: ServerProcess, by authority: String, _ reactor: Reactor) async -> Bool {
        var configuration = ClientConfiguration.patient
        configuration.trust = .file(path: authority)
        let port = server.url.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }
        let request = OutboundRequest(
            method: "GET",
            url: "https://localhost\(port)/error",
            fields: [("Host", ServerProcess.host)]
        )
        // A client of its own makes a connection of its own.
        let answer = try? await CurlClient(reactor, configuration: configuration).send(request.patient)
        return answer?.status == 200
    }
}

/// A place for a value that a task leaves behind.
final class Box<Value> {
    var value: Value?
}
