import StrictJSON

extension Fault {
    /// The fault that a tester describes.
    ///
    /// - Throws: 400, naming what is wrong.
    init(_ body: JSONValue, _ rules: FaultRules) throws(ControlError) {
        if let name = body["match"]?["operation"]?.text, !rules.operations.contains(name) {
            throw ControlError(
                "There is no such match.operation. There are \(rules.operations.joined(separator: ", "))."
            )
        }
        try ControlBody.check(body, Fault.members(rules))
        let match = body["match"]
        operation = match?["operation"]?.text
        account = match?[rules.account]?.text
        count = max(1, min(match?["count"]?.integer ?? 1, 1_000_000))
        probability = try Fault.probability(match)
        let action = body["action"] ?? .object([])
        delay = try Fault.duration(action, "delayMs")
        processing = try Fault.duration(action, "processingMs")
        abandonment = action["ifAbandoned"]?.text.flatMap { Abandonment(rawValue: $0) } ?? .later
        kind = try Fault.kind(action, rules)
        retryAfter = action["retryAfter"]?.text
        if retryAfter?.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) == false {
            throw ControlError("retryAfter holds what no field can.")
        }
        guard kind != .none || delay > .zero || processing > .zero else {
            throw ControlError("The action does nothing.")
        }
    }

    /// What the control interface shows of one that waits.
    func json(_ rules: FaultRules) -> JSONValue {
        .object([
            JSONMember("operation", JSONValue(operation)), JSONMember(rules.account, JSONValue(account)),
            JSONMember("count", JSONValue(count)), JSONMember("kind", .string(kind.name)),
            JSONMember("permille", probability.map { JSONValue($0.thousandths) } ?? .null),
        ])
    }

    private static func members(_ rules: FaultRules) -> [Shape.Member] {
        let match: [Shape.Member] = [
            .init("operation", .text(100)), .init(rules.account, .text(100)), .init("count", .count),
            .init("permille", .count), .init("seed", .text(100)),
        ]
        return [.init("match", .object(match)), action]
    }

    private static let action = Shape.Member(
        "action",
        .object([
            .init("delayMs", .count), .init("processingMs", .count),
            .init("ifAbandoned", .oneOf(Abandonment.allCases.map(\.rawValue))), .init("status", .count),
            .init("reasonCode", .text(100)), .init("resetBefore", .flag), .init("resetAfter", .flag),
            .init("truncateBody", .flag), .init("slowBodyMs", .count), .init("htmlBody", .flag),
            .init("badJson", .flag), .init("wrongContentType", .flag), .init("retryAfter", .text(40)),
        ]),
        isRequired: true
    )

    private static func probability(_ match: JSONValue?) throws(ControlError) -> Probability? {
        guard let thousandths = match?["permille"]?.integer else { return nil }
        guard (1...1000).contains(thousandths) else {
            throw ControlError("permille is 1 to 1000, of a thousand requests.")
        }
        return Probability(thousandths: thousandths, seed: match?["seed"]?.text ?? "")
    }

    private static func duration(_ action: JSONValue, _ name: String) throws(ControlError) -> Duration {
        let milliseconds = action[name]?.integer ?? 0
        guard milliseconds <= 600_000 else { throw ControlError("\(name) is more than ten minutes.") }
        return .milliseconds(milliseconds)
    }

    private static func kind(_ action: JSONValue, _ rules: FaultRules) throws(ControlError) -> Kind {
        let reason = action["reasonCode"]?.text
        let status = action["status"]?.integer ?? reason.flatMap(rules.status)
        if let status, !(200...599).contains(status) { throw ControlError("status is not an HTTP status.") }
        let flags: [(String, Kind)] = [
            ("resetBefore", .resetBefore), ("resetAfter", .resetAfter), ("truncateBody", .truncateBody),
            ("htmlBody", .htmlBody(status: status)), ("badJson", .badJSON), ("wrongContentType", .wrongContentType),
        ]
        var chosen = flags.filter { action[$0.0]?.flag == true }.map(\.1)
        let slowness = try duration(action, "slowBodyMs")
        if slowness > .zero { chosen.append(.slowBody(slowness)) }
        guard chosen.count <= 1 else { throw ControlError("An action is one thing at a time, beside its waiting.") }
        if let kind = chosen.first { return kind }
        if let status { return .refusal(status: status, reason: reason) }
        guard reason == nil else { throw ControlError("reasonCode is unknown; name a status with it.") }
        return .none
    }
}
