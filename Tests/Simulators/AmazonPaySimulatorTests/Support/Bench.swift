import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON

/// A simulated service without a socket, with a browser and a merchant of its own.
///
/// Signatures are off unless a test turns them on; the clock stands still between calls.
struct Bench {
    var model: AmazonPayModel
    /// What the real clock shows.
    var now: WallTime
    var browser = Browser()
    private var keys = 0

    init(_ configure: (inout SimulatorConfiguration) -> Void = { _ in }) {
        var configuration = Bench.configuration
        configuration.switches.signature = .off
        configure(&configuration)
        now = Bench.start
        model = AmazonPayModel(configuration, at: now)
    }

    /// 2026-03-14T01:59:26Z, the date of the vectors.
    static let start = WallTime(seconds: 1_773_453_566)
    static let merchantID = "A1EXAMPLE00001"
    static let storeID = "amzn1.application-oa2-client.00000000000000000000000000000001"
    static let keyID = "SANDBOX-AFTESTKEY0000000000000001"

    static var merchant: Merchant {
        Merchant(
            id: merchantID,
            storeIDs: [storeID],
            publicKeys: [
                .init(id: keyID, pem: TestKeys.merchantPublic),
                .init(id: "LIVE-AFTESTKEY0000000000000001", pem: TestKeys.merchantPublic),
                .init(id: "AFTESTKEY000000000000001", pem: TestKeys.merchantPublic),
            ],
            allowedDomains: ["shop.example.test"]
        )
    }

    static var stranger: Merchant {
        Merchant(
            id: "A2EXAMPLE00002",
            storeIDs: ["amzn1.application-oa2-client.00000000000000000000000000000002"],
            publicKeys: [.init(id: "SANDBOX-BFTESTKEY0000000000000002", pem: TestKeys.otherPublic)]
        )
    }

    /// The same key pair under a name without a prefix, in dollars.
    static var american: Merchant {
        Merchant(
            id: "A3EXAMPLE00003",
            storeIDs: ["amzn1.application-oa2-client.00000000000000000000000000000003"],
            publicKeys: [.init(id: "CFTESTKEY000000000000003", pem: TestKeys.merchantPublic)],
            allowedDomains: ["shop.example.test"],
            ledgerCurrency: "USD"
        )
    }

    static var configuration: SimulatorConfiguration {
        SimulatorConfiguration(baseURL: "https://sim.example.test", merchants: [merchant, stranger], seed: [1, 2, 3])
    }

    // MARK: Calls of the merchant

    /// Sends an API request and waits out every pause.
    mutating func call(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        key: String? = nil,
        fields: [(name: String, value: String)] = []
    ) -> Answer {
        let (answer, _) = send(request(method, path, body, key: key, fields: fields))
        return answer
    }

    func request(
        _ method: String,
        _ path: String,
        _ body: JSONValue? = nil,
        key: String? = nil,
        fields: [(name: String, value: String)] = []
    ) -> SimulatorRequest {
        var all = fields
        if let key { all.append(("x-amz-pay-idempotency-key", key)) }
        return SimulatorRequest(method, path, fields: all, body: body?.bytes ?? [])
    }

    /// Sends a request and waits out every pause.
    mutating func send(_ request: SimulatorRequest) -> (Answer, SimulatorDelivery) {
        var step = model.receive(request, at: now)
        while case .pause(let duration, let pause) = step {
            now = now + duration
            step = model.resume(pause, at: now)
        }
        guard case .answer(let answer, let delivery) = step else { return (Answer(nil), .nothing) }
        return (Answer(answer), delivery)
    }

    /// An idempotency key that has not been used.
    mutating func freshKey() -> String {
        keys += 1
        return "key-\(keys)"
    }

    // MARK: Control

    @discardableResult
    mutating func control(_ method: String, _ path: String, _ body: JSONValue? = nil) -> Answer {
        call(method, "/_sim/" + path, body)
    }

    mutating func advance(_ duration: String) {
        control("POST", "clock", ["advance": .string(duration)])
    }

    mutating func addFault(_ operation: String, _ action: JSONValue, count: Int = 1) -> Answer {
        let match: JSONValue = ["operation": .string(operation), "count": JSONValue(count)]
        return control("POST", "faults", [["match": match, "action": action]])
    }

    /// The ledger's entries of one operation.
    mutating func ledger(_ operation: String) -> [JSONValue] {
        let entries = control("GET", "log").json["entries"]?.elements ?? []
        return entries.filter { $0["operation"]?.text == operation }
    }

    mutating func effectiveCompletes(_ id: String) -> Int {
        control("GET", "objects/" + id).json["_sim"]?["effectiveCompletes"]?.integer ?? -1
    }

    /// What the simulator knows of an object.
    mutating func object(_ id: String) -> JSONValue {
        control("GET", "objects/" + id).json
    }
}

/// An answer, easy to look at.
struct Answer {
    let answer: SimulatorAnswer?

    init(_ answer: SimulatorAnswer?) {
        self.answer = answer
    }

    var status: Int { answer?.status ?? -1 }
    var body: [UInt8] { answer?.body ?? [] }
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSONParser.parse(body)) ?? .null }
    var reason: String? { json["reasonCode"]?.text }
    var location: String? { answer?.first("location") }

    func field(_ name: String) -> String? { answer?.first(name) }

    /// The status and the reason of a refusal.
    var refusal: Refusal { Refusal(status: status, reason: reason) }
}

struct Refusal: Equatable, CustomStringConvertible {
    let status: Int
    let reason: String?

    var description: String { "\(status) \(reason ?? "-")" }
}

extension JSONValue {
    /// The value at a path of names separated by points.
    subscript(path path: String) -> JSONValue? {
        var value: JSONValue? = self
        for name in path.split(separator: ".") { value = value?[String(name)] }
        return value
    }

    var state: String? { self[path: "statusDetails.state"]?.text }
    var stateReason: String? { self[path: "statusDetails.reasonCode"]?.text }
}
