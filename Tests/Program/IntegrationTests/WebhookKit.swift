import EventIO
import Foundation
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// A shop that tells one merchant's server of events.
struct HookedShop: Sendable {
    let shop: Shop
    let receiver: WebhookReceiver
    /// The endpoint's id.
    let endpoint: String

    /// Lets events happen to sessions that no buyer has walked through, in one statement as the program writes them.
    func happen(_ sessions: [String], _ places: ClosedRange<Int>, _ type: String = "session.paid") throws {
        try shop.rows(
            """
            INSERT INTO event (subject_id, event_id, sequence, at, subject_kind, type, data)
            SELECT f::uuid, id_new(), n, now(), 'session', $2, json_build_object('reference', 'R-' || n)
            FROM unnest(string_to_array($1, ',')) AS f, generate_series($3::bigint, $4::bigint) AS n
            """,
            [sessions.joined(separator: ","), type, "\(places.lowerBound)", "\(places.upperBound)"]
        )
    }

    /// Ids of sessions of today.
    func sessions(_ count: Int) throws -> [String] {
        try shop.rows(
            """
            SELECT overlay(gen_random_uuid()::text PLACING left(id_floor(now())::text, 14) || '7' FROM 1 FOR 15)
            FROM generate_series(1, $1::integer)
            """,
            ["\(count)"]
        )
        .map { $0[0] ?? "" }
    }

    /// Waits until nothing is due and nothing is under way.
    func settle(atMost patience: Duration = Patience.usual) async throws {
        let question = """
            SELECT count(*) FROM event_queue
            WHERE dead_at IS NULL AND (attempt_id IS NOT NULL OR next_at <= now())
            """
        try await withLoop { reactor in
            _ = try await poll(reactor, "quiet queues", atMost: patience) {
                try self.shop.value(question) == "0" ? true : nil
            }
        }
    }

    /// Waits until the receiver has accepted so many.
    func arrived(_ count: Int, atMost patience: Duration = Patience.usual) async throws {
        try await withLoop { reactor in
            _ = try await poll(reactor, "\(count) events", atMost: patience) {
                self.receiver.accepted.count >= count ? true : nil
            }
        }
    }

    /// Lets time pass for everything that waits.
    func pass(minutes: Int) throws {
        try shop.rows(
            "UPDATE event_queue SET next_at = next_at - make_interval(mins => $1::integer) WHERE attempt_id IS NULL",
            ["\(minutes)"]
        )
    }

    /// Lets time pass until everything has been delivered.
    func deliverAll(atMost patience: Duration = Patience.usual) async throws {
        try await withLoop { reactor in
            _ = try await poll(reactor, "empty queues", atMost: patience) {
                // Each time: a try that is under way when time passes waits anew when it fails.
                try self.pass(minutes: 10_000)
                return try self.shop.value("SELECT count(*) FROM event_queue") == "0" ? true : nil
            }
        }
    }

    /// Runs `sallyport webhooks` with the shop's settings.
    func command(_ words: String...) async throws -> (exit: ChildProcess.Exit, lines: [JSONValue]) {
        try await shop.webhooks(words, secret: HookedShop.secretPath())
    }

    /// A file that all tests of the process share.
    static func secretPath() throws -> String {
        try secretFile.get()
    }

    private static let secretFile = Result { () throws in
        let path = try ProcessFolder.makeFolder("merchant") + "/secret"
        try Files.write(path, Array("a secret of the tests, long enough for what it is for".utf8), mode: 0o600)
        return path
    }
}

extension Shop {
    /// Runs `sallyport webhooks` on the shop's database.
    func webhooks(_ words: [String], secret: String) async throws -> (exit: ChildProcess.Exit, lines: [JSONValue]) {
        let environment = ["SALLYPORT_MERCHANT_SECRET_FILE": secret, "SALLYPORT_WEBHOOKS_ALLOW_LOOPBACK": "true"]
        let (exit, output) = try await runCommand(["webhooks"] + words, environment: environment)
        let lines = output.split(separator: "\n").compactMap { try? JSONParser.parse(Array($0.utf8)) }
        return (exit, lines)
    }

    /// Adds a receiver as an endpoint, and gives it the secret.
    func add(_ receiver: WebhookReceiver, _ options: [String] = []) async throws -> String {
        let (exit, lines) = try await webhooks(["add", receiver.url] + options, secret: HookedShop.secretPath())
        let line = try #require(lines.first)
        #expect(exit == .code(0))
        receiver.trust(try #require(line["secret"]?.text))
        return try #require(line["id"]?.text)
    }
}

/// Runs a body with a shop and a receiver.
func withHookedShop(
    _ settings: [String: String] = [:],
    _ body: @escaping @Sendable (HookedShop) async throws -> Void
) async throws {
    var all = settings
    if all["merchant.secret_file"] == nil { all["merchant.secret_file"] = try HookedShop.secretPath() }
    try await withShop(ShopOptions(all)) { shop in
        let receiver = try await WebhookReceiver.start()
        defer { receiver.stop() }
        let endpoint = try await shop.add(receiver)
        try await body(HookedShop(shop: shop, receiver: receiver, endpoint: endpoint))
    }
}

/// That every session's events were accepted in order, each once.
func expectOrder(_ accepted: [ReceivedWebhook], of sessions: [String], _ places: ClosedRange<Int>) {
    for session in sessions {
        #expect(accepted.filter { $0.session == session }.map(\.sequence) == Array(places))
    }
    #expect(accepted.allSatisfy { $0.isGenuine })
    #expect(Set(accepted.map(\.id)).count == sessions.count * places.count)
}
