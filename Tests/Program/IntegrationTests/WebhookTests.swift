import EventIO
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A merchant's server", .tags(.database, .slow))
struct WebhookTests {
    @Test func `that is down for an hour gets everything afterwards, in the order of each session`() async throws {
        try await withHookedShop { hooks in
            let sessions = try hooks.sessions(50)
            hooks.receiver.behave(.close)
            try hooks.happen(sessions, 1...1)
            for place in 2...4 {
                try await hooks.settle()
                try hooks.pass(minutes: 15)
                try hooks.happen(sessions, place...place)
            }
            try await hooks.settle()
            #expect(hooks.receiver.accepted.isEmpty)
            #expect(
                try hooks.shop.value("SELECT count(*) FROM event_queue WHERE head = 1 AND tail = 4") == "50"
            )
            #expect(Set(hooks.receiver.received.map(\.sequence)) == [1], "nothing overtakes the first")
            hooks.receiver.behave(.status(200))
            // The next event shows that the server is back, and everything follows although its own pauses are not over.
            let next = try hooks.sessions(1)
            try hooks.happen(next, 1...4)
            try await hooks.arrived(204)
            try await hooks.settle()
            expectOrder(hooks.receiver.accepted, of: sessions + next, 1...4)
            #expect(try hooks.shop.value("SELECT count(*) FROM event_queue") == "0")
        }
    }

    @Test(
        arguments: [
            .status(500), .status(301), .status(404), .hang, .close, .slow(.seconds(20)),
        ] as [WebhookReceiver.Mode]
    )
    func `that fails gets the same octets again, and loses nothing`(mode: WebhookReceiver.Mode) async throws {
        try await withHookedShop(["webhooks.timeout": "5s"]) { hooks in
            let sessions = try hooks.sessions(3)
            hooks.receiver.behave(mode)
            try hooks.happen(sessions, 1...2)
            try await hooks.settle()
            let failed = hooks.receiver.received
            #expect(Set(failed.map(\.session)) == Set(sessions))
            #expect(failed.allSatisfy { $0.sequence == 1 && $0.isGenuine })
            let before = hooks.receiver.received.count
            hooks.receiver.behave(.status(204))
            try await hooks.deliverAll()
            // A try that came before the receiver was mended may fail behind it, and comes once more.
            var ids: Set<String> = []
            let later = hooks.receiver.received.dropFirst(before).filter { ids.insert($0.id).inserted }
            expectOrder(later, of: sessions, 1...2)
            for webhook in failed { #expect(later.first { $0.id == webhook.id }?.body == webhook.body) }
        }
    }

    @Test(
        arguments: [
            ("a whole page", .answer(Array(repeating: 0x20, count: 100_000))),
            ("half an answer", .half),
        ] as [(String, WebhookReceiver.Mode)]
    )
    func `that has answered 2xx has the event, whatever it sends behind it`(
        name: String,
        mode: WebhookReceiver.Mode
    ) async throws {
        try await withHookedShop { hooks in
            let sessions = try hooks.sessions(3)
            hooks.receiver.behave(mode)
            try hooks.happen(sessions, 1...2)
            try await hooks.arrived(6)
            try await hooks.settle()
            expectOrder(hooks.receiver.accepted, of: sessions, 1...2)
            #expect(try hooks.shop.value("SELECT count(*) FROM event_queue") == "0", "\(name)")
            let test = try await hooks.command("test", hooks.endpoint)
            #expect(test.exit == .code(0), "\(name)")
            #expect(test.lines.first?["status"]?.integer == 200, "\(name)")
        }
    }

    @Test func `that answers slowly, within its time, is served by several tries at once`() async throws {
        try await withHookedShop { hooks in
            let sessions = try hooks.sessions(8)
            hooks.receiver.behave(.slow(.milliseconds(300)))
            try hooks.happen(sessions, 1...2)
            try await hooks.arrived(16)
            try await hooks.settle()
            expectOrder(hooks.receiver.accepted, of: sessions, 1...2)
        }
    }

    @Test func `that is gone is left alone until an operator says so`() async throws {
        try await withHookedShop { hooks in
            let sessions = try hooks.sessions(2)
            hooks.receiver.behave(.status(410))
            try hooks.happen(sessions, 1...1)
            try await hooks.settle()
            try hooks.happen(sessions, 2...2)
            try hooks.pass(minutes: 10_000)
            try await hooks.settle()
            #expect(hooks.receiver.received.count == 2)
            let dead = try await hooks.command("list", "--dead")
            #expect(dead.exit == .code(0))
            #expect(Set(dead.lines.compactMap { $0["webview_session"]?.text }) == Set(sessions))
            #expect(dead.lines.allSatisfy { $0["status"]?.integer == 410 && $0["nextAt"] == nil })
            hooks.receiver.behave(.status(200))
            let replay = try await hooks.command("replay", "--endpoint", hooks.endpoint)
            #expect(replay.exit == .code(0) && replay.lines.first?["queues"]?.integer == 2)
            try await hooks.arrived(4)
            try await hooks.settle()
            expectOrder(hooks.receiver.accepted, of: sessions, 1...2)
        }
    }

    @Test func `that hangs keeps no buyer waiting`() async throws {
        try await withHookedShop(["webhooks.timeout": "60s", "webhooks.concurrency": "1"]) { hooks in
            hooks.receiver.behave(.hang)
            try hooks.happen(try hooks.sessions(20), 1...2)
            try await withLoop { reactor in
                _ = try await poll(reactor, "a try that hangs") { hooks.receiver.received.isEmpty ? nil : true }
            }
            // A whole purchase, while the only place is taken and every queue waits.
            let shopper = try await hooks.shop.shopper()
            let answer = try await shopper.purchase(try await shopper.toReturn())
            #expect(answer.status == 200, "\(answer.text)")
            #expect(hooks.receiver.accepted.isEmpty)
            let waiting =
                "SELECT count(*) FROM event_queue WHERE subject_id = $1 AND attempt_id IS NULL"
            #expect(try hooks.shop.value(waiting, [shopper.webviewSession]) == "1")
        }
    }

    @Test func `is told of a purchase, and of nothing about the buyer`() async throws {
        try await withHookedShop { hooks in
            let shopper = try await hooks.shop.shopper()
            let answer = try await shopper.purchase(try await shopper.toReturn())
            #expect(answer.status == 200, "\(answer.text)")
            try await hooks.arrived(1)
            let webhook = try #require(hooks.receiver.accepted.first)
            #expect(webhook.isGenuine && webhook.type == "session.paid" && webhook.session == shopper.webviewSession)
            let body = try JSONParser.parse(webhook.body)
            #expect(body["data"]?["state"]?.text == "paid")
            #expect(body["data"]?["amounts"]?["total"]?["currencyCode"]?.text == "JPY")
            let text = String(decoding: webhook.body, as: UTF8.self)
            for mark in ["swa_", "swb_", "swc_", "swp_", "@", "見本"] { #expect(!text.contains(mark), "\(mark)") }
        }
    }
}

@Suite("The webhooks command", .tags(.database))
struct WebhooksCommandTests {
    @Test func `shows a secret once, changes it, and forgets an endpoint`() async throws {
        try await withHookedShop { hooks in
            let listed = try await hooks.command("list")
            let line = try #require(listed.lines.first)
            #expect(listed.exit == .code(0) && listed.lines.count == 1)
            #expect(line["id"]?.text == hooks.endpoint && line["url"]?.text == hooks.receiver.url)
            #expect(line["secret"] == nil)
            let dump = try hooks.shop.dump()
            #expect(!dump.contains("whsec_"))
            let rotated = try await hooks.command("rotate", hooks.endpoint, "--overlap", "1h")
            let secret = try #require(rotated.lines.first?["secret"]?.text)
            #expect(secret.hasPrefix("whsec_") && rotated.exit == .code(0))
            // Both sign: whoever knows only the old one, or only the new one, believes it.
            let other = try await WebhookReceiver.start()
            defer { other.stop() }
            try hooks.happen(try hooks.sessions(1), 1...1)
            try await hooks.arrived(1)
            #expect(hooks.receiver.accepted.allSatisfy { $0.isGenuine })
            let removed = try await hooks.command("remove", hooks.endpoint)
            #expect(removed.exit == .code(0))
            #expect(try await hooks.command("remove", hooks.endpoint).exit == .code(1))
            #expect(try await hooks.command("rotate", hooks.endpoint).exit == .code(1))
            try hooks.happen(try hooks.sessions(1), 1...1)
            #expect(try hooks.shop.value("SELECT count(*) FROM event_queue") == "0")
        }
    }

    @Test func `sends an event again that has arrived, with what followed it`() async throws {
        try await withHookedShop { hooks in
            let sessions = try hooks.sessions(2)
            try hooks.happen(sessions, 1...3)
            try await hooks.arrived(6)
            try await hooks.settle()
            let second = try #require(hooks.receiver.accepted.first { $0.session == sessions[0] && $0.sequence == 2 })
            #expect(try await hooks.command("replay", second.id).exit == .code(0))
            try await hooks.arrived(8)
            try await hooks.settle()
            let again = hooks.receiver.accepted.dropFirst(6)
            #expect(again.map(\.sequence) == [2, 3] && again.first?.body == second.body)
            #expect(try await hooks.command("replay", "evt_00000000-0000-4000-8000-000000000000").exit == .code(1))
        }
    }

    @Test func `tells one session's events, and only the types that are wanted`() async throws {
        try await withHookedShop { hooks in
            let refunds = try await WebhookReceiver.start()
            defer { refunds.stop() }
            _ = try await hooks.shop.add(refunds, ["--events", "refund.created,refund.declined"])
            let sessions = try hooks.sessions(2)
            hooks.receiver.behave(.status(500))
            try hooks.happen(sessions, 1...1)
            try hooks.happen(sessions, 2...2, "refund.created")
            try await hooks.settle()
            #expect(refunds.accepted.map(\.type) == ["refund.created", "refund.created"])
            let queues = try await hooks.command("list", "--session", sessions[0])
            #expect(queues.lines.count == 1)
            #expect(queues.lines.first?["sequence"]?.integer == 1 && queues.lines.first?["last"]?.integer == 2)
        }
    }

    @Test(
        arguments: [
            [], ["add"], ["add", "http://shop.example/"], ["add", "https://shop.example/", "--events", "nothing"],
            ["list", "x"], ["test"], ["test", "x"], ["test", "00000000-0000-4000-8000-000000000000", "--session", "x"],
            ["replay"], ["replay", "x"], ["replay", "--session", "x"], ["rotate", "x"],
            ["rotate", "00000000-0000-4000-8000-000000000000", "--overlap", "1y"], ["remove"], ["forget"],
            ["list", "--events", "session.paid"],
        ]
    )
    func `says what is wrong with its words`(words: [String]) async throws {
        try await withLoop { reactor in
            try await withTemporaryFolder { folder in
                let secret = try HookedShop.secretPath()
                let environment = [
                    "SALLYPORT_DATA_DIR": folder, "SALLYPORT_MERCHANT_SECRET_FILE": secret,
                    "SALLYPORT_DATABASE_URL": "postgresql:///nowhere",
                ]
                let log = folder + "/output"
                let program = try RunningProgram(
                    ["webhooks"] + words,
                    environment: environment,
                    logPath: log,
                    on: reactor
                )
                defer { program.destroy() }
                #expect(try await program.process.exit(on: reactor) == .code(2), "\(program.log)")
                #expect(program.log.hasPrefix("sallyport: webhooks"))
            }
        }
    }
}

@Suite("Events and crashes", .tags(.database, .slow))
struct WebhookCrashTests {
    /// What a purchase has written, as the database has it: the event and its queue are there, or neither.
    private func paid(_ shop: ProcessShop) throws -> [String] {
        try shop.rows("SELECT subject_id FROM event WHERE type = 'session.paid'").compactMap { $0[0] }
    }

    @Test func `a program that is killed between the commit and the try loses nothing`() async throws {
        try await withProcessShop { shop in
            let receiver = try await WebhookReceiver.start()
            defer { receiver.stop() }
            // Without the secret the program commits and does not send: it dies in between, as far as anybody can tell.
            let first = try await shop.startServer()
            try await receiver.beAdded(to: shop, try HookedShop.secretPath())
            let crossings = try await shop.place(4, on: [first])
            for crossing in crossings { _ = try await shop.purchaseUntilDone(crossing, on: first) }
            try await first.program.end(.kill)
            let webviewSessions = try paid(shop)
            #expect(webviewSessions.count == 4 && receiver.received.isEmpty)
            shop.settings["SALLYPORT_MERCHANT_SECRET_FILE"] = try HookedShop.secretPath()
            _ = try await shop.startServer()
            _ = try await poll(shop.reactor, "eight events") { receiver.accepted.count >= 8 ? true : nil }
            expectOrder(receiver.accepted, of: webviewSessions, 1...2)
        }
    }

    @Test func `a program that is killed during a try makes it again under the same id`() async throws {
        try await withProcessShop { shop in
            let receiver = try await WebhookReceiver.start()
            defer { receiver.stop() }
            shop.settings["SALLYPORT_MERCHANT_SECRET_FILE"] = try HookedShop.secretPath()
            let first = try await shop.startServer()
            try await receiver.beAdded(to: shop, try HookedShop.secretPath())
            receiver.behave(.hang)
            let crossings = try await shop.place(1, on: [first])
            _ = try await shop.purchaseUntilDone(crossings[0], on: first)
            _ = try await poll(shop.reactor, "a try") { receiver.received.isEmpty ? nil : true }
            try await first.program.end(.kill)
            receiver.behave(.status(200))
            _ = try await shop.startServer()
            // The lease of the one that died.
            try shop.rows("UPDATE event_queue SET next_at = now()")
            _ = try await poll(shop.reactor, "the event") { receiver.accepted.isEmpty ? nil : true }
            let tries = receiver.received.filter { $0.sequence == 1 }
            #expect(tries.count > 1)
            #expect(Set(tries.map(\.id)).count == 1)
            #expect(Set(tries.map(\.body)).count == 1)
        }
    }
}
