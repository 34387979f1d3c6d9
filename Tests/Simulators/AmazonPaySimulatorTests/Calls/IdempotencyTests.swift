import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("An idempotency key")
struct IdempotencyTests {
    @Test func `brings back the first answer, byte for byte`() {
        var bench = Bench()
        let id = bench.held()
        let first = bench.complete(id, key: "k")
        let second = bench.complete(id, key: "k")
        #expect(first.status == 200)
        #expect(second.status == 200)
        #expect(second.body == first.body)
        #expect(second.field("x-amz-pay-request-id") == first.field("x-amz-pay-request-id"))
        #expect(first.field("x-sim-replayed") == nil)
        #expect(second.field("x-sim-replayed") == "1")
        #expect(bench.effectiveCompletes(id) == 1)
        let entries = bench.ledger("CompleteCheckoutSession")
        #expect(entries.map { $0["replayed"]?.flag } == [false, true])
        #expect(entries.map { $0["effective"]?.flag } == [true, false])
        #expect(entries.map { $0["idempotencyKey"]?.text } == ["k", "k"])
    }

    @Test func `brings back a refusal that came after the checks`() {
        var bench = Bench()
        let id = bench.checkOut()
        bench.place(id)
        #expect(bench.complete(id, key: "k").status == 422)
        _ = bench.process(id)
        let again = bench.complete(id, key: "k")
        #expect(again.refusal == Refusal(status: 422, reason: "InvalidCheckoutSessionStatus"))
        #expect(again.field("x-sim-replayed") == "1")
        #expect(bench.complete(id, key: "k2").status == 200)
    }

    @Test func `keeps nothing of a refusal by the checks`() {
        var bench = Bench()
        let id = bench.held()
        let path = "/v2/checkoutSessions/\(id)/complete"
        #expect(bench.call("POST", path, ["unknown": 1], key: "k").status == 400)
        #expect(bench.complete(id, key: "k").status == 200)
    }

    @Test func `is refused with anything else`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.complete(id, 1, key: "k")
        #expect(bench.complete(id, key: "k").refusal == Refusal(status: 400, reason: "DuplicateIdempotencyKey"))
        let other = bench.call("POST", "/v2/checkoutSessions", Bench.payload, key: "k")
        #expect(other.refusal == Refusal(status: 400, reason: "DuplicateIdempotencyKey"))
    }

    @Test func `stands for one operation where an option says so, and for its request still`() {
        var bench = Bench()
        let id = bench.held()
        bench.control("POST", "options", ["idempotencyScope": "operation"])
        #expect(bench.complete(id, key: "k").status == 200)
        #expect(bench.call("POST", "/v2/checkoutSessions", Bench.payload, key: "k").status == 201)
        #expect(bench.complete(id, key: "k").field("x-sim-replayed") == "1")
        #expect(bench.complete(id, 1, key: "k").refusal == Refusal(status: 400, reason: "DuplicateIdempotencyKey"))
    }

    @Test func `means nothing on GET, PATCH and DELETE`() {
        var bench = Bench()
        let path = "/v2/checkoutSessions/" + bench.checkOut()
        #expect(bench.call("GET", path, key: "k").status == 200)
        let one: JSONValue = ["merchantMetadata": ["noteToBuyer": "1"]]
        let two: JSONValue = ["merchantMetadata": ["noteToBuyer": "2"]]
        #expect(bench.call("PATCH", path, one, key: "k").status == 200)
        #expect(bench.call("PATCH", path, two, key: "k").json[path: "merchantMetadata.noteToBuyer"]?.text == "2")
    }

    @Test func `belongs to one merchant`() {
        var bench = Bench()
        #expect(bench.call("POST", "/v2/checkoutSessions", Bench.payload, key: "k").status == 201)
        var payload = Bench.payload.members
        payload[1].value = "amzn1.application-oa2-client.00000000000000000000000000000002"
        let stranger = [
            (
                name: "authorization",
                value: "X PublicKeyId=SANDBOX-BFTESTKEY0000000000000002, SignedHeaders=a, Signature=b"
            )
        ]
        let answer = bench.call("POST", "/v2/checkoutSessions", .object(payload), key: "k", fields: stranger)
        #expect(answer.status == 201)
        #expect(answer.field("x-sim-replayed") == nil)
    }

    @Test func `a concurrent twin waits for the first`() throws {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["processingMs": 500])
        let body: JSONValue = ["chargeAmount": Bench.price(27_996)]
        let request = bench.request("POST", "/v2/checkoutSessions/\(id)/complete", body, key: "k")
        guard case .pause(let work, let first) = bench.model.receive(request, at: bench.now),
            case .pause(let patience, let twin) = bench.model.receive(request, at: bench.now)
        else {
            Issue.record("neither waits")
            return
        }
        #expect(work == .milliseconds(500))
        #expect(patience > work)
        // The twin that comes too early waits once more.
        guard case .pause(_, let again) = bench.model.resume(twin, at: bench.now) else {
            Issue.record("the twin did not wait")
            return
        }
        guard case .answer(let one, .whole) = bench.model.resume(first, at: bench.now + work),
            case .answer(let two, .whole) = bench.model.resume(again, at: bench.now + patience)
        else {
            Issue.record("an answer is missing")
            return
        }
        #expect(one.status == 200)
        #expect(two.body == one.body)
        #expect(two.first("x-sim-replayed") == "1")
        #expect(bench.effectiveCompletes(id) == 1)
    }

    @Test func `a thousand sessions at once stay apart`() {
        var bench = Bench()
        let ids = (0..<1000).map { _ in bench.heldByAutopilot() }
        #expect(Set(ids).count == 1000)
        for isReplay in [false, true] {
            var right = 0
            for (index, id) in ids.enumerated() {
                let answer = bench.complete(id, key: "key-of-\(index)")
                let isOwn = answer.status == 200 && answer.json["checkoutSessionId"]?.text == id
                if isOwn, (answer.field("x-sim-replayed") != nil) == isReplay { right += 1 }
            }
            #expect(right == 1000)
        }
        let state = bench.control("GET", "state").json
        #expect(state[path: "counts.charges"]?.integer == 1000)
    }
}

extension Bench {
    /// A held session by one request chain, as a load generator makes them.
    mutating func heldByAutopilot() -> String {
        control("POST", "next-buyer", .object([]))
        browser = Browser()
        let arrived = follow(post("/checkout/start", Bench.startForm()))
        let id = Bench.sessionID(in: arrived.location)
        place(id)
        _ = process(id)
        return id
    }
}
