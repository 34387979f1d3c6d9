import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON
import TestKit
import Testing

@Suite("Hostile input")
struct HostileInputTests {
    @Test(arguments: [
        String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 10_000) + "1",
        #"{"chargeAmount":{"amount":"\#(String(repeating: "9", count: 10_000))","currencyCode":"JPY"}}"#,
        #"{"chargeAmount":"\ud800"}"#, #"{"chargeAmount":"\ud800\u0041"}"#, #"{"a\u0000":1}"#, "{\"a\":\"\u{1}\"}",
        "{\"a\":1}{", "nul", "tru", "-", "01", "1.", "1e", "+1", ".5", "[1,]", #"{"a":1,}"#, #"{"a"}"#, #"{a:1}"#,
        "'a'",
        "\u{0}", "NaN", "Infinity", "/**/{}", #""\x41""#, #""\u12""#,
    ])
    func `in a body is refused like any bad body`(body: String) {
        var bench = Bench()
        let answer = bench.send(SimulatorRequest("POST", "/v2/checkoutSessions/x/complete", body: Array(body.utf8))).0
        #expect(answer.status == 400)
        #expect(answer.reason != nil)
    }

    @Test(arguments: [
        [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0xC0, 0x80], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFE, 0xFF],
    ])
    func `that is not UTF-8 is refused`(body: [UInt8]) {
        var bench = Bench()
        let answer = bench.send(SimulatorRequest("PATCH", "/v2/checkoutSessions/x", body: body)).0
        #expect(answer.refusal == Refusal(status: 400, reason: "InvalidRequestFormat"))
    }

    @Test func `with thousands of unknown members names the first`() {
        var bench = Bench()
        let members = (0..<5000).map { JSONMember("m\($0)", 1) }
        let answer = bench.call("POST", "/v2/checkoutSessions", .object(members), key: "k")
        #expect(answer.refusal == Refusal(status: 400, reason: "UnrecognizedField"))
        #expect(answer.json["message"]?.text?.hasPrefix("m0 ") == true)
    }

    @Test(arguments: [
        "/v2/checkoutSessions/%2e%2e/%2e%2e/_sim/reset", "/v2/../_sim/reset", "/v2/checkoutSessions/\u{3042}",
        "/_sim/objects/" + String(repeating: "a", count: 10_000), "/_simx", "/_sim/..", "//_sim//reset",
        "/sandbox/_sim",
    ])
    func `in a path leads nowhere`(path: String) {
        var bench = Bench()
        let id = bench.checkOut()
        let answer = bench.send(SimulatorRequest("POST", path)).0
        #expect((400..<500).contains(answer.status))
        #expect(bench.session(id).state == "Open")
    }

    @Test(arguments: [
        "sim_hosted=x", "sim_hosted=", "sim_hosted", "=;=;;", "sim_hosted=a; sim_hosted=b",
        String(repeating: "a=b;", count: 5000),
    ])
    func `in a cookie is no visit`(cookie: String) {
        var bench = Bench()
        let answer = bench.send(SimulatorRequest("GET", "/ap/select", fields: [("cookie", cookie)])).0
        #expect(answer.status == 400)
    }

    @Test(arguments: [
        "", "X", "X PublicKeyId=", "X PublicKeyId=,", "PublicKeyId=SANDBOX-AFTESTKEY0000000000000001",
        String(repeating: "PublicKeyId=", count: 1000),
        "AMZN-PAY-RSASSA-PSS-V2 PublicKeyId=a, SignedHeaders=, Signature=",
    ])
    func `in the authorization is survived`(value: String) {
        for mode in ["off", "strict", "documented"] {
            var bench = Bench()
            bench.control("POST", "options", ["signature": .string(mode)])
            let answer = bench.call("GET", "/v2/checkoutSessions/x", fields: [("authorization", value)])
            #expect((400..<500).contains(answer.status))
        }
    }

    @Test func `at random never traps`() {
        let random = SeededRandom(seed: 20_260_314)
        var bench = Bench()
        let id = bench.checkOut()
        let targets = [
            "/v2/checkoutSessions", "/v2/checkoutSessions/\(id)", "/v2/checkoutSessions/\(id)/complete",
            "/checkout/start",
            "/ap/signin", "/ap/select", "/_sim/clock", "/_sim/faults", "/_sim/next-buyer", "/_sim/options",
            "/v2/charges",
        ]
        let alphabet = Array(#"{}[]":,\ud80019.eE-+tfn&=%"#.utf8)
        for round in 0..<2000 {
            let noise = random.bytes(64)
            let body = noise.prefix(Int(noise[0] % 64)).map { alphabet[Int($0) % alphabet.count] }
            let method = ["POST", "PATCH", "GET", "DELETE"][Int(noise[1] % 4)]
            let target = targets[round % targets.count]
            let answer = bench.send(SimulatorRequest(method, target, fields: bench.browser.fields, body: body)).0
            #expect((200..<600).contains(answer.status))
        }
    }
}
