import EventIO
import Foundation
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// A merchant's server that believes what the reference library of Standard Webhooks believes, and writes down what that makes
/// of it.
private let receiverText = """
    from os import environ
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from standardwebhooks import Webhook, WebhookVerificationError

    webhook = Webhook(environ["SECRET"])

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            try:
                event = webhook.verify(body, dict(self.headers))
            except WebhookVerificationError as problem:
                print("refused", problem, flush=True)
                return self.send_error(403)
            print(event["type"], event["id"], flush=True)
            self.send_response(204)
            self.end_headers()

    ThreadingHTTPServer(("127.0.0.1", int(environ["PORT"])), Hook).serve_forever()

    """

/// The library, as scripts/install-deps puts it there; without it these tests fail.
private let library = ProjectFolder.path(".build/python")

/// A shop with an endpoint at which the library judges.
private struct JudgedShop: Sendable {
    let shop: Shop
    let endpoint: String
    let url: String
    let port: UInt16
    let secret: String

    /// Runs a body while the library has a secret; gives it what was written down.
    func judged(by secret: String, _ body: (_ lines: () throws -> [String]) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/receiver.py", Array(receiverText.utf8))
            var plan = ChildPlan(
                "/usr/bin/python3",
                [folder + "/receiver.py"],
                environment: ["SECRET": secret, "PORT": "\(port)", "PYTHONPATH": library]
            )
            plan.output = .appended(path: folder + "/output")
            plan.error = .appended(path: folder + "/errors")
            plan.deathSignal = .kill
            let child = try plan.start()
            defer {
                try? child.send(.kill)
                _ = try? child.wait(atMost: .seconds(5))
            }
            try await body {
                let output = Files.exists(folder + "/output") ? try Files.read(folder + "/output") : []
                return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
            }
        }
    }

    /// Sends a test event until the server is there to answer.
    func test() async throws -> (exit: ChildProcess.Exit, line: JSONValue) {
        let patience = Patience()
        while true {
            let (exit, lines) = try await shop.webhooks(["test", endpoint], secret: HookedShop.secretPath())
            let line = try #require(lines.first)
            if line["status"] != nil || !patience.isLeft { return (exit, line) }
        }
    }
}

private func withJudgedShop(_ body: @escaping @Sendable (JudgedShop) async throws -> Void) async throws {
    try #require(Files.exists(library + "/standardwebhooks/__init__.py"), "run scripts/install-deps test")
    try await withShop(.merchants(["merchant.secret_file": try HookedShop.secretPath()])) { shop in
        // Its port was free a moment ago.
        let place = try await WebhookReceiver.start(port: try freePort())
        await place.leave()
        let added = try await shop.webhooks(["add", place.url], secret: HookedShop.secretPath())
        let secret = try #require(added.lines.first?["secret"]?.text)
        let id = try #require(added.lines.first?["id"]?.text)
        try await body(JudgedShop(shop: shop, endpoint: id, url: place.url, port: place.port, secret: secret))
    }
}

@Suite("The library of Standard Webhooks", .tags(.database))
struct StandardWebhooksTests {
    @Test func `takes our secrets, and believes what we deliver`() async throws {
        try await withJudgedShop { judged in
            #expect(judged.secret.hasPrefix("whsec_"))
            try await judged.judged(by: judged.secret) { lines in
                let tested = try await judged.test()
                try #require(tested.exit == .code(0) && tested.line["status"]?.integer == 204, "\(tested.line)")
                let event = try #require(tested.line["event"]?.text)
                #expect(try lines() == ["webhook.test \(event)"])
                let shopper = try await judged.shop.shopper()
                #expect(try await shopper.purchase(try await shopper.toReturn()).status == 200)
                try await withLoop { reactor in
                    _ = try await poll(reactor, "both events") { () throws -> Bool? in
                        try judged.shop.value("SELECT count(*) FROM event_queue") == "0" ? true : nil
                    }
                }
                let sent = try judged.shop.rows(
                    "SELECT type || ' evt_' || event_id FROM event ORDER BY sequence"
                )
                .compactMap { $0[0] }
                #expect(sent.count == 2)
                #expect(Array(try lines().dropFirst()) == sent)
            }
        }
    }

    @Test func `believes an event by the secret of before while it is replaced, and none by another`() async throws {
        try await withJudgedShop { judged in
            let rotated = try await judged.shop.webhooks(
                ["rotate", judged.endpoint, "--overlap", "1h"],
                secret: HookedShop.secretPath()
            )
            let next = try #require(rotated.lines.first?["secret"]?.text)
            for secret in [judged.secret, next] {
                try await judged.judged(by: secret) { lines in
                    let tested = try await judged.test()
                    let heard = try lines()
                    #expect(tested.exit == .code(0))
                    #expect(heard.last?.hasPrefix("webhook.test evt_") == true)
                }
            }
            let stranger = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
            try await judged.judged(by: stranger) { lines in
                let tested = try await judged.test()
                #expect(tested.exit == .code(1) && tested.line["status"]?.integer == 403)
                #expect(try lines() == ["refused No matching signature found"])
            }
        }
    }
}
