import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("A fault")
struct FaultTests {
    @Test(arguments: [
        (400, "InvalidRequest"), (429, "TooManyRequests"), (500, "InternalServerError"), (500, "ProcessingFailure"),
        (503, "ServiceUnavailable"), (502, nil), (504, nil), (408, "RequestTimeout"), (425, nil),
    ])
    func `answers in place of the service, without effect`(status: Int, reason: String?) {
        var bench = Bench()
        let id = bench.held()
        var action: [JSONMember] = [JSONMember("status", JSONValue(status))]
        if let reason { action.append(JSONMember("reasonCode", .string(reason))) }
        #expect(bench.addFault("CompleteCheckoutSession", .object(action)).status == 200)
        let answer = bench.complete(id, key: "k")
        #expect(answer.status == status)
        #expect(answer.reason == reason ?? "ServiceUnavailable")
        #expect(bench.effectiveCompletes(id) == 0)
        // The same key goes through afterwards.
        #expect(bench.complete(id, key: "k").status == 200)
    }

    @Test func `finds the status of a reason code by itself`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["reasonCode": "SoftDeclined"])
        #expect(bench.complete(id).refusal == Refusal(status: 422, reason: "SoftDeclined"))
    }

    @Test func `loses the request`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["resetBefore": true])
        let (_, delivery) = bench.sendComplete(id, key: "k")
        #expect(delivery == .nothing)
        #expect(bench.effectiveCompletes(id) == 0)
        #expect(bench.session(id).state == "Open")
    }

    @Test func `loses the answer of an effect that is done`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["resetAfter": true])
        let (_, delivery) = bench.sendComplete(id, key: "k")
        #expect(delivery == .nothing)
        #expect(bench.effectiveCompletes(id) == 1)
        let entry = bench.ledger("CompleteCheckoutSession").first
        #expect(entry?["delivered"]?.flag == false)
        #expect(entry?["fault"]?.text == "resetAfter")
        #expect(entry?["status"]?.integer == 200)
        // The retry with the same key gets the answer, with another key it does not.
        let retry = bench.complete(id, key: "k")
        #expect(retry.status == 200)
        #expect(retry.field("x-sim-replayed") == "1")
        #expect(bench.complete(id, key: "k2").status == 422)
        #expect(bench.effectiveCompletes(id) == 1)
    }

    @Test func `cuts the answer in half`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["truncateBody": true])
        #expect(bench.sendComplete(id, key: "k").1 == .half)
        #expect(bench.effectiveCompletes(id) == 1)
    }

    @Test func `lets the answer come in two parts`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["slowBodyMs": 700])
        let (answer, delivery) = bench.sendComplete(id, key: "k")
        #expect(delivery == .slow(.milliseconds(700)))
        #expect(answer.status == 200)
        #expect(bench.effectiveCompletes(id) == 1)
        #expect(bench.ledger("CompleteCheckoutSession").first?["delivered"]?.flag == true)
    }

    @Test func `hits by chance, the same ones for the same seed`() {
        func hits(_ seed: String, permille: Int = 200) -> [Bool] {
            var bench = Bench()
            let match: JSONValue = [
                "operation": "GetCharge", "count": 1000, "permille": JSONValue(permille), "seed": .string(seed),
            ]
            bench.control("POST", "faults", ["match": match, "action": ["status": 503]])
            return (0..<500).map { _ in bench.call("GET", "/v2/charges/x").status == 503 }
        }
        let first = hits("a")
        #expect((70...130).contains(first.count { $0 }))
        #expect(hits("a") == first)
        #expect(hits("b") != first)
        #expect(hits("a", permille: 1000).allSatisfy { $0 })
    }

    @Test func `that does not hit leaves its turn to the next`() {
        var bench = Bench()
        let rare: JSONValue = ["permille": 1, "count": 1]
        bench.control("POST", "faults", ["match": rare, "action": ["status": 500]])
        bench.control("POST", "faults", ["action": ["status": 503]])
        #expect(bench.call("GET", "/v2/charges/x").status == 503)
        #expect(bench.control("GET", "faults").json["waiting"]?.elements.count == 1)
    }

    @Test func `puts a gateway's page in place of the answer`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["htmlBody": true, "status": 502])
        let before = bench.complete(id, key: "k")
        #expect(before.status == 502)
        #expect(before.field("content-type") == "text/html")
        #expect(bench.effectiveCompletes(id) == 0)
        _ = bench.addFault("CompleteCheckoutSession", ["htmlBody": true])
        let after = bench.complete(id, key: "k")
        #expect(after.status == 200)
        #expect(after.text.hasPrefix("<html>"))
        #expect(bench.effectiveCompletes(id) == 1)
    }

    @Test func `spoils the answer's content or type`() {
        var bench = Bench()
        let path = "/v2/checkoutSessions/" + bench.checkOut()
        _ = bench.addFault("GetCheckoutSession", ["badJson": true])
        let bad = bench.call("GET", path)
        #expect(bad.status == 200)
        #expect(bad.json == .null)
        _ = bench.addFault("GetCheckoutSession", ["wrongContentType": true])
        let wrong = bench.call("GET", path)
        #expect(wrong.field("content-type") == "text/html; charset=utf-8")
        #expect(wrong.json.state == "Open")
    }

    @Test func `waits before the service`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["delayMs": 1500])
        let start = bench.now
        #expect(bench.complete(id).status == 200)
        #expect(bench.now == start + .milliseconds(1500))
    }

    @Test func `waits and then goes wrong`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["delayMs": 10, "processingMs": 20, "resetAfter": true])
        let start = bench.now
        #expect(bench.sendComplete(id, key: "k").1 == .nothing)
        #expect(bench.now == start + .milliseconds(30))
        #expect(bench.effectiveCompletes(id) == 1)
    }

    @Test func `hits as many requests as it says, of its operation and merchant only`() {
        var bench = Bench()
        let path = "/v2/checkoutSessions/" + bench.checkOut()
        _ = bench.addFault("GetCheckoutSession", ["status": 503], count: 2)
        #expect(bench.call("PATCH", path, .object([])).status == 200)
        #expect((0..<3).map { _ in bench.call("GET", path).status } == [503, 503, 200])
        let match: JSONValue = ["operation": "GetCheckoutSession", "merchantId": "A2EXAMPLE00002"]
        bench.control("POST", "faults", ["match": match, "action": ["status": 503]])
        #expect(bench.call("GET", path).status == 200)
        #expect(bench.control("GET", "faults").json["waiting"]?.elements.count == 1)
        #expect(bench.control("DELETE", "faults").json["waiting"]?.elements.isEmpty == true)
    }

    @Test func `without an operation hits the next call of the API, not a page`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.control("POST", "faults", ["action": ["status": 500]])
        #expect(bench.get("/ap/error?code=AnotherBuyer").status == 403)
        #expect(bench.call("GET", "/v2/checkoutSessions/" + id).status == 500)
    }

    @Test func `hits a hosted page that it names`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id)
        _ = bench.addFault("Processing", ["status": 503])
        #expect(bench.process(id).status == 503)
        _ = bench.addFault("Processing", ["resetAfter": true])
        #expect(bench.send(SimulatorRequest("GET", "/checkout/processing", fields: bench.browser.fields)).1 == .nothing)
    }

    @Test func `lets the bank decline softly, so that another card is chosen`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id)
        _ = bench.addFault("Processing", ["reasonCode": "SoftDeclined"])
        let answer = bench.process(id)
        #expect(answer.location == "/ap/select")
        let page = bench.follow(answer)
        #expect(page.text.contains("card-4444"))
        #expect(!page.text.contains("addressId"))
        let done = bench.follow(bench.post("/ap/select", [("cardId", "card-4444"), ("action", "continue")]))
        #expect(done.location == Bench.result + "?amazonCheckoutSessionId=" + id)
        #expect(bench.complete(id).status == 200)
    }

    @Test func `for an operation that does not exist names those that do`() {
        var bench = Bench()
        let body = #"{"match":{"operation":"Nonsense"},"action":{"status":500}}"#
        let answer = bench.send(SimulatorRequest("POST", "/_sim/faults", body: Array(body.utf8))).0
        for name in ["CompleteCheckoutSession", "CreateRefund", "Processing", "CheckoutStart"] {
            #expect(answer.json["error"]?.text?.contains(name) == true, "\(answer.json)")
        }
    }

    @Test(arguments: [
        #"{"action":{}}"#, #"{"match":{"operation":"Nonsense"},"action":{"status":500}}"#, #"{}"#, #"[1]"#,
        #"{"action":{"status":99}}"#, #"{"action":{"status":"x"}}"#, #"{"action":{"delayMs":600001}}"#,
        #"{"action":{"resetBefore":true,"resetAfter":true}}"#, #"{"action":{"reasonCode":"Unknown"}}"#,
        #"{"action":{"explode":true}}"#, "nonsense", #"{"action":{"slowBodyMs":600001}}"#,
        #"{"action":{"slowBodyMs":5,"badJson":true}}"#, #"{"match":{"permille":0},"action":{"status":500}}"#,
        #"{"match":{"permille":1001},"action":{"status":500}}"#, #"{"match":{"permille":"x"},"action":{"status":500}}"#,
    ])
    func `that makes no sense is refused`(body: String) {
        var bench = Bench()
        let answer = bench.send(SimulatorRequest("POST", "/_sim/faults", body: Array(body.utf8))).0
        #expect(answer.status == 400)
        #expect(answer.json["error"]?.text?.isEmpty == false)
    }
}

extension Bench {
    mutating func sendComplete(_ id: String, key: String) -> (Answer, SimulatorDelivery) {
        send(
            request(
                "POST",
                "/v2/checkoutSessions/\(id)/complete",
                ["chargeAmount": Bench.price(27_996)],
                key: key
            )
        )
    }
}
