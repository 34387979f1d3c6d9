import Primitives
import SimulatorCore
import StrictJSON
import Testing

/// A service that says of each request how many it has seen.
private struct Counting: ControlledModel {
    struct Entry: CallLogEntry {
        var number = 0
        let text: String
        var json: JSONValue { ["number": JSONValue(number), "text": .string(text)] }
    }

    static let faultRules = FaultRules(operations: ["Count", "Page"], account: "shop") { $0 == "Busy" ? 503 : nil }

    let baseURL = "https://counting.example.test"
    var realTime = WallTime(seconds: 1_800_000_000)
    var now = WallTime(seconds: 1_800_000_000)
    var isUntouched: Bool { count == 0 }
    var clock = SimulatedClock()
    var faults = FaultQueue()
    var calls = CallLog<Entry>()
    var snapshots: [String: Snapshot] = [:]
    var count = 0

    struct Snapshot {
        let count: Int
        let now: WallTime
    }

    mutating func moveTo(_ real: WallTime) {
        realTime = real
        now = clock.time(at: real)
    }

    mutating func reset() { self = Counting() }

    func snapshot() -> Snapshot { Snapshot(count: count, now: now) }

    mutating func restore(_ snapshot: Snapshot) {
        (count, now) = (snapshot.count, snapshot.now)
        clock.set(to: snapshot.now, at: realTime)
    }

    mutating func ownControl(_ request: SimulatorRequest, _ path: [String]) throws(ControlError) -> SimulatorAnswer? {
        path == ["count"] ? .json(200, ["count": JSONValue(count)]) : nil
    }

    /// How much of an answer reaches a shop; `nil` where a fault stands before the service.
    mutating func ask(_ operation: String, shop: String? = nil) -> SimulatorDelivery? {
        let fault = faults.take(operation, byNameOnly: operation == "Page", account: shop)
        if fault?.kind == .resetBefore { return nil }
        count += 1
        calls.add(Entry(text: operation))
        var answer = SimulatorAnswer.json(200, ["count": JSONValue(count)])
        return fault?.spoil(&answer) ?? .whole
    }

    /// What the control interface answers.
    mutating func tester(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        fields: [(String, String)] = [],
        mayControl: Bool = true
    ) -> (status: Int, json: JSONValue) {
        let request = SimulatorRequest(
            method,
            "/_sim/" + path,
            fields: fields.map { (name: $0.0, value: $0.1) },
            body: body?.bytes ?? [],
            mayControl: mayControl
        )
        let answer = control(request)
        return (answer.status, (try? JSONParser.parse(answer.body)) ?? .null)
    }
}

@Suite struct `The control interface of any simulator` {
    @Test func `is for the tester on this machine, whatever page a browser shows`() {
        var model = Counting()
        #expect(model.tester("GET", "health").status == 200)
        #expect(model.tester("GET", "health", mayControl: false).status == 403)
        #expect(model.tester("GET", "health", fields: [("host", "shop.example.test")]).status == 403)
        #expect(model.tester("GET", "health", fields: [("host", "counting.example.test:9443")]).status == 200)
        #expect(model.tester("POST", "reset", fields: [("origin", "https://shop.example.test")]).status == 403)
        #expect(model.tester("POST", "reset", fields: [("origin", "http://localhost:8080")]).status == 200)
        #expect(Counting.isControl(SimulatorRequest("GET", "/_sim")))
        #expect(!Counting.isControl(SimulatorRequest("GET", "/_simulation")))
    }

    @Test func `has the service's own calls behind those of every simulator`() {
        var model = Counting()
        _ = model.ask("Count")
        #expect(model.tester("GET", "count").json["count"]?.integer == 1)
        #expect(model.tester("GET", "nothing").status == 404)
        #expect(model.tester("PUT", "clock", ["advance": "PT1H"]).status == 404)
    }

    @Test func `moves the clock ahead, and back only where nothing has lived`() {
        var model = Counting()
        #expect(model.tester("POST", "clock", ["advance": "PT25H"]).json["now"]?.text == "2027-01-16T09:00:00Z")
        #expect(model.tester("POST", "clock", ["now": "2026-01-01T00:00:00Z"]).status == 200)
        _ = model.ask("Count")
        #expect(model.tester("POST", "clock", ["now": "2025-01-01T00:00:00Z"]).status == 409)
        #expect(model.tester("POST", "clock", ["now": "tomorrow"]).status == 400)
        #expect(model.tester("POST", "clock", ["now": "2027-01-01T00:00:00Z", "advance": "PT1H"]).status == 400)
        #expect(model.tester("POST", "clock", ["later": "PT1H"]).json["error"]?.text == "later is not recognized.")
        #expect(model.tester("GET", "clock").json["now"]?.text == "2026-01-01T00:00:00Z")
    }

    @Test func `hits the requests that a fault names, so often and of so much`() {
        var model = Counting()
        let match: JSONValue = ["operation": "Count", "shop": "a", "count": 2]
        let waiting = model.tester("POST", "faults", ["match": match, "action": ["truncateBody": true]]).json["waiting"]
        #expect(waiting?.elements.first?["shop"]?.text == "a")
        let delivered = ["b", "a", "a", "a"].map { model.ask("Count", shop: $0) }
        #expect(delivered == [.whole, .half, .half, .whole])

        #expect(model.tester("POST", "faults", ["action": ["resetBefore": true]]).status == 200)
        let named = model.ask("Page")
        #expect(named == .whole, "a page has to be named")
        let lost = model.ask("Count")
        #expect(lost == nil)
        #expect(model.count == 5)
    }

    @Test func `refuses a fault that would do nothing, or what the service does not have`() {
        var model = Counting()
        let bodies: [JSONValue] = [
            ["match": ["operation": "Nothing"], "action": ["delayMs": 1]],
            ["match": ["merchantId": "a"], "action": ["delayMs": 1]], ["action": .object([])],
            ["action": ["reasonCode": "Nothing"]], ["action": ["resetAfter": true, "badJson": true]],
            ["action": ["delayMs": 600_001]], ["match": ["permille": 0], "action": ["delayMs": 1]], .object([]),
        ]
        for body in bodies { #expect(model.tester("POST", "faults", body).status == 400, "\(body)") }
        #expect(model.faults.waiting.isEmpty)
        #expect(model.tester("POST", "faults", ["action": ["reasonCode": "Busy"]]).status == 200)
        #expect(model.faults.waiting.first?.kind == .refusal(status: 503, reason: "Busy"))
        #expect(model.tester("DELETE", "faults").json["waiting"]?.elements.isEmpty == true)
    }

    @Test func `shows the log of calls behind a number`() {
        var model = Counting()
        for operation in ["Count", "Page", "Count"] { _ = model.ask(operation) }
        let log = model.tester("GET", "log?since=1&limit=1").json
        #expect(log["entries"]?.elements.compactMap { $0["text"]?.text } == ["Page"])
        #expect(log["last"]?.integer == 2)
        #expect(model.tester("GET", "log?since=-1").json["entries"]?.elements.count == 3)
        #expect(model.tester("GET", "log?limit=-1").json["entries"]?.elements.count == 3)
    }

    @Test func `goes back to a state and its time`() {
        var model = Counting()
        _ = model.ask("Count")
        #expect(model.tester("POST", "snapshot", ["keep": "one"]).json["snapshots"]?.elements == ["one"])
        _ = model.ask("Count")
        _ = model.tester("POST", "clock", ["advance": "P1D"])
        let answer = model.tester("POST", "snapshot", ["restore": "one"])
        #expect(model.count == 1)
        #expect(answer.json["clock"]?["now"]?.text == "2027-01-15T08:00:00Z")
        #expect(model.tester("POST", "snapshot", ["restore": "two"]).status == 404)
        #expect(model.tester("POST", "snapshot", ["keep": "a", "drop": "b"]).status == 400)
        for number in 0..<19 { _ = model.tester("POST", "snapshot", ["keep": .string("more \(number)")]) }
        #expect(model.tester("POST", "snapshot", ["keep": "too many"]).status == 409)
        #expect(model.tester("POST", "snapshot", ["drop": "one"]).json["snapshots"]?.elements.count == 19)
    }

    @Test func `keeps the latest calls where there are more than it holds`() {
        var calls = CallLog<Counting.Entry>()
        for number in 1...(CallLog<Counting.Entry>.capacity + 2) { calls.add(.init(text: "\(number)")) }
        #expect(calls.entries(since: 0, limit: 1).map(\.text) == ["3"])
        #expect(calls.count == CallLog<Counting.Entry>.capacity + 2)
    }
}
