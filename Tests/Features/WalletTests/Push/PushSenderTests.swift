import Cryptography
import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import TLS
import Telemetry
import TestKit
import Testing
import Web

@testable import Wallet

/// A push service with a script, a database with phones, and a sender between both.
private struct SenderBench {
    let reactor: Reactor
    let database: PushDatabase
    let server: HTTP2ScriptServer
    let process: PushProcess
    let sender: PushSender
    let metrics = MetricsRegistry()
    let log = CapturedLog()

    static let credential = PushCredential(
        passType: PushDatabase.passType,
        team: "SP4TEST9Z0",
        identity: TLSIdentity(certificatePEM: TestCertificates.second, keyPEM: Secret(TestCertificates.secondKey))
    )

    init(
        _ reactor: Reactor,
        _ database: PushDatabase,
        _ folder: String,
        settings texts: [String: String] = [:],
        credentials: [PushCredential] = [SenderBench.credential]
    ) throws {
        self.reactor = reactor
        self.database = database
        let tls = try TLSContext(
            certificatePEM: TestCertificates.first,
            keyPEM: Secret(TestCertificates.firstKey),
            alpn: ["h2"]
        )
        server = try HTTP2ScriptServer(reactor, tls: tls)
        try Files.write(folder + "/authority.pem", TestCertificates.authority)
        var all = [
            "wallet.push_host": "\(server.address)", "wallet.push_trust": folder + "/authority.pem",
        ]
        all.merge(texts) { $1 }
        process = try PushProcess(SenderBench.settings(all), credentials)
        let loop = LoopContext(
            reactor,
            database: database.client,
            headers: HeaderPolicy(includesSubdomains: false),
            logger: log.logger(),
            metrics: metrics
        )
        sender = PushSender(process, loop)
    }

    /// Begins to send.
    func begin() {
        let sender = sender
        reactor.startTask { await sender.run() }
    }

    static func settings(_ texts: [String: String]) throws -> PushSettings {
        let variables = texts.map { ("SALLYPORT_" + $0.key.uppercased().replacing(".", with: "_"), $0.value) }
        var reader = SettingReader(SettingSource(file: nil, environment: Dictionary(uniqueKeysWithValues: variables)))
        return PushSettings(&reader)
    }

    /// Answers each request with a status and a body by its token.
    func answer(_ answer: @escaping (String) -> (Int, String)) {
        server.onRequest = { peer, request in
            let (status, body) = answer(SenderBench.device(request))
            peer.answer(request, status, body)
        }
    }

    /// The name of the phone that a request is for.
    static func device(_ request: HTTP2ScriptServer.Request) -> String {
        let path = request.fields[":path"] ?? ""
        return Hex.decode(String(path.dropFirst("/3/device/".count))).map { String(decoding: $0, as: UTF8.self) }
            ?? path
    }

    /// The names of phones that a push went to, in order.
    var pushed: [String] { server.requests.map(SenderBench.device) }

    /// Waits until all jobs are done with.
    func settled() async throws -> Bool {
        try await until {
            try database.value("SELECT count(*) FROM wallet_push_job WHERE NOT is_sent") == "0"
        }
    }

    /// Asks the database until a condition holds.
    func until(_ condition: () throws -> Bool) async throws -> Bool {
        let patience = Patience()
        while patience.isLeft {
            if try condition() { return true }
            await reactor.nextTurn()
        }
        return false
    }
}

/// Runs a body with a sender that has not begun.
private func withSender(
    settings: [String: String] = [:],
    credentials: [PushCredential] = [SenderBench.credential],
    clock: any LoopClock = SystemClock(),
    _ body: @escaping @Sendable (SenderBench) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        try await withPushDatabase(clock: clock) { reactor, database in
            let bench = try SenderBench(reactor, database, folder, settings: settings, credentials: credentials)
            try await body(bench)
            await bench.sender.stop()
        }
    }
}

/// For provider tokens in place of certificates.
private func tokenSettings(_ folder: String) throws -> [String: String] {
    let vector = ProjectFolder.vectors("WalletTests", on: "Features") + "/Push/AuthKey_TESTKEY001.p8"
    let path = folder + "/key.p8"
    try Files.write(path, Files.read(vector, limit: 4_096))
    return ["wallet.push_key": path, "wallet.push_key_id": "TESTKEY001"]
}

@Suite("The sender of pushes")
struct PushSenderTests {
    @Test func `sends what was due before it began, and asks the service for nothing but a wake-up`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: (0..<40).map { "phone\($0)" })
            try bench.database.push(["A"])
            bench.begin()
            bench.answer { _ in (200, "") }
            #expect(try await bench.settled())
            #expect(bench.pushed.count == 40 && Set(bench.pushed).count == 40)
            #expect(bench.server.peers.count == 1)
            let request = try #require(bench.server.requests.first)
            #expect(request.body == Array("{}".utf8))
            var fields = request.fields
            let id = fields.removeValue(forKey: "apns-id") ?? ""
            #expect(UUIDBytes(id)?.description == id && Array(id.utf8)[14] == UInt8(ascii: "4"))
            let expiry = fields.removeValue(forKey: "apns-expiration").flatMap { Int64($0) } ?? 0
            #expect(abs(expiry - SystemClock().now().seconds - 86_400) < 300)
            #expect(fields.removeValue(forKey: ":path")?.hasPrefix("/3/device/") == true)
            #expect(
                fields == [
                    ":method": "POST", ":scheme": "https", ":authority": "\(bench.server.address)",
                    "apns-topic": PushDatabase.passType, "apns-push-type": "background", "apns-priority": "5",
                ]
            )
            let text = bench.metrics.prometheusText()
            #expect(text.contains("sallyport_wallet_pushes_total{outcome=\"accepted\"} 40"))
            #expect(text.contains("sallyport_wallet_push_delay_seconds_count 40"))
        }
    }

    @Test func `is woken behind a commit, also from another loop, and merges a burst`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: ["one"])
            bench.begin()
            bench.answer { _ in (200, "") }
            for tag in 1...30 { try bench.database.push(["A"], tag: tag) }
            bench.process.wake()
            #expect(try await bench.settled())
            #expect((1...2).contains(bench.pushed.count))
        }
    }

    @Test func `loses nothing of forty pushes when the service says goodbye in their midst`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: (0..<40).map { "phone\($0)" })
            try bench.database.push(["A"])
            bench.begin()
            bench.server.onRequest = { peer, request in
                let isFirst = bench.server.peers.first === peer
                if isFirst, request.stream == 41 {
                    peer.send(HTTP2Frame(.goAway, HTTP2Frame.four(21) + HTTP2Frame.four(0) + Array("{}".utf8)))
                    for request in peer.requests where request.stream <= 21 { peer.answer(request, 200) }
                } else if !isFirst {
                    peer.answer(request, 200)
                }
            }
            #expect(try await bench.settled())
            #expect(Set(bench.pushed).count == 40)
            #expect(bench.server.peers.count == 2)
            let second = bench.server.peers[1].requests.map(SenderBench.device)
            #expect(second.count == 29 && Set(second).count == 29, "eleven were answered on the first")
        }
    }

    @Test func `keeps a service that takes nothing from many connections`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: ["one"])
            try bench.database.push(["A"])
            bench.begin()
            // What was not taken may be sent again at once, but not on one connection after the other.
            var refused: MonotonicTime?
            bench.server.onRequest = { peer, _ in
                refused = refused ?? bench.reactor.now
                peer.send(HTTP2Frame(.goAway, HTTP2Frame.four(0) + HTTP2Frame.four(0)))
            }
            #expect(await waitUntil(bench.reactor) { bench.server.peers.first?.isClosed == true })
            bench.answer { _ in (200, "") }
            #expect(await waitUntil(bench.reactor) { bench.server.peers.count == 2 })
            // The pause begins with the goodbye, and not where the other side sees the end.
            #expect(bench.reactor.now - (try #require(refused)) >= .seconds(1))
            #expect(try await bench.settled())
        }
    }

    @Test func `leaves jobs as they are while it cannot connect`() async throws {
        try await withSender(settings: ["wallet.push_host": "127.0.0.1:1"]) { bench in
            try bench.database.add("A", to: ["one"])
            try bench.database.push(["A"])
            bench.begin()
            #expect(await waitUntil(bench.reactor) { !bench.log.lines(with: "push.not_connected").isEmpty })
            #expect(try bench.database.value("SELECT claim_id IS NULL AND attempts = 0 FROM wallet_push_job") == "t")
        }
    }

    @Test func `shares the work with another process`() async throws {
        try await withTemporaryFolder { folder in
            try await withPushDatabase { reactor, database in
                try database.add("A", to: (0..<60).map { "phone\($0)" })
                let one = try SenderBench(reactor, database, folder)
                let other = try SenderBench(reactor, database, folder)
                try database.push(["A"])
                for bench in [one, other] {
                    bench.answer { _ in (200, "") }
                    bench.begin()
                }
                #expect(try await one.settled())
                #expect(one.pushed.count + other.pushed.count == 60)
                for bench in [one, other] { await bench.sender.stop() }
            }
        }
    }
}

@Suite("The sender of pushes with bad answers")
struct PushAnswerSenderTests {
    @Test func `does what the vectors say`() async throws {
        let rows = AnswerCase.answers.filter { $0.action != "remint_once" }
        // A pass type for each, as one that halts must not be in the way of the others.
        let credentials = rows.indices.map { place in
            PushCredential(passType: "pass.case\(place)", team: "SP4TEST9Z0", identity: SenderBench.credential.identity)
        }
        try await withSender(credentials: credentials) { bench in
            let database = bench.database
            for (place, row) in rows.enumerated() {
                let (device, type) = ("phone\(place)", "pass.case\(place)")
                try database.add("A\(place)", to: [device], type: type)
                let sql = "UPDATE wallet_device SET token_at = to_timestamp($1) WHERE device = $2"
                _ = try database.admin.rows(sql, ["\(row.tokenStored.seconds)", device])
                // The word of a service counts that has taken one.
                if row.action == "drop" { try database.add("B\(place)", to: ["good\(place)"], type: type) }
                try database.push(["A\(place)", "B\(place)"], type: type)
            }
            bench.answer { device in
                if device.hasPrefix("good") { return (200, "") }
                let row = Int(device.dropFirst(5)).flatMap { rows.indices.contains($0) ? rows[$0] : nil }
                return (row?.status ?? 500, row?.body ?? "")
            }
            bench.begin()
            let isOpen =
                "SELECT count(*) FROM wallet_push_job WHERE claim_id IS NOT NULL OR NOT is_sent AND last_status IS NULL"
            #expect(try await bench.until { try database.value(isOpen) == "0" })
            for (place, row) in rows.enumerated() { try judge(row, place, bench) }
        }
    }

    private func judge(_ row: AnswerCase, _ place: Int, _ bench: SenderBench) throws {
        let device = "phone\(place)"
        let comment = Comment(rawValue: row.testDescription)
        let sql = """
            SELECT is_sent, extract(epoch FROM not_before - now()) > $2::int - 60, last_status FROM wallet_push_job
            WHERE device = $1
            """
        let job = try bench.database.admin.rows(sql, [device, "\(row.seconds)"]).first
        let devices = try bench.database.value("SELECT count(*) FROM wallet_device WHERE device = $1", [device])
        let count = bench.pushed.filter { $0 == device }.count
        let halt = bench.process.halts["pass.case\(place)"]
        #expect(devices == (row.action == "drop" ? "0" : "1"), comment)
        #expect((halt != nil) == (row.action == "halt"), comment)
        // One that is sent again a second later may have been.
        #expect(count == 1 || row.seconds == 1, comment)
        #expect(bench.log.lines(with: PushDatabase.token(device)).isEmpty, comment)
        switch row.action {
        case "done", "keep": #expect(job == nil || job?[0] == "t", comment)
        case "drop": #expect(job == nil, comment)
        case "halt": #expect(job?[0] == "f" && halt?.contains(row.reason) == true, comment)
        default: #expect(job?[0] == "f" && job?[1] == "t" && job?[2] == "\(row.status ?? 0)", comment)
        }
    }

    @Test func `halts and loses no phone when the service calls many tokens bad`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: (0..<30).map { "phone\($0)" })
            try bench.database.admin.run("UPDATE wallet_device SET accepted_at = now()")
            try bench.database.push(["A"])
            bench.begin()
            bench.answer { _ in (400, "{\"reason\":\"BadDeviceToken\"}") }
            #expect(
                try await bench.until {
                    try !bench.process.halts.isEmpty
                        || bench.database.value("SELECT count(*) FROM wallet_device") != "30"
                }
            )
            let free = "SELECT count(*) FROM wallet_push_job WHERE claim_id IS NULL"
            #expect(try await bench.until { try bench.database.value(free) == "30" })
            #expect(try bench.database.value("SELECT count(*) FROM wallet_device") == "30")
            #expect(
                bench.metrics.prometheusText().contains(
                    "sallyport_wallet_push_halted{pass_type=\"pass.com.example.sallyport.member\"} 1"
                )
            )
            let count = bench.pushed.count
            // The operator has mended it.
            bench.answer { _ in (200, "") }
            try bench.process.replace([SenderBench.credential])
            #expect(try await bench.settled())
            #expect(bench.pushed.count == count + 30 && bench.process.health == .ok)
            #expect(
                bench.metrics.prometheusText().contains(
                    "sallyport_wallet_push_halted{pass_type=\"\(PushDatabase.passType)\"} 0"
                )
            )
        }
    }

    @Test func `goes on for all others when a member has registered tokens that never were any`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: (0..<30).map { "phone\($0)" })
            try bench.database.push(["A"])
            bench.begin()
            bench.answer { $0 < "phone2" ? (200, "") : (400, "{\"reason\":\"BadDeviceToken\"}") }
            #expect(try await bench.settled())
            #expect(bench.process.halts.isEmpty && bench.process.health == .ok)
            let known = "SELECT count(*), count(accepted_at) FROM wallet_device"
            #expect(try bench.database.admin.rows(known) == [["12", "12"]])
        }
    }

    @Test func `drops few bad tokens among many good ones`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: (0..<30).map { "phone\($0)" })
            try bench.database.push(["A"])
            bench.begin()
            bench.answer { $0.hasSuffix("5") ? (400, "{\"reason\":\"BadDeviceToken\"}") : (200, "") }
            #expect(try await bench.settled())
            #expect(try bench.database.value("SELECT count(*) FROM wallet_device") == "27")
            #expect(bench.process.halts.isEmpty)
            // Counted when the database has answered.
            let isCounted = try await bench.until {
                bench.metrics.prometheusText().contains("sallyport_wallet_dead_tokens_total 3")
            }
            #expect(isCounted)
        }
    }

    @Test func `forgets no phone on the word of a service that has taken no push`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: (0..<5).map { "phone\($0)" })
            try bench.database.push(["A"])
            bench.begin()
            bench.answer { _ in (400, "{\"reason\":\"BadDeviceToken\"}") }
            let waits = "SELECT count(*) FROM wallet_push_job WHERE claim_id IS NULL AND attempts = 1"
            let known = "SELECT count(*) FROM wallet_device"
            let isJudged = try await bench.until {
                try bench.database.value(waits) == "5" || bench.database.value(known) != "5"
            }
            #expect(isJudged)
            #expect(try bench.database.value(known) == "5")
            #expect(bench.process.halts.isEmpty && bench.process.health != .ok)
            // The right service calls one of them bad.
            bench.answer { $0 == "phone3" ? (400, "{\"reason\":\"BadDeviceToken\"}") : (200, "") }
            try bench.database.pass(seconds: 3_600)
            bench.sender.wake()
            #expect(try await bench.settled())
            #expect(try bench.database.value("SELECT count(*) FROM wallet_device") == "4")
            #expect(bench.process.health == .ok)
        }
    }

    @Test func `gives up a push that is answered for patience too often`() async throws {
        try await withSender { bench in
            try bench.database.add("A", to: ["one"])
            try bench.database.push(["A"])
            try bench.database.admin.run("UPDATE wallet_push_job SET attempts = 7")
            bench.begin()
            bench.answer { _ in (429, "{\"reason\":\"TooManyRequests\"}") }
            #expect(try await bench.settled())
            #expect(bench.pushed.count == 1)
            #expect(try bench.database.value("SELECT count(*) FROM wallet_device") == "1")
        }
    }
}

/// A clock whose calendar a test moves, and nothing else.
private final class ShiftedClock: LoopClock {
    private let offset = Lock(Duration.zero)

    func now() -> WallTime { SystemClock().now() + offset.withLock { $0 } }
    func monotonicNow() -> MonotonicTime { SystemClock().monotonicNow() }
    var runsByItself: Bool { true }

    func shift(by duration: Duration) { offset.withLock { $0 += duration } }
}

@Suite("The sender of pushes with provider tokens")
struct ProviderTokenSenderTests {
    @Test func `has one push under way until the service has taken one, and one token for all`() async throws {
        try await withTemporaryFolder { keys in
            try await withSender(settings: try tokenSettings(keys)) { bench in
                try bench.database.add("A", to: (0..<20).map { "phone\($0)" })
                try bench.database.push(["A"])
                bench.begin()
                var largest = 0
                bench.server.onRequest = { peer, request in
                    largest = max(largest, peer.requests.count)
                    // The first one is answered when nothing else can come.
                    _ = bench.reactor.schedule(after: .milliseconds(peer.requests.count == 1 ? 100 : 0)) {
                        if peer.requests.count == 1 { #expect(largest == 1) }
                        peer.answer(request, 200)
                    }
                }
                #expect(try await bench.settled())
                let tokens = Set(bench.server.requests.map { $0.fields["authorization"] ?? "" })
                #expect(tokens.count == 1 && tokens.first?.hasPrefix("bearer ey") == true)
                #expect(bench.log.lines(with: "bearer").isEmpty)
            }
        }
    }

    @Test func `makes a new token for one that has expired, and sends the same push once more`() async throws {
        let clock = ShiftedClock()
        try await withTemporaryFolder { keys in
            try await withSender(settings: try tokenSettings(keys), clock: clock) { bench in
                try bench.database.add("A", to: ["one"])
                try bench.database.add("B", to: ["two"])
                bench.begin()
                bench.answer { _ in (200, "") }
                try bench.database.push(["A"])
                bench.sender.wake()
                #expect(try await bench.settled())
                clock.shift(by: .seconds(21 * 60))
                let expired = bench.server.requests[0].fields["authorization"]
                bench.server.onRequest = { peer, request in
                    let isOld = request.fields["authorization"] == expired
                    peer.answer(request, isOld ? 403 : 200, isOld ? "{\"reason\":\"ExpiredProviderToken\"}" : "")
                }
                try bench.database.push(["B"])
                bench.sender.wake()
                #expect(try await bench.settled())
                #expect(bench.pushed == ["one", "two", "two"])
            }
        }
    }
}
