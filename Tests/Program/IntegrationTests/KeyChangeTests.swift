import EventIO
import IntegrationKit
import StrictJSON
import TestKit
import Testing

@Suite("A change of the keys that webhook keys are sealed under", .tags(.database, .slow))
struct KeyChangeTests {
    private static let old = "1 " + String(repeating: "1a", count: 32)
    private static let new = "2 " + String(repeating: "2b", count: 32)

    @Test
    func `loses no webhook before, while and after the values are sealed anew, and then needs the old key no more`()
        async throws
    {
        try await withProcessShop { shop in
            try shop.logInWithLeastRights()
            let path = shop.folder + "/merchant.secret"
            func write(_ lines: String...) throws {
                try Files.write(path, Array(lines.joined(separator: "\n").utf8), mode: 0o600)
            }
            try write(Self.old)
            shop.settings["SALLYPORT_MERCHANT_SECRET_FILE"] = path
            shop.settings["SALLYPORT_WEBHOOKS_ALLOW_LOOPBACK"] = "true"
            let receiver = try await WebhookReceiver.start()
            defer { receiver.stop() }
            var server = try await shop.startServer()
            try await receiver.beAdded(to: shop, path)
            var place = 0
            func happen() throws {
                place += 1
                try shop.rows(
                    """
                    INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
                    SELECT overlay(gen_random_uuid()::text PLACING left(id_floor(now())::text, 14) || '7' FROM 1 FOR 15)::uuid,
                        id_new(), 1, now(), 'session', 'session.paid', '{}'
                    """
                )
            }
            func arrived() async throws {
                let wanted = place
                try await poll(shop.reactor, "\(wanted) events") { receiver.accepted.count >= wanted ? () : nil }
            }
            func restart() async throws {
                #expect(try await server.program.end(.terminate) == .code(0))
                server = try await shop.startServer()
            }
            try happen()
            try await arrived()

            // Both keys are there, and nothing is sealed anew yet.
            try write(Self.old, Self.new)
            try await restart()
            try happen()
            try await arrived()
            try happen()
            let first = try await shop.runCommand(["reseal"])
            try happen()
            #expect(first.exit == .code(0), "\(first.output)")
            #expect(
                first.output.contains(#"{"column":"webhook_endpoint.secret","values":1,"resealed":1,"left":0}"#),
                "\(first.output)"
            )
            #expect(first.output.contains("everything is sealed under key 2; nothing is left under 1"))
            try await arrived()
            let again = try await shop.runCommand(["reseal"])
            #expect(again.exit == .code(0) && again.output.contains(#""values":1,"resealed":0"#), "\(again.output)")

            try write(Self.new)
            try await restart()
            try happen()
            try await arrived()
            #expect(receiver.received.allSatisfy { $0.isGenuine })

            // Who has taken the old key out too early reads which one is missing.
            try write("3 " + String(repeating: "3c", count: 32))
            let early = try await shop.runCommand(["reseal"])
            #expect(early.exit == .code(1), "\(early.output)")
            #expect(
                early.output.contains("1 values cannot be opened: key 2 is not in the file of keys"),
                "\(early.output)"
            )
            #expect(!early.output.contains("2b2b") && !early.output.contains("3c3c"))
        }
    }
}
