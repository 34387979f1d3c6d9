import EventIO
import Foundation
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// The receiver of docs/webhooks.md, as it stands there.
private let receiverText: String = {
    let page = (try? String(contentsOfFile: ProjectFolder.path("docs/webhooks.md"), encoding: .utf8)) ?? ""
    let start = page.range(of: "```python\n")?.upperBound ?? page.endIndex
    let end = page.range(of: "\n```", range: start..<page.endIndex)?.lowerBound ?? page.endIndex
    return String(page[start..<end]) + "\n"
}()

private let python = "/usr/bin/python3"

@Suite("The receiver in the documents", .tags(.database), .enabled(if: Files.exists(python), "no python3 here"))
struct DocumentedReceiverTests {
    @Test func `takes each event once, in order, and refuses what is not signed`() async throws {
        // Without blank lines.
        #expect(receiverText.split(separator: "\n").count <= 41)
        try await withShop(ShopOptions(["merchant.secret_file": try HookedShop.secretPath()])) { shop in
            // Its port was free a moment ago.
            let place = try await WebhookReceiver.start(port: try freePort())
            await place.leave()
            let added = try await shop.webhooks(["add", place.url], secret: HookedShop.secretPath())
            let secret = try #require(added.lines.first?["secret"]?.text)
            let hooks = HookedShop(shop: shop, receiver: place, endpoint: added.lines.first?["id"]?.text ?? "")
            try await withTemporaryFolder { folder in
                try Files.write(folder + "/receiver.py", Array(receiverText.utf8))
                var plan = ChildPlan(
                    python,
                    [folder + "/receiver.py"],
                    environment: ["WEBHOOK_SECRETS": secret, "PORT": "\(place.port)"]
                )
                plan.output = .appended(path: folder + "/output")
                plan.error = .appended(path: folder + "/errors")
                plan.deathSignal = .kill
                let child = try plan.start()
                defer {
                    try? child.send(.kill)
                    _ = try? child.wait(atMost: .seconds(5))
                }
                let sessions = try hooks.sessions(2)
                // Some tries may find it not listening yet.
                try hooks.happen(sessions, 1...3)
                try await hooks.deliverAll()
                let event = try shop.value(
                    "SELECT 'evt_' || event_id FROM event WHERE subject_id = $1 AND sequence = 2",
                    [sessions[0]]
                )
                _ = try await hooks.command("replay", event)
                try await hooks.settle()
                let lines = String(decoding: try Files.read(folder + "/output"), as: UTF8.self).split(separator: "\n")
                for session in sessions {
                    let heard = lines.filter { $0.contains(session) }
                    #expect(heard.map(String.init) == (1...3).map { "session.paid \(session) \($0)" })
                }
                let answer = try await shop.browser().request(
                    "POST",
                    place.url,
                    fields: [
                        ("webhook-id", "evt_1"), ("webhook-timestamp", "\(Int(Date().timeIntervalSince1970))"),
                        ("webhook-signature", "v1,AAAA"), ("content-type", "application/json"),
                    ],
                    body: Array("{}".utf8)
                )
                #expect(answer.status == 403)
            }
        }
    }
}
