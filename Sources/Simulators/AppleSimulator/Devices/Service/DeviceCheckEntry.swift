import Cryptography
import Primitives
import SimulatorCore
package import StrictJSON

/// A request to the service as it was answered; of tokens it has digests alone.
package struct DeviceCheckEntry: CallLogEntry {
    /// Its place in the log.
    package var number = 0
    let time: WallTime
    /// `nil` for a path that the service does not have.
    let operation: String?
    let environment: String?
    let method: String
    let path: String
    let contentType: String
    /// Tells apart tokens of requests.
    let authorization: String?
    let keyID: String?
    var team: String?
    var device: Int?
    private var body = Body()
    var status = 0
    /// Begin of the answer.
    var answer = ""
    var fault: String?

    /// What it was asked.
    private struct Body {
        var transaction: String?
        var timestamp: JSONValue?
        var deviceToken: String?
        var bit0: JSONValue?
        var bit1: JSONValue?
        var receipt: String?
    }

    private static let shown = 200

    /// A request that is not answered yet.
    init(_ request: SimulatorRequest, _ route: DeviceCheckRoute?, at time: WallTime) {
        self.time = time
        (operation, environment) = (route?.operation.rawValue, route?.environment.rawValue)
        (method, path) = (request.method, Self.begin(of: request.path))
        contentType = Self.begin(of: request.first("content-type") ?? "")
        let field = request.first("authorization")
        authorization = field.map(Self.digest)
        keyID = BearerToken(field, mayBeBare: true)?.keyID.map(Self.begin)
    }

    /// Takes in a receipt.
    mutating func note(receipt: [UInt8]) { body.receipt = Self.digest(receipt) }

    /// Takes in the content.
    mutating func note(_ content: JSONValue) {
        body.transaction = content["transaction_id"]?.text.map(Self.begin)
        body.timestamp = content["timestamp"].map(Self.short)
        body.deviceToken = content["device_token"]?.text.map(Self.digest)
        body.bit0 = content["bit0"].map(Self.short)
        body.bit1 = content["bit1"].map(Self.short)
    }

    /// Takes in what is sent back.
    mutating func note(_ answer: SimulatorAnswer) {
        status = answer.status
        self.answer = Self.begin(of: String(decoding: answer.body.prefix(Self.shown), as: UTF8.self))
    }

    private static func begin(of text: String) -> String { String(text.prefix(shown)) }

    /// Nobody gets back to the token from its first bytes.
    private static func digest(_ text: String) -> String { digest(Array(text.utf8)) }

    private static func digest(_ bytes: [UInt8]) -> String {
        Hex.encode(Array(SHA256.digest(of: bytes).bytes.prefix(8)))
    }

    /// A value as it came, or only that it is a list or an object.
    private static func short(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(begin(of: text))
        case .array: "list"
        case .object: "object"
        case .null, .bool, .number: value
        }
    }

    package var json: JSONValue {
        [
            "number": JSONValue(number), "time": .string(CalendarDate(time).extendedText),
            "operation": JSONValue(operation), "environment": JSONValue(environment), "method": .string(method),
            "path": .string(path), "contentType": .string(contentType), "authorization": JSONValue(authorization),
            "keyId": JSONValue(keyID), "teamId": JSONValue(team),
            "device": device.map { JSONValue($0) } ?? .null, "deviceToken": JSONValue(body.deviceToken),
            "transactionId": JSONValue(body.transaction), "timestamp": body.timestamp ?? .null,
            "bit0": body.bit0 ?? .null, "bit1": body.bit1 ?? .null,
            "receipt": JSONValue(body.receipt), "status": JSONValue(status),
            "answer": .string(answer), "fault": JSONValue(fault),
        ]
    }
}
