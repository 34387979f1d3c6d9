import AmazonPaySimulator
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON
import Testing

/// Something that takes requests: the model itself, or a simulator on a socket.
protocol RowDriver {
    func send(
        _ method: String,
        _ target: String,
        _ fields: [(name: String, value: String)],
        _ body: [UInt8]
    ) async throws -> RowAnswer
}

/// What came back.
struct RowAnswer {
    let status: Int
    let json: JSONValue
    let location: String?
    let cookie: String?
    let warning: String?

    var refusal: Refusal { Refusal(status: status, reason: json["reasonCode"]?.text) }
}

final class ModelDriver: RowDriver {
    private var bench = Bench()

    func send(
        _ method: String,
        _ target: String,
        _ fields: [(name: String, value: String)],
        _ body: [UInt8]
    ) async throws -> RowAnswer {
        let (answer, _) = bench.send(SimulatorRequest(method, target, fields: fields, body: body))
        return RowAnswer(
            status: answer.status,
            json: answer.json,
            location: answer.location,
            cookie: answer.field("set-cookie"),
            warning: answer.field("x-sim-warning")
        )
    }
}

struct WireDriver: RowDriver {
    let bench: WireBench

    func send(
        _ method: String,
        _ target: String,
        _ fields: [(name: String, value: String)],
        _ body: [UInt8]
    ) async throws -> RowAnswer {
        let answer = try await bench.send(method, target, fields: fields.map { ($0.name, $0.value) }, body: body)
        return RowAnswer(
            status: answer.status,
            json: (try? JSONParser.parse(answer.body)) ?? .null,
            location: answer.first("location"),
            cookie: answer.first("set-cookie"),
            warning: answer.first("x-sim-warning")
        )
    }
}

/// A merchant and a buyer who play the same steps against the model and over a socket.
final class RowShop {
    private let driver: any RowDriver
    private var keys = 0

    init(_ driver: any RowDriver) {
        self.driver = driver
    }

    // MARK: Calls

    @discardableResult
    func call(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        simulation: String? = nil
    ) async throws -> RowAnswer {
        var fields: [(name: String, value: String)] = [("content-type", "application/json")]
        if let simulation { fields.append(("x-amz-pay-simulation-code", simulation)) }
        if method == "POST" {
            keys += 1
            fields.append(("x-amz-pay-idempotency-key", "row-\(keys)"))
        }
        return try await driver.send(method, "/v2/" + path, fields, body?.bytes ?? [])
    }

    @discardableResult
    func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> RowAnswer {
        try await driver.send(method, "/_sim/" + path, [("content-type", "application/json")], body?.bytes ?? [])
    }

    func advance(_ duration: String) async throws {
        try await control("POST", "clock", ["advance": .string(duration)])
    }

    @discardableResult
    func force(_ object: String, _ state: String, _ reason: String? = nil) async throws -> RowAnswer {
        let answer = try await control(
            "POST",
            object + "/state",
            ["state": .string(state), "reasonCode": JSONValue(reason)]
        )
        #expect(answer.status == 200, "\(answer.json)")
        return answer
    }

    func get(_ path: String) async throws -> JSONValue {
        try await call("GET", path).json
    }

    // MARK: The buyer

    /// Follows redirects inside the simulator.
    ///
    /// - Returns: The first URL outside.
    func follow(_ method: String, _ target: String, _ form: [(String, String)] = []) async throws -> String {
        var (method, target, body) = (method, target, Bench.encoded(form))
        var browser = Browser()
        for _ in 0..<20 {
            let type = body.isEmpty ? [] : [(name: "content-type", value: "application/x-www-form-urlencoded")]
            let answer = try await driver.send(method, target, browser.fields + type, body)
            if let cookie = answer.cookie { browser.take(cookie) }
            guard let location = answer.location else { return "\(answer.status)" }
            guard location.hasPrefix("/") else { return location }
            (method, target, body) = ("GET", location, [])
        }
        return ""
    }

    /// Goes from a button to where the buyer leaves the hosted pages.
    func start(
        _ payload: JSONValue,
        product: String = "PayAndShip",
        card: String = "card-1111"
    ) async throws -> String {
        try await control("POST", "next-buyer", ["cardId": .string(card), "count": 1])
        let form = Bench.startForm(payload, changing: ["productType": product])
        return try await follow("POST", "/checkout/start", form)
    }

    /// A session whose buyer is back at the review page.
    func reviewed(card: String = "card-1111") async throws -> String {
        Bench.sessionID(in: try await start(Bench.payload, card: card))
    }

    /// A session whose buyer has been through the processing page.
    func held(_ payment: JSONValue = Bench.payment(10_000), card: String = "card-1111") async throws -> String {
        let id = try await reviewed(card: card)
        try await place(id, payment)
        try await process(id)
        return id
    }

    func place(_ id: String, _ payment: JSONValue = Bench.payment(10_000)) async throws {
        try await call(
            "PATCH",
            "checkoutSessions/" + id,
            ["webCheckoutDetails": ["checkoutResultReturnUrl": .string(Bench.result)], "paymentDetails": payment]
        )
    }

    func process(_ id: String) async throws {
        try await control("POST", "next-buyer", .object([]))
        _ = try await follow("GET", "/checkout/processing?amazonCheckoutSessionId=" + id)
    }

    func complete(_ id: String, _ yen: Int = 10_000, simulation: String? = nil) async throws -> RowAnswer {
        try await call(
            "POST",
            "checkoutSessions/\(id)/complete",
            ["chargeAmount": Bench.price(yen)],
            simulation: simulation
        )
    }

    // MARK: Objects in a state

    /// A permission without a limit and without a charge.
    func confirmed() async throws -> String {
        let id = try await held(["paymentIntent": "Confirm"])
        let done = try await call("POST", "checkoutSessions/\(id)/complete", .object([]))
        return done.json["chargePermissionId"]?.text ?? ""
    }

    func charge(
        _ permission: String,
        _ yen: Int,
        simulation: String? = nil,
        now: Bool = false
    ) async throws -> RowAnswer {
        let body: JSONValue = [
            "chargePermissionId": .string(permission), "chargeAmount": Bench.price(yen), "captureNow": .bool(now),
        ]
        return try await call("POST", "charges", body, simulation: simulation)
    }

    /// A charge in a state.
    func charge(in state: String) async throws -> String {
        if state == "AuthorizationInitiated" {
            let id = try await held(Bench.payment(10_000, pending: true), card: "card-0701")
            return try await complete(id).json["chargeId"]?.text ?? ""
        }
        let id = try await complete(try await held()).json["chargeId"]?.text ?? ""
        switch state {
        case "CaptureInitiated":
            try await advance("P8D")
            try await capture(id)
        case "Captured": try await capture(id)
        case "Canceled": try await call("DELETE", "charges/\(id)/cancel")
        case "Declined": try await force("charges/" + id, "Declined", "HardDeclined")
        default: break
        }
        return id
    }

    @discardableResult
    func capture(_ id: String, _ yen: Int = 10_000) async throws -> RowAnswer {
        try await call("POST", "charges/\(id)/capture", ["captureAmount": Bench.price(yen)])
    }

    @discardableResult
    func refund(_ charge: String, _ yen: Int = 10_000) async throws -> RowAnswer {
        try await call("POST", "refunds", ["chargeId": .string(charge), "refundAmount": Bench.price(yen)])
    }
}

/// One row of a table of the vendor's rules.
struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let run: @Sendable (RowShop) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (RowShop) async throws -> Void) {
        self.name = name
        self.run = run
    }

    var testDescription: String { name }
}
