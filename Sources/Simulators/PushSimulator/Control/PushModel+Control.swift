import Primitives
package import SimulatorCore
import StrictJSON

// What the control interface has beside that of every simulator, as far as no phone has to do something for it.

extension PushModel: ControlledModel {
    /// Notifications alone; the account is a push token.
    package static let faultRules = FaultRules(operations: ["push"], account: "token") { reason in
        PushReason(rawValue: reason)?.status
    }

    /// As configured, or the first address that it listens at.
    package var baseURL: String { configuration.baseURL }

    /// Whether there is no phone and no request yet.
    package var isUntouched: Bool { phones.isEmpty && calls.count == 0 }

    package mutating func ownControl(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.first?.octets ?? "", path.count) {
        case ("GET", "", 0): return .json(200, PushModel.overview)
        case ("GET", "options", 1): return .json(200, switches.json)
        case ("POST", "options", 1):
            try switches.apply(ControlBody(request))
            return .json(200, switches.json)
        case ("GET", "answers", 1): return .json(200, rulesJSON)
        case ("POST", "answers", 1):
            guard rules.count < 1_000 else { throw ControlError(409, "There are 1000 answers already.") }
            rules.append(try ReplyRule(ControlBody(request)))
            return .json(200, rulesJSON)
        case ("DELETE", "answers", 1):
            rules = []
            return .json(200, rulesJSON)
        case ("GET", "connections", 1): return .json(200, connectionsJSON)
        case ("POST", "tokens", 1): return .json(200, try addTokens(ControlBody(request)))
        case ("POST", "phones", 1): return .json(200, try addPhones(request))
        case ("GET", "phones", 1):
            return .json(200, ["phones": .array(phones.values.sorted { $0.number < $1.number }.map(\.json))])
        case ("GET", "phones", 2): return .json(200, try phone(path[1]).json)
        default: return nil
        }
    }

    /// The phone of a number.
    ///
    /// - Throws: 404 where there is none.
    func phone(_ number: String) throws(ControlError) -> Phone {
        guard let phone = Int(number).flatMap({ phones[$0] }) else {
            throw ControlError(404, "There is no such phone.")
        }
        return phone
    }

    /// For whoever asks with a program at the address of the pages.
    private static let overview: JSONValue = [
        "pages": "Open this address in a browser for phones and their cards.",
        "calls": [
            "/_sim/phones", "/_sim/connections", "/_sim/log", "/_sim/options", "/_sim/answers", "/_sim/clock",
            "/_sim/faults", "/_sim/snapshot", "/_sim/health",
        ],
        "description": "docs/push-simulator.md",
    ]

    private var rulesJSON: JSONValue { ["answers": .array(rules.map(\.json))] }

    private var connectionsJSON: JSONValue {
        let entries = connections.values.sorted { $0.number < $1.number }
        return [
            "opened": JSONValue(entries.count), "open": JSONValue(entries.count { $0.closedAt == nil }),
            "mostStreams": JSONValue(entries.map(\.mostStreams).max() ?? 0),
            "violations": .array(entries.flatMap(\.violations).map(JSONValue.string)),
            "connections": .array(entries.map(\.json)),
        ]
    }

    /// Makes tokens known that no simulated phone has, or dead.
    private mutating func addTokens(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([
            .init("tokens", .list(of: .text(4_096), limit: 20_000), isRequired: true),
            .init("topics", .list(of: .text(256), limit: 100)), .init("unregistered", .flag),
        ])
        let topics = (body.value["topics"]?.elements ?? []).compactMap(\.text).map(\.octets)
        let tokens = (body.value["tokens"]?.elements ?? []).compactMap(\.text)
        guard tokens.allSatisfy({ Hex.decode($0) != nil }) else { throw ControlError("A token is hexadecimal digits.") }
        for token in tokens.map({ $0.lowercased().octets }) {
            var known = checks.tokens[token] ?? KnownToken(topics: [])
            known.topics.formUnion(topics)
            if let isDead = body.value["unregistered"]?.flag { known.unregisteredAt = isDead ? now : nil }
            checks.tokens[token] = known
        }
        return ["known": JSONValue(checks.tokens.count)]
    }

    private mutating func addPhones(_ request: SimulatorRequest) throws(ControlError) -> JSONValue {
        var count = 1
        if !request.body.isEmpty {
            let body = try ControlBody(request)
            try body.check([.init("count", .count)])
            count = body.value["count"]?.integer ?? 1
        }
        guard (1...10_000).contains(count), phones.count + count <= PushModel.phoneLimit else {
            throw ControlError("count is 1 to 10000, and \(PushModel.phoneLimit) phones are the most.")
        }
        let numbers = (0..<count).map { _ in addPhone() }
        return ["phones": .array(numbers.map { JSONValue($0) })]
    }

    private static let phoneLimit = 20_000
}
