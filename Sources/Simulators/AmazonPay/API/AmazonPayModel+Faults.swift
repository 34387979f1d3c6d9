import StrictJSON

extension Fault {
    /// What is left of a fault whose waiting is over.
    var spent: Fault {
        var fault = self
        fault.delay = .zero
        return fault
    }
}

extension AmazonPayModel {
    /// The answer of a fault that stands before the service; `nil` where the service has its turn.
    mutating func standInBefore(_ fault: Fault?, _ entry: LedgerEntry) -> SimulatorStep? {
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
            var answer = AmazonPayModel.gatewayPage(status)
            if let pause { answer.fields.append(pause) }
            return record(answer, entry, nil, .whole)
        case nil, .some(.none), .resetAfter, .truncateBody, .slowBody, .htmlBody(nil), .badJSON, .wrongContentType:
            return nil
        }
    }

    /// Hands an answer over, spoiled where a fault says so, and writes it into the ledger.
    mutating func deliver(
        _ answer: SimulatorAnswer,
        _ entry: LedgerEntry,
        _ reason: String?,
        _ fault: Fault?
    ) -> SimulatorStep {
        var answer = answer
        switch fault?.kind {
        case .resetAfter: return record(answer, entry, reason, .nothing)
        case .truncateBody: return record(answer, entry, reason, .half)
        case .slowBody(let pause): return record(answer, entry, reason, .slow(pause))
        case .htmlBody: answer = AmazonPayModel.gatewayPage(answer.status)
        case .badJSON: answer.body = Array(answer.body.dropLast()) + Array(",}".utf8)
        case .wrongContentType:
            answer.fields.removeAll { $0.name == "content-type" }
            answer.fields.append(.init(name: "content-type", value: "text/html; charset=utf-8"))
        case nil, .some(.none), .refusal, .resetBefore: break
        }
        return record(answer, entry, reason, .whole)
    }

    private mutating func record(
        _ answer: SimulatorAnswer,
        _ entry: LedgerEntry,
        _ reason: String?,
        _ delivery: SimulatorStep.Delivery
    ) -> SimulatorStep {
        var entry = entry
        entry.time = engine.now
        entry.status = answer.status
        entry.reason = reason
        entry.isDelivered = delivery != .nothing && delivery != .half
        ledger.add(entry)
        return .answer(answer, delivery)
    }

    static func gatewayPage(_ status: Int) -> SimulatorAnswer {
        let page =
            "<html><head><title>\(status)</title></head><body><center><h1>\(status)</h1></center></body></html>\n"
        return SimulatorAnswer(status, [("content-type", "text/html")], body: Array(page.utf8))
    }
}
