import EventIO
import Foundation
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// The servers of examples/server, each as a process between an app and a shop.
@Suite("The samples of a merchant's server", .tags(.database, .slow))
struct ServerSampleTests {
    @Test(arguments: SampleLanguage.allCases)
    func `sell from the opening to a partial refund, and hear of it`(_ language: SampleLanguage) async throws {
        try await withSample(language, hooked: true) { sample in
            #expect(try await sample.current().state == "none")
            let opened = try await sample.begin()
            #expect(opened.status == 201, "\(opened.page.text) \(sample.log)")
            let reference = try #require(opened.json["reference"]?.text)
            let url = try #require(opened.json["launchUrl"]?.text)
            #expect(opened.json.members.count == 2)
            #expect(try await sample.begin().page.text == opened.page.text)
            #expect(try await sample.post("/checkouts", order("cup"), word: "one").status == 422)
            #expect(sample.relay.passed("/v1/sessions").count == 1)
            #expect(try await sample.current().state == "open")
            let back = SampleServer.back(try await sample.walk(url))
            let paid = try await sample.post("/checkouts/return", back)
            #expect(paid.status == 200, "\(paid.page.text) \(sample.log)")
            #expect(paid.json == ["state": "paid", "reference": .string(reference), "total": "3180"])
            #expect(try await sample.post("/checkouts/return", back).json == paid.json)
            #expect(try await sample.current().json == paid.json)
            #expect(try await sample.current(login: "login-of-somebody-else").state == "none")
            // What was told by webhook is kept: the first charge is the second event.
            try await heard(sample, 2)
            let orders = "/orders/\(reference)"
            #expect(try await sample.post(orders + "/capture", "{}", word: "c").status == 403)
            let staff = SampleServer.staff
            #expect(try await sample.post(orders + "/capture", "{}", login: staff).status == 400)
            let captured = try await sample.post(orders + "/capture", "{}", login: staff, word: "c")
            #expect(captured.status == 200 && captured.state == "captured", "\(captured.page.text)")
            let amount = #"{"amount":"1200"}"#
            let refund = try await sample.post(orders + "/refunds", amount, login: staff, word: "r")
            #expect(refund.status == 201 && refund.state == "refund_initiated", "\(refund.page.text)")
            let again = try await sample.post(orders + "/refunds", amount, login: staff, word: "r")
            #expect(again.json["id"] == refund.json["id"])
            let other = try await sample.post(orders + "/refunds", #"{"amount":"1"}"#, login: staff, word: "r")
            #expect(other.status == 422)
            let much = try await sample.post(orders + "/refunds", #"{"amount":"90000"}"#, login: staff, word: "m")
            #expect(much.status == 422 && much.json["error"]?.text == "amount_exceeds", "\(much.page.text)")
            #expect(try await effects(sample, "CreateRefund") == 1)
            try await heard(sample, 4)
            // Only the owner may read what binds a payment to its login.
            #expect(try mode(sample.folder + "/state.json") == 0o600)
            for secret in ["swp_", "appProof", "verifier"] {
                #expect(!opened.page.text.contains(secret) && !paid.page.text.contains(secret))
            }
            #expect(!sample.stateFile.contains(SampleServer.login))
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `send a buyer of a site back there`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let opened = try await sample.begin(client: "site")
            let link = try await sample.walk(try #require(opened.json["launchUrl"]?.text))
            #expect(link.hasPrefix("https://shop.example.com/paid?"))
            #expect(try await sample.post("/checkouts/return", SampleServer.back(link)).state == "paid")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `repeat under the same key what had no answer, and pay once`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let relay = sample.relay
            for end in ["/v1/sessions", "/complete", "/capture"] { relay.arrange(end, .lost) }
            let opened = try await sample.begin()
            #expect(opened.status == 201, "\(opened.page.text) \(sample.log)")
            let reference = try #require(opened.json["reference"]?.text)
            let link = try await sample.walk(try #require(opened.json["launchUrl"]?.text))
            #expect(try await sample.post("/checkouts/return", SampleServer.back(link)).state == "paid")
            let (orders, staff) = ("/orders/\(reference)", SampleServer.staff)
            let captured = try await sample.post(orders + "/capture", "{}", login: staff, word: "c")
            #expect(captured.state == "captured", "\(captured.page.text)")
            // Nothing comes back at all; the program ends, and the same word brings the same request.
            relay.arrange("/refunds", .lost, count: 3)
            let lost = try await sample.post(orders + "/refunds", #"{"amount":"1200"}"#, login: staff, word: "r")
            #expect(lost.status == 503 && lost.state == "unavailable" && lost.page[field: "retry-after"] != nil)
            try sample.end(.kill)
            try await sample.start()
            let refund = try await sample.post(orders + "/refunds", #"{"amount":"1200"}"#, login: staff, word: "r")
            #expect(refund.state == "refund_initiated", "\(refund.page.text) \(sample.log)")
            for (end, count) in [("/v1/sessions", 2), ("/complete", 2), ("/capture", 2), ("/refunds", 4)] {
                let passed = relay.passed(end)
                #expect(passed.count == count, "\(end)")
                #expect(Set(passed.map(\.key)).count == 1 && Set(passed.map(\.body)).count == 1, "\(end)")
            }
            #expect(try sample.shop.value("SELECT count(*) FROM webview_session") == "1")
            #expect(try await sample.shop.effectiveCompletions() == 1)
            #expect(try await effects(sample, "CaptureCharge") == 1)
            #expect(try await effects(sample, "CreateRefund") == 1)
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `go on after the end of the program where they were`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            sample.relay.arrange("/v1/sessions", .lost, count: 3)
            let lost = try await sample.begin()
            #expect(lost.status == 503 && lost.state == "unavailable")
            #expect(try await sample.current().state == "none")
            try sample.end(.kill)
            try await sample.start()
            let opened = try await sample.begin()
            #expect(opened.status == 201, "\(opened.page.text)")
            #expect(Set(sample.relay.passed("/v1/sessions").map(\.key)).count == 1)
            #expect(try sample.shop.value("SELECT count(*) FROM webview_session") == "1")
            let link = try await sample.walk(try #require(opened.json["launchUrl"]?.text))
            try sample.end(.kill)
            try await sample.start()
            #expect(try await sample.current().state == "open")
            #expect(try await sample.post("/checkouts/return", SampleServer.back(link)).state == "paid")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `wait as long as they are told, or hand it on`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let relay = sample.relay
            relay.arrange("/v1/sessions", .refused(429, code: "rate_limited", retryAfter: 1))
            let opened = try await sample.begin()
            #expect(opened.status == 201, "\(opened.page.text)")
            let times = relay.passed("/v1/sessions").map(\.time)
            #expect(times.count == 2 && times[1] - times[0] >= .milliseconds(990))
            let back = SampleServer.back(try await sample.walk(try #require(opened.json["launchUrl"]?.text)))
            relay.arrange("/complete", .refused(503, code: "unavailable", retryAfter: 30))
            let away = try await sample.post("/checkouts/return", back)
            #expect(away.status == 503 && away.state == "unavailable" && away.page[field: "retry-after"] == "30")
            relay.arrange("/complete", .refused(503, code: "outcome_unknown", retryAfter: 20))
            let unknown = try await sample.post("/checkouts/return", back)
            #expect(unknown.status == 202 && unknown.state == "pending" && unknown.page[field: "retry-after"] == "20")
            relay.arrange("/complete", .refused(409, code: "not_ready", retryAfter: 20))
            let early = try await sample.post("/checkouts/return", back)
            #expect(early.status == 202 && early.state == "pending" && early.page[field: "retry-after"] == "20")
            #expect(relay.passed("/complete").count == 3)
            // A key that has been revoked is nothing that the app could mend.
            relay.arrange("/complete", .refused(401, code: "unauthenticated", retryAfter: 1))
            #expect(try await sample.post("/checkouts/return", back).state == "unavailable")
            #expect(try await sample.post("/checkouts/return", back).state == "paid")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `believe no webhook but those signed by a secret of theirs, now`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            // The shop's own go nowhere: what is told here is told by the test.
            let opened = try await sample.begin()
            let reference = try #require(opened.json["reference"]?.text)
            let session = try sample.shop.value("SELECT webview_session_id::text FROM webview_session")
            let secret = HostileRequests.secret
            func event(_ state: String, _ sequence: Int, session: String = session) -> String {
                let amounts = #"{"total":{"amount":"3180","currencyCode":"JPY"}}"#
                let data = #"{"reference":"\#(reference)","state":"\#(state)","amounts":\#(amounts),"charges":[]}"#
                return #"{"id":"evt_1","type":"t","sessionId":"\#(session)","sequence":\#(sequence),"data":\#(data)}"#
            }
            let paid = event("paid", 1)
            let before = sample.stateFile
            let stranger = "whsec_BBBB"
            #expect(try await sample.webhook(paid, secret: stranger) == 401)
            #expect(try await sample.webhook(paid, secret: secret, age: 600) == 401)
            #expect(try await sample.webhook(paid, secret: secret, age: -600) == 401)
            for signature in ["", "v1,", "v1", "v1,AAAA", "v2,AAAA", String(repeating: "v1,A ", count: 100)] {
                #expect(try await sample.webhook(paid, secret: secret, signature: signature) == 401, "\(signature)")
            }
            #expect(try await sample.webhook(paid + " ", secret: secret, signing: paid) == 401)
            #expect(try await sample.post("/webhooks", paid).status == 401)
            #expect(sample.stateFile == before)
            // Another's, and a test: both are fine, and neither changes anything.
            let other = event("paid", 1, session: "00000000-0000-7000-8000-000000000000")
            #expect(try await sample.webhook(other, secret: secret) == 204)
            let test = #"{"id":"evt_2","type":"webhook.test","sessionId":null,"sequence":0,"data":{}}"#
            #expect(try await sample.webhook(test, secret: secret) == 204)
            #expect(sample.stateFile == before)
            // Two keys while one is replaced; what comes late or twice has no effect.
            let pending = event("payment_pending", 2)
            #expect(try await sample.webhook(pending, secret: secret, behind: "v1,AAAA ") == 204)
            #expect(try await stored(sample, reference) == "pending")
            #expect(try await sample.webhook(event("declined", 1), secret: secret) == 204)
            #expect(try await sample.webhook(event("declined", 2), secret: secret) == 204)
            #expect(try await stored(sample, reference) == "pending")
            #expect(try await sample.webhook(event("paid", 3), secret: secret) == 204)
            #expect(try await sample.webhook(event("declined", 4), secret: secret) == 204)
            #expect(try await stored(sample, reference) == "paid")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `relay nobody else's ticket`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let opened = try await sample.begin()
            let other = try await sample.begin("two", login: "login-of-the-second-buyer")
            let link = try await sample.walk(try #require(opened.json["launchUrl"]?.text))
            let back = SampleServer.back(link)
            for login in ["login-of-the-second-buyer", "login-of-a-third-who-buys-nothing"] {
                let foreign = try await sample.post("/checkouts/return", back, login: login)
                #expect(foreign.status == 403 && foreign.state == "refused", "\(foreign.page.text)")
            }
            #expect(try await sample.post("/checkouts/return", back, login: nil).status == 401)
            #expect(try await sample.post("/checkouts/return", back, login: "short").status == 401)
            for body in ["", "[]", "{", #"{"returnTicket":7}"#, #"{"returnTicket":"swc_x","orderReferenceId":"x"}"#] {
                #expect(try await sample.post("/checkouts/return", body).status == 400, "\(body)")
            }
            let odd = back.replacing("\"orderReferenceId\":\"", with: "\"orderReferenceId\":\"../")
            #expect(try await sample.post("/checkouts/return", odd).status == 400)
            #expect(sample.relay.passed("/complete").isEmpty)
            let ticket = MerchantClient.parameter("secureWebviewSessionId", of: link)
            let wrong = #"{"returnTicket":"\#(ticket)","orderReferenceId":"S03-1"}"#
            let refused = try await sample.post("/checkouts/return", wrong)
            #expect(refused.status == 403 && refused.state == "refused", "\(refused.page.text)")
            let other64th = ticket.dropLast() + (ticket.hasSuffix("A") ? "B" : "A")
            let altered = try await sample.post("/checkouts/return", back.replacing(ticket, with: other64th))
            #expect(altered.status == 403 && altered.state == "refused", "\(altered.page.text)")
            #expect(try await sample.post("/checkouts/return", back).state == "paid")
            #expect(other.status == 201)
            #expect(try await sample.shop.effectiveCompletions() == 1)
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `take no order that is none`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let items = [
                "{}", #"{"tea":0}"#, #"{"tea":100}"#, #"{"tea":1.5}"#, #"{"tea":"2"}"#, #"{"tea":true}"#,
                #"{"gold":1}"#, "[]",
                "[1]", "7", "null", #"{"__proto__":1}"#, #"{"constructor":1}"#,
            ]
            for items in items {
                let reply = try await sample.post("/checkouts", #"{"client":"iosApp","items":\#(items)}"#, word: "w")
                #expect(reply.status == 400, "\(items) \(reply.page.text)")
            }
            #expect(try await sample.begin(client: "mobileApp").status == 400)
            #expect(try await sample.post("/checkouts", order("tea")).status == 400)
            #expect(try await sample.begin("a word").status == 400)
            #expect(try await sample.post("/checkouts", String(repeating: "[", count: 50_000), word: "w").status == 400)
            #expect(try await sample.post("/elsewhere", "{}").status == 404)
            let staff = SampleServer.staff
            #expect(try await sample.post("/orders/S-0/capture", "{}", login: staff, word: "c").status == 404)
            #expect(sample.relay.passed("").isEmpty)
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `let the buyer go on in the tab, in profile strict`(_ language: SampleLanguage) async throws {
        try await withSample(language, ["profile": "strict"]) { sample in
            let opened = try await sample.begin()
            #expect(opened.status == 201, "\(opened.page.text) \(sample.log)")
            let tab = sample.shop.tab()
            let first = SampleServer.back(try await sample.walk(try #require(opened.json["launchUrl"]?.text), tab: tab))
            sample.relay.arrange("/complete", .lost)
            let met = try await sample.post("/checkouts/return", first)
            #expect(met.status == 202 && met.state == "continue", "\(met.page.text)")
            let second = try await sample.walk(try #require(met.json["launchUrl"]?.text), tab: tab)
            let paid = try await sample.post("/checkouts/return", SampleServer.back(second))
            #expect(paid.status == 200 && paid.state == "paid", "\(paid.page.text)")
            #expect(try await sample.shop.effectiveCompletions() == 1)
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `say that a payment was declined, or that it is over`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let opened = try await sample.begin()
            let back = SampleServer.back(try await sample.walk(try #require(opened.json["launchUrl"]?.text)))
            try await sample.shop.control.fault(
                "CompleteCheckoutSession",
                ["status": 422, "reasonCode": "HardDeclined"]
            )
            let declined = try await sample.post("/checkouts/return", back)
            #expect(declined.status == 402 && declined.state == "declined", "\(declined.page.text) \(sample.log)")
            let next = try await sample.begin("two")
            let later = SampleServer.back(try await sample.walk(try #require(next.json["launchUrl"]?.text)))
            let session = try sample.shop.value(
                "SELECT webview_session_id::text FROM webview_session ORDER BY webview_session_id DESC LIMIT 1"
            )
            let merchant = try await sample.shop.merchant()
            _ = try await merchant.post("/v1/sessions/\(session)/cancel", [:])
            let over = try await sample.post("/checkouts/return", later)
            #expect(over.status == 410 && over.state == "over", "\(over.page.text)")
            #expect(try await sample.current().state == "over")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `know each checkout of a login, whichever is the newest`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            func session() throws -> String {
                try sample.shop.value(
                    "SELECT webview_session_id::text FROM webview_session ORDER BY webview_session_id DESC LIMIT 1"
                )
            }
            let opened = try await sample.begin()
            let first = try session()
            let back = SampleServer.back(try await sample.walk(try #require(opened.json["launchUrl"]?.text)))
            let paid = try await sample.post("/checkouts/return", back)
            let next = try await sample.begin("two")
            let second = try session()
            // The answer to the first was lost on its way to a phone, and another has begun the second.
            #expect(try await sample.post("/checkouts/return", back).json == paid.json)
            #expect(try await sample.current(first).json == paid.json)
            #expect(try await sample.current(second).state == "open" && first != second)
            #expect(try await sample.current(first, login: "login-of-the-second-buyer").state == "none")
            #expect(try await sample.current("00000000-0000-7000-8000-000000000000").state == "none")
            // No tab is opened anew for what has ended.
            let again = try await sample.begin()
            #expect(again.status == 409 && again.state == "paid", "\(again.page.text)")
            #expect(try await sample.begin("two").page.text == next.page.text)
            let merchant = try await sample.shop.merchant()
            _ = try await merchant.post("/v1/sessions/\(second)/cancel", [:])
            let over = try await sample.begin("two")
            #expect(over.status == 409 && over.state == "over" && over.json["launchUrl"] == nil, "\(over.page.text)")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `answer nothing that is in memory alone`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let reference = try #require(try await sample.begin().json["reference"]?.text)
            let session = try sample.shop.value("SELECT webview_session_id::text FROM webview_session")
            let data = #"{"reference":"\#(reference)","state":"paid","amounts":{},"charges":[]}"#
            let event = #"{"id":"evt_1","type":"t","sessionId":"\#(session)","sequence":1,"data":\#(data)}"#
            // The state is written beside its file first.
            try FileManager.default.createDirectory(
                atPath: sample.folder + "/state.json.new",
                withIntermediateDirectories: false
            )
            let status = try? await sample.webhook(event, secret: HostileRequests.secret)
            #expect(status == nil || status == 500)
            if language == .php {
                #expect(status == 500)
            } else {
                #expect(try sample.exit() == .code(1), "\(sample.log)")
                try await sample.start()
            }
            try FileManager.default.removeItem(atPath: sample.folder + "/state.json.new")
            #expect(try await sample.webhook(event, secret: HostileRequests.secret) == 204)
            #expect(try await stored(sample, reference) == "paid")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `take no content without an end`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let long = String(repeating: " ", count: 65_536) + "{}"
            #expect(try await sample.post("/checkouts", long, word: "w").status == 413)
            let curl = [
                "-sS", "-o", "-", "-w", "%{http_code}", "-H", "Transfer-Encoding: chunked", "-d", "{}", "-H", "Expect:",
            ]
            let plan = ChildPlan("/usr/bin/curl", curl + [sample.url + "/checkouts"], environment: [:])
            let output = String(decoding: try plan.run(atMost: Patience.usual).output, as: UTF8.self)
            #expect(output.hasSuffix("411"), "\(output)")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `end when they are told, with an answer to what they have begun`(_ language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            sample.relay.arrange("/v1/sessions", .held)
            async let opened = sample.begin()
            try await withLoop { reactor in
                try await poll(reactor, "the request") { sample.relay.passed("/v1/sessions").isEmpty ? nil : () }
            }
            try await sample.tell(.terminate)
            sample.relay.release()
            #expect(try await opened.status == 201)
            let exit = try sample.exit()
            #expect(exit == .code(0), "\(sample.log)")
        }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `do not begin without what they need, and send no key in the clear`(_ language: SampleLanguage) async throws {
        try await withTemporaryFolder { folder in
            func run(_ environment: [String: String]) throws -> String {
                try #require(Files.exists(language.interpreter), "run scripts/install-deps test")
                let plan = ChildPlan(language.interpreter, [language.file], environment: environment)
                let (exit, output) = try plan.run(atMost: Patience.usual)
                #expect(!exit.isSuccess)
                return String(decoding: output, as: UTF8.self)
            }
            let missing = try run(["PORT": "1"])
            #expect(missing.contains("SALLYPORT_URL") && missing.contains("SHOP_STATE"), "\(missing)")
            let clear = try run([
                "SALLYPORT_URL": "http://pay.example.com", "SALLYPORT_KEY": "swk_secret", "PORT": "1",
                "SHOP_STATE": folder + "/state",
            ])
            #expect(clear.contains("https") && !clear.contains("swk_secret"), "\(clear)")
        }
    }

    // MARK: Parts

    private func order(_ item: String) -> String { #"{"client":"iosApp","items":{"\#(item)":1}}"# }

    /// Calls of the provider that had an effect.
    private func effects(_ sample: SampleServer, _ operation: String) async throws -> Int {
        try await sample.shop.control.calls(operation).filter(\.isEffective).count
    }

    /// Waits until the shop has delivered all its events, and there are so many.
    private func heard(_ sample: SampleServer, _ count: Int) async throws {
        try await withLoop { reactor in
            try await poll(reactor, "\(count) events") { () throws -> Void? in
                let waiting = try sample.shop.value("SELECT count(*) FROM event_queue")
                let json = try JSONParser.parse(Array(sample.stateFile.utf8))
                let sequences = (json["checkouts"]?.members ?? []).map { $0.value["sequence"]?.integer ?? 0 }
                return waiting == "0" && sequences.max() == count ? () : nil
            }
        }
    }

    /// How an order stands in the file.
    private func stored(_ sample: SampleServer, _ reference: String) async throws -> String {
        try JSONParser.parse(Array(sample.stateFile.utf8))["checkouts"]?[reference]?["state"]?.text ?? ""
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }
}
