import Cryptography
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

// The order of processing: size, faults before the service, throttling, signature, route and environment, body,
// idempotency, objects.

extension AmazonPayModel {
    /// The greatest body of an API request.
    package static let bodyLimit = 262_144

    /// Names of fields that the API looks at, and of those that a request has signed.
    static func fields(of request: HTTPRequest) -> [String] {
        let authorization = request.first(.authorization) ?? ""
        let signed = authorization.firstRange(of: "SignedHeaders=").map { mark in
            authorization[mark.upperBound...].prefix { $0 != "," && $0 != " " }.split(separator: ";").map(String.init)
        }
        return known + (signed ?? [])
    }

    private static let known = [
        "x-amz-pay-date", "x-amz-pay-host", "x-amz-pay-region", "x-amz-pay-idempotency-key",
        "x-amz-pay-simulation-code", "x-sim-throttle",
    ]

    mutating func receiveCall(_ request: SimulatorRequest, _ route: APIRoute) -> AmazonPayStep {
        guard request.body.count <= AmazonPayModel.bodyLimit else {
            return .answer(.json(413, ["message": "The request is larger than 256 KiB."]))
        }
        let name = route.operation?.rawValue ?? ""
        let fault = faults.take(name, byNameOnly: false, account: claimedMerchant(of: request)?.id)
        if let delay = fault?.delay, delay > .zero {
            return .pause(delay, AmazonPayPause(request: request, fault: fault, stage: .entrance))
        }
        return enterCall(request, route, fault)
    }

    mutating func enterCall(_ request: SimulatorRequest, _ route: APIRoute, _ fault: Fault?) -> AmazonPayStep {
        var entry = CallEntry(
            operation: route.operation?.rawValue ?? "Unknown",
            method: request.method,
            path: AmazonPayModel.shownPath(request, route)
        )
        entry.requestID = requestIDs.uuid()
        entry.fault = fault?.kind.name
        entry.merchantID = claimedMerchant(of: request)?.id
        entry.idempotencyKey = request.method == "POST" ? request.first("x-amz-pay-idempotency-key") : nil
        if let step = standInBefore(fault, entry) { return step }
        do {
            return checkIdempotency(try admit(request, route, entry), request, fault)
        } catch {
            return deliver(errorAnswer(error, entry), entry, error.reason.rawValue, fault)
        }
    }

    /// Carries out a call whose time has come.
    mutating func finishCall(_ call: APICall, _ fault: Fault?) -> AmazonPayStep {
        var entry = call.entry
        entry.merchantID = call.caller.merchant.id
        var answer: SimulatorAnswer
        do {
            let result = try carryOut(call)
            answer = self.answer(result.status, result.body, entry)
            entry.subject = result.subject
        } catch {
            answer = errorAnswer(error, entry)
            entry.reason = error.reason.rawValue
            entry.subject = AmazonPayModel.subject(of: call)
        }
        if let identity = call.idempotency?.identity {
            idempotency.finish(identity, answer, requestID: entry.requestID)
        }
        return deliver(answer, entry, entry.reason, fault)
    }

    // MARK: Steps

    /// Steps 3 to 6.
    private mutating func admit(
        _ request: SimulatorRequest,
        _ route: APIRoute,
        _ entry: CallEntry
    ) throws(APIError) -> APICall {
        try countCall(request, route, entry)
        let caller = try gate.caller(of: request, route, mode: switches.signature, at: realTime)
        guard case .operation(let operation, let id) = route.target else {
            throw route.target == .wrongMethod
                ? APIError(.unsupportedOperation, "\(request.method) is not supported for \(request.path).")
                : .notFound(request.path)
        }
        let body = try AmazonPayModel.body(of: request, operation)
        let simulation = try SimulationCode(
            request.first("x-amz-pay-simulation-code"),
            operation,
            caller.environment
        )
        return APICall(
            operation: operation,
            id: id,
            caller: caller,
            body: body,
            simulation: simulation,
            idempotency: idempotency(of: request, operation, caller),
            requestID: entry.requestID,
            entry: entry
        )
    }

    /// Step 3.
    private mutating func countCall(
        _ request: SimulatorRequest,
        _ route: APIRoute,
        _ entry: CallEntry
    ) throws(APIError) {
        guard let operation = route.operation else { return }
        let environment = gate.claimedKey(of: request)?.key.environment ?? route.environment ?? .sandbox
        let table: ReleaseEnvironment
        switch switches.quota {
        case .live: table = .live
        case .sandbox: table = .sandbox
        case .unlimited where request.first("x-sim-throttle") != nil: table = environment
        case .unlimited: return
        }
        let account = RequestRateLimiter.Account(merchantID: entry.merchantID ?? "", environment: environment)
        guard throttle.admit(operation, operation.rate(in: table), account, at: engine.now) else {
            throw APIError(.tooManyRequests, "The rate of \(operation.rawValue) is exceeded.")
        }
    }

    /// Step 7.
    private mutating func checkIdempotency(
        _ call: APICall,
        _ request: SimulatorRequest,
        _ fault: Fault?
    ) -> AmazonPayStep {
        guard let (identity, fingerprint) = call.idempotency else { return proceed(call, request, fault) }
        var entry = call.entry
        entry.merchantID = call.caller.merchant.id
        switch idempotency.match(identity, fingerprint) {
        case .fresh:
            let processing = fault?.processing ?? .zero
            idempotency.begin(identity, fingerprint, until: realTime + processing)
            return proceed(call, request, fault)
        case .busy(let until):
            let rest = Duration.microseconds(max(1000, until.microseconds - realTime.microseconds + 1000))
            return .pause(rest, AmazonPayPause(request: request, fault: fault?.spent, stage: .entrance))
        case .conflict:
            let error = APIError(.duplicateIdempotencyKey, "The idempotency key was used with another request.")
            return deliver(errorAnswer(error, entry), entry, error.reason.rawValue, fault)
        case .replay(var answer, let requestID):
            answer.fields.append(.init(name: "x-sim-replayed", value: "1"))
            entry.isReplayed = true
            entry.requestID = requestID
            entry.subject = AmazonPayModel.subject(of: call)
            return deliver(answer, entry, AmazonPayModel.reason(in: answer), fault)
        }
    }

    private mutating func proceed(_ call: APICall, _ request: SimulatorRequest, _ fault: Fault?) -> AmazonPayStep {
        if let processing = fault?.processing, processing > .zero {
            return .pause(processing, AmazonPayPause(request: request, fault: fault, stage: .effect(call)))
        }
        return finishCall(call, fault)
    }

    // MARK: Parts

    private static func body(of request: SimulatorRequest, _ operation: APIOperation) throws(APIError) -> JSONValue {
        guard let schema = operation.schema else { return .object([]) }
        if request.body.isEmpty, operation.method == "DELETE" { return .object([]) }
        let body: JSONValue
        do {
            body = try JSONParser.parse(request.body)
        } catch {
            throw APIError(.invalidRequestFormat, "The body is not valid JSON.")
        }
        guard case .object = body else { throw APIError(.invalidRequestFormat, "The body is not a JSON object.") }
        try APIError.check(body, schema)
        return body
    }

    private func idempotency(
        of request: SimulatorRequest,
        _ operation: APIOperation,
        _ caller: Caller
    ) -> (identity: IdempotencyIdentity, fingerprint: Digest32)? {
        guard request.method == "POST", let key = request.first("x-amz-pay-idempotency-key"), !key.isEmpty
        else { return nil }
        let what = Array("\(request.method)\n\(request.path)\n".utf8) + request.body
        let scope = switches.idempotencyScope == .operation ? operation : nil
        let identity = IdempotencyIdentity(merchantID: caller.merchant.id, operation: scope, key: key)
        return (identity, SHA256.digest(of: what))
    }

    /// What a call that came to nothing was about.
    private static func subject(of call: APICall) -> CallSubject {
        var subject = CallSubject()
        switch call.operation.pattern.first {
        case "checkoutSessions": subject.sessionID = call.id.isEmpty ? nil : call.id
        case "charges": subject.chargeID = call.id.isEmpty ? nil : call.id
        case "chargePermissions": subject.permissionID = call.id
        case "refunds": subject.refundID = call.id.isEmpty ? nil : call.id
        default: break
        }
        subject.permissionID = call.body["chargePermissionId"]?.text ?? subject.permissionID
        subject.chargeID = call.body["chargeId"]?.text ?? subject.chargeID
        let amounts = ["chargeAmount", "captureAmount", "refundAmount"].compactMap { Price(call.body[$0]) }
        subject.amount = amounts.first
        return subject
    }

    private static func reason(in answer: SimulatorAnswer) -> String? {
        guard answer.status >= 400, let body = try? JSONParser.parse(answer.body) else { return nil }
        return body["reasonCode"]?.text
    }

    private func claimedMerchant(of request: SimulatorRequest) -> Merchant? {
        gate.claimedKey(of: request)?.merchant
    }

    private func answer(_ status: Int, _ body: JSONValue, _ entry: CallEntry) -> SimulatorAnswer {
        var warnings: [String] = []
        if switches.signature == .off { warnings.append("signature not checked") }
        // Accepted, because the vendor's own clients do so at complete; a repeat of such a call takes effect again.
        if entry.method == "POST", entry.idempotencyKey == nil { warnings.append("no idempotency key") }
        let warning = warnings.isEmpty ? [] : [("x-sim-warning", warnings.joined(separator: ", "))]
        return .json(status, body, [("x-amz-pay-request-id", entry.requestID)] + warning)
    }

    func errorAnswer(_ error: APIError, _ entry: CallEntry) -> SimulatorAnswer {
        answer(error.status, error.body, entry)
    }

    /// The path for the log, without the token of a buyer.
    private static func shownPath(_ request: SimulatorRequest, _ route: APIRoute) -> String {
        guard case .operation(.getBuyer, let token) = route.target else { return request.path }
        return request.path.replacing(token, with: token.prefix(6) + "…")
    }
}
