import AmazonPaySimulator
import HTTPCore
import HTTPServer
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("The control interface")
struct ControlTests {
    @Test func `shows health, state, objects and the log`() {
        var bench = Bench()
        #expect(bench.control("GET", "health").json["status"]?.text == "ok")
        let paid = bench.paid()
        let state = bench.control("GET", "state").json
        #expect(state[path: "counts.charges"]?.integer == 1)
        let session = state["checkoutSessions"]?.elements.first
        #expect(session?["checkoutSessionId"]?.text == paid.session)
        #expect(session?["merchantReferenceId"]?.text == "flow-1")
        #expect(session?.description.contains(#""customInformation":null"#) == true)
        #expect(session?["effectiveCompletes"]?.integer == 1)
        #expect(bench.object(paid.session)[path: "_sim.buyer"]?.text == "tokyo@example.test")
        #expect(bench.object(paid.permission)[path: "_sim.chargeIds"]?.elements == [.string(paid.charge)])
        #expect(bench.object(paid.charge)["chargeId"]?.text == paid.charge)
        #expect(bench.control("GET", "objects/nothing").status == 404)
        #expect(bench.control("GET", "nothing").status == 404)
    }

    @Test func `keeps a ledger of every call`() throws {
        var bench = Bench()
        let paid = bench.paid()
        _ = bench.complete(paid.session, key: "second")
        let log = bench.control("GET", "log").json
        let entries = log["entries"]?.elements ?? []
        #expect(
            entries.map { $0["operation"]?.text } == [
                "UpdateCheckoutSession", "CompleteCheckoutSession", "CompleteCheckoutSession",
            ]
        )
        let first = try #require(entries.dropFirst().first)
        #expect(first["checkoutSessionId"]?.text == paid.session)
        #expect(first["chargePermissionId"]?.text == paid.permission)
        #expect(first["chargeId"]?.text == paid.charge)
        #expect(first[path: "amount.amount"]?.text == "27996")
        #expect(first["merchantId"]?.text == Bench.merchantID)
        #expect(first["status"]?.integer == 200)
        #expect(first["effective"]?.flag == true)
        #expect(first["time"]?.text == "2026-03-14T01:59:26Z")
        let second = try #require(entries.last)
        #expect(second["status"]?.integer == 422)
        #expect(second["reasonCode"]?.text == "InvalidCheckoutSessionStatus")
        #expect(second["effective"]?.flag == false)
        #expect(second["idempotencyKey"]?.text == "second")
        #expect(log["effectiveCompletes"]?[paid.session]?.integer == 1)
        // Nothing of the buyer is in it.
        let text = String(decoding: log.bytes, as: UTF8.self)
        #expect(!text.contains("見本") && !text.contains("@example.test") && !text.contains("153-0064"))
        let rest = bench.call("GET", "/_sim/log?since=2").json["entries"]?.elements
        #expect(rest?.count == 1)
        #expect(bench.call("GET", "/_sim/log?limit=1").json["last"]?.integer == 1)
        #expect(bench.call("GET", "/_sim/log?since=99").json["entries"]?.elements.isEmpty == true)
    }

    @Test func `forgets everything on reset but keeps the set-up`() {
        var bench = Bench()
        let id = bench.held()
        bench.control("POST", "options", ["quota": "live", "redirect": "tap"])
        bench.control("POST", "next-buyer", .object([]))
        bench.advance("PT1H")
        #expect(bench.control("POST", "reset").status == 200)
        #expect(bench.call("GET", "/v2/checkoutSessions/" + id).status == 404)
        let state = bench.control("GET", "state").json
        #expect(state[path: "counts.nextBuyers"]?.integer == 0)
        #expect(state[path: "options.redirect"]?.text == "http")
        #expect(state[path: "clock.now"]?.text == "2026-03-14T01:59:26Z")
        // Ids go on: none comes twice in a run.
        #expect(bench.checkOut() != id)
    }

    @Test(arguments: [
        (#"{"advance":"PT25H"}"#, "2026-03-15T02:59:26Z"), (#"{"now":"2026-04-01T00:00:00Z"}"#, "2026-04-01T00:00:00Z"),
        (#"{"now":"20260401T000000Z"}"#, "2026-04-01T00:00:00Z"),
    ])
    func `moves the clock`(body: String, now: String) {
        var bench = Bench()
        let answer = bench.send(SimulatorRequest("POST", "/_sim/clock", body: Array(body.utf8))).0
        #expect(answer.json["now"]?.text == now)
        #expect(answer.json["real"]?.text == "2026-03-14T01:59:26Z")
        #expect(bench.control("GET", "clock").json["now"]?.text == now)
    }

    @Test func `moves the clock back only while nothing has happened`() {
        var bench = Bench()
        #expect(bench.control("POST", "clock", ["now": "2020-01-01T00:00:00Z"]).status == 200)
        _ = bench.checkOut()
        #expect(bench.control("POST", "clock", ["now": "2019-01-01T00:00:00Z"]).status == 409)
    }

    @Test(arguments: [
        "{}", #"{"advance":"25H"}"#, #"{"advance":"P1Y"}"#, #"{"now":"yesterday"}"#, #"{"now":1}"#, "",
        #"{"now":"2026-02-30T00:00:00Z"}"#, #"{"now":"2026-04-01T00:00:00Z","advance":"PT1H"}"#,
        #"{"advance":"-PT1H"}"#,
    ])
    func `refuses a clock that it does not understand`(body: String) {
        var bench = Bench()
        #expect(bench.send(SimulatorRequest("POST", "/_sim/clock", body: Array(body.utf8))).0.status == 400)
    }

    @Test(arguments: [
        #"{"redirect":"fly"}"#, #"{"signature":"maybe"}"#, #"{"quota":1}"#, #"{"quota":"no"}"#, #"{"unknown":true}"#,
        "[]",
        #"{"refundDelay":"5 s"}"#, #"{"bankDelay":"soon"}"#,
    ])
    func `refuses an option that it does not know`(body: String) {
        var bench = Bench()
        #expect(bench.send(SimulatorRequest("POST", "/_sim/options", body: Array(body.utf8))).0.status == 400)
    }

    @Test(arguments: [
        #"{"email":"nobody@example.test"}"#, #"{"addressId":"moon"}"#, #"{"cardId":"card-1"}"#,
        #"{"answers":["love"]}"#,
        #"{"count":-1}"#, #"{"more":1}"#,
    ])
    func `refuses a next buyer who does not exist`(body: String) {
        var bench = Bench()
        #expect(bench.send(SimulatorRequest("POST", "/_sim/next-buyer", body: Array(body.utf8))).0.status == 400)
    }

    @Test func `names every operation where a fault is for one that does not exist`() {
        var bench = Bench()
        let error = bench.addFault("Nothing", ["status": 503]).json["error"]?.text ?? ""
        for name in ["CompleteCheckoutSession", "GetBuyer", "Processing", "CheckoutStart"] {
            #expect(error.contains(name), "\(error)")
        }
    }

    @Test func `forces states forwards only`() {
        var bench = Bench()
        let paid = bench.paid()
        let charge = "charges/\(paid.charge)/state"
        #expect(bench.control("POST", charge, ["state": "Captured", "amount": Bench.price(27_997)]).status == 400)
        let captured = bench.control("POST", charge, ["state": "Captured", "amount": Bench.price(20_000)])
        #expect(captured.json.state == "Captured")
        #expect(captured.json[path: "captureAmount.amount"]?.text == "20000")
        for state in ["Authorized", "CaptureInitiated", "Captured"] {
            #expect(bench.control("POST", charge, ["state": .string(state)]).status == 409)
        }
        let refund = bench.refund(paid.charge, 100).json["refundId"]?.text ?? ""
        #expect(bench.control("POST", "refunds/\(refund)/state", ["state": "Refunded"]).json.state == "Refunded")
        let late: JSONValue = ["state": "Declined", "reasonCode": "AmazonRejected"]
        #expect(bench.control("POST", "refunds/\(refund)/state", late).status == 409)
        let cancel: JSONValue = ["state": "Canceled", "reasonCode": "AmazonCanceled"]
        #expect(bench.control("POST", "sessions/\(paid.session)/state", cancel).status == 409)
        let close: JSONValue = ["state": "Closed", "reasonCode": "BuyerClosed"]
        let permission = "permissions/\(paid.permission)/state"
        #expect(bench.control("POST", permission, close).json.state == "Closed")
        #expect(bench.control("POST", permission, ["state": "Chargeable"]).status == 409)
    }

    @Test(
        arguments: [
            ("charges", #"{"state":"Lost"}"#, 400), ("charges", #"{"state":"Declined"}"#, 400),
            ("charges", #"{"state":"Declined","reasonCode":"BuyerCanceled"}"#, 400),
            ("charges", #"{"state":"Canceled","reasonCode":"SoftDeclined"}"#, 400),
            ("charges", #"{"state":"Declined","reasonCodes":["SoftDeclined","HardDeclined"]}"#, 400),
            ("charges", #"{}"#, 400), ("charges", #"{"state":"Declined","more":1}"#, 400),
            ("refunds", #"{"state":"Refunded"}"#, 404), ("permissions", #"{"state":"Chargeable"}"#, 404),
            ("sessions", #"{"state":"Canceled","reasonCode":"Expired"}"#, 404),
            ("buyers", #"{"state":"Canceled"}"#, 404),
        ] as [(String, String, Int)]
    )
    func `refuses a state that it cannot force`(kind: String, body: String, status: Int) {
        var bench = Bench()
        let paid = bench.paid()
        let request = SimulatorRequest("POST", "/_sim/\(kind)/\(paid.charge)/state", body: Array(body.utf8))
        #expect(bench.send(request).0.status == status)
        #expect(bench.object(paid.charge).state == "Authorized")
    }

    @Test func `takes several obstacles at once`() {
        var bench = Bench()
        let id = bench.confirmed()
        let body: JSONValue = ["state": "NonChargeable", "reasonCodes": ["MFAFailed", "PaymentMethodNotSet"]]
        let object = bench.control("POST", "permissions/\(id)/state", body).json
        let reasons = object[path: "statusDetails.reasons"]?.elements.map { $0["reasonCode"]?.text }
        #expect(reasons == ["PaymentMethodNotSet", "MFAFailed"])
    }

    @Test func `goes back to a snapshot`() throws {
        var bench = Bench()
        let id = bench.held()
        bench.control("POST", "options", ["redirect": "tap"])
        #expect(bench.control("POST", "snapshot", ["keep": "held"]).status == 200)
        let first = bench.complete(id, key: "once")
        bench.advance("PT25H")
        bench.control("POST", "options", ["redirect": "http"])
        let back = bench.control("POST", "snapshot", ["restore": "held"])
        #expect(back.json[path: "clock.now"]?.text == "2026-03-14T01:59:26Z")
        #expect(bench.control("GET", "options").json["redirect"]?.text == "tap")
        #expect(bench.session(id).state == "Open")
        // The key is as fresh as it was, and no id comes twice.
        let second = bench.complete(id, key: "once")
        #expect(second.status == 200)
        #expect(second.field("x-sim-replayed") == nil)
        #expect(second.json["chargeId"] != first.json["chargeId"])
        // What was called was called.
        #expect(bench.ledger("CompleteCheckoutSession").count == 2)
        #expect(bench.control("POST", "snapshot", ["restore": "held"]).status == 200)
        #expect(bench.session(id).state == "Open")
    }

    @Test func `keeps a snapshot without the requests that are under way`() {
        var bench = Bench()
        let id = bench.held()
        _ = bench.addFault("CompleteCheckoutSession", ["processingMs": 60_000])
        let body: JSONValue = ["chargeAmount": Bench.price(27_996)]
        let request = bench.request("POST", "/v2/checkoutSessions/\(id)/complete", body, key: "k")
        _ = bench.model.receive(request, at: bench.now)
        bench.control("POST", "snapshot", ["keep": "a"])
        bench.control("POST", "snapshot", ["restore": "a"])
        let start = bench.now
        #expect(bench.send(request).0.status == 200)
        #expect(bench.now == start)
    }

    @Test(arguments: [
        ("{}", 400), (#"{"restore":"nothing"}"#, 404), (#"{"keep":"a","drop":"a"}"#, 400), (#"{"drop":"a"}"#, 200),
        (#"{"keep":1}"#, 400),
    ])
    func `takes one wish about snapshots at a time`(body: String, status: Int) {
        var bench = Bench()
        #expect(bench.send(SimulatorRequest("POST", "/_sim/snapshot", body: Array(body.utf8))).0.status == status)
    }

    @Test func `keeps twenty snapshots at most`() {
        var bench = Bench()
        for number in 0..<20 { bench.control("POST", "snapshot", ["keep": .string("s\(number)")]) }
        #expect(bench.control("POST", "snapshot", ["keep": "more"]).status == 409)
        #expect(bench.control("POST", "snapshot", ["keep": "s3"]).status == 200)
        bench.control("POST", "snapshot", ["drop": "s3"])
        #expect(bench.control("POST", "snapshot", ["keep": "more"]).status == 200)
        bench.control("POST", "reset")
        #expect(bench.control("GET", "snapshot").json["snapshots"]?.elements.isEmpty == true)
    }

    @Test(
        arguments: [
            (0x7F00_0001, [], true), (0xAC12_0001, [], false), (0xAC12_0001, ["172.16.0.0/12"], true),
            (0xC000_0207, ["172.16.0.0/12"], false), (0xC000_0207, ["172.16.0.0/12", "192.0.2.7"], true),
        ] as [(UInt32, [String], Bool)]
    )
    func `is for other machines where an operator names them`(peer: UInt32, networks: [String], isLetIn: Bool) throws {
        let request = try #require(HTTPRequest(.get, "/_sim/health"))
        request.peer = PeerAddress(ipv4: peer)
        let testers = networks.compactMap(NetworkPrefix.init)
        #expect(testers.count == networks.count)
        var bench = Bench()
        let answer = bench.send(SimulatorRequest(request, reading: [], testers: testers)).0
        #expect(answer.status == (isLetIn ? 200 : 403))
    }

    @Test func `is for this machine only`() {
        var bench = Bench()
        let foreign = SimulatorRequest("GET", "/_sim/health", mayControl: false)
        #expect(bench.send(foreign).0.status == 403)
    }

    @Test(
        arguments: [
            ("localhost:9443", nil, 200), ("127.0.0.1:9443", nil, 200), ("[::1]:9443", nil, 200),
            ("sim.example.test", nil, 200), ("evil.example.test", nil, 403), ("localhost.evil.test", nil, 403),
            ("localhost", "https://evil.example.test", 403), ("localhost", "null", 403),
            ("localhost", "https://localhost:8443", 200),
        ] as [(String, String?, Int)]
    )
    func `is out of reach for pages of other sites`(host: String, origin: String?, status: Int) {
        var bench = Bench()
        var fields = [(name: "host", value: host)]
        if let origin { fields.append(("origin", origin)) }
        #expect(bench.send(SimulatorRequest("POST", "/_sim/reset", fields: fields)).0.status == status)
    }
}
