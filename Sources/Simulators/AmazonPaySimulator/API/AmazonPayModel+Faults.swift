import SimulatorCore
import StrictJSON

extension AmazonPayModel {
    /// The answer of a fault that stands before the service; `nil` where the service has its turn.
    mutating func standInBefore(_ fault: Fault?, _ entry: CallEntry) -> AmazonPayStep? {
        let pause = fault?.retryAfter.map { SimulatorAnswer.Field(name: "retry-after", value: $0) }
        switch fault?.kind {
        case .resetBefore:
            return record(SimulatorAnswer(0), entry, nil, .nothing)
        case .refusal(let status, let reason):
            let code = reason ?? APIReason.serviceUnavailable.rawValue
            let body: JSONValue = ["reasonCode": .string(code), "message": "Injected by a fault."]
            var answer = SimulatorAnswer.json(status, body, [("x-amz-pay-request-id", entry.requestID)])
            if let pause { answer.fields.append(pause) }
            return record(answer, entry, code, .whole)
        case .htmlBody(.some(let status)):
            var answer = SimulatorAnswer.gatewayPage(status)
            if let pause { answer.fields.append(pause) }
            return record(answer, entry, nil, .whole)
        case nil, .some(.none), .resetAfter, .truncateBody, .slowBody, .htmlBody(nil), .badJSON, .wrongContentType:
            return nil
        }
    }

    /// Hands an answer over, spoiled where a fault says so, and writes it into the log.
    mutating func deliver(
        _ answer: SimulatorAnswer,
        _ entry: CallEntry,
        _ reason: String?,
        _ fault: Fault?
    ) -> AmazonPayStep {
        var answer = answer
        let delivery = fault?.spoil(&answer) ?? .whole
        return record(answer, entry, reason, delivery)
    }

    private mutating func record(
        _ answer: SimulatorAnswer,
        _ entry: CallEntry,
        _ reason: String?,
        _ delivery: SimulatorDelivery
    ) -> AmazonPayStep {
        var entry = entry
        entry.time = engine.now
        entry.status = answer.status
        entry.reason = reason
        entry.isDelivered = delivery != .nothing && delivery != .half
        calls.add(entry)
        return .answer(answer, delivery)
    }
}
