import Checkout
import Commerce
import Postgres
import Primitives
import SessionBroker
import Testing

@Suite("What is stored")
struct SecrecyTests {
    @Test(arguments: [ClientKind.iosApp, .browser])
    func `holds no token and no personal data after a whole run`(client: ClientKind) async throws {
        try await withRig { rig in
            let verifier = String(repeating: "v", count: 43)
            let crossing = try await rig.reviewed(client, verifier: verifier)
            let tab = try #require(crossing.tab)
            _ = try await rig.broker.view(tab, withDetails: true, by: rig.caller())
            try await rig.place(crossing)
            guard case .begin(let attempt) = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            else { throw Surprise("no attempt") }
            try await rig.settle(attempt)
            let canaries =
                [
                    crossing.ticket.text, tab.text, try crossing.returnTicket(rig).text,
                    try #require(crossing.proof).text, verifier, "購入者カナリア", "canary@example.com",
                ]
            let dump = try rig.dump()
            #expect(dump.contains(crossing.webviewSession.description))
            for canary in canaries {
                for form in forms(of: canary) { #expect(!dump.contains(form), "\(canary) as \(form)") }
            }
        }
    }

    /// A text as it may stand in a dump: itself, in hexadecimal, in both Base64 alphabets, and the secret part alone.
    private func forms(of canary: String) -> [String] {
        let bytes = Array(canary.utf8)
        var forms = [canary, Hex.encode(bytes), Base64URL.encode(bytes)]
        if canary.hasPrefix("sw"), let secret = Base64URL.decode(String(canary.dropFirst(4))) {
            // The webview session id in front is no secret.
            forms.append(Hex.encode(Array(secret.suffix(32))))
            forms.append(String(canary.suffix(40)))
        }
        return forms
    }

    @Test func `opens with the return ticket only, and only in its own row`() async throws {
        try await withRig { rig in
            let one = try await rig.reviewed()
            let two = try await rig.reviewed()
            try rig.sql(
                """
                UPDATE webview_session_private SET sealed = (SELECT sealed FROM webview_session_private WHERE webview_session_id = '\(one.webviewSession)')
                WHERE webview_session_id = '\(two.webviewSession)'
                """
            )
            let tab = try #require(two.tab)
            let error = await #expect(throws: StoreError.self) {
                try await rig.broker.view(tab, withDetails: true, by: rig.caller())
            }
            #expect(error?.code == .fault)
            #expect("\(String(reflecting: error))".contains("notAuthentic"))
            // The page goes on without the details once their day was dropped.
            try rig.sql("DELETE FROM webview_session_private")
            guard case .live(let page) = try await rig.broker.view(tab, withDetails: true, by: rig.caller()) else {
                throw Surprise("no page")
            }
            #expect(page.details == nil)
        }
    }
}

extension Rig {
    /// Every row of every table, as text.
    func dump() throws -> String {
        try ["webview_session", "webview_session_event", "webview_session_private", "webview_session_purchase"]
            .flatMap { table in try admin.rows("SELECT t::text FROM \(table) AS t") }
            .compactMap { $0[0] }.joined(separator: "\n")
    }
}
