import Cryptography
import HTTPCore
import Primitives
import Telemetry

/// One call of the API, before it is signed.
struct Call {
    let operation: AmazonPayOperation
    /// Without a leading slash; may hold a buyer's token, so it goes into no log.
    let resource: String
    var body: [UInt8] = []
    var key: IdempotencyKey?
    var priority = Priority.buyer
    var asker = CallAsker.program

    init(
        _ operation: AmazonPayOperation,
        _ id: String = "",
        body: [UInt8] = [],
        key: IdempotencyKey? = nil,
        priority: Priority = .buyer,
        asker: CallAsker = .program
    ) {
        self.operation = operation
        resource = operation.resource(id)
        self.body = body
        self.key = key
        self.priority = priority
        self.asker = asker
    }

    init(_ paying: PayingCall) {
        operation = paying.operation
        resource = paying.resource
        body = paying.body
        key = paying.key
        priority = .purchase
    }
}

/// What a call brought over all of its tries.
struct CallReport {
    let result: Result<APIAnswer, AmazonPayError>
    /// Whether a try before the one that brought the result may have had its effect.
    let mayHaveTakenEffect: Bool
}

extension Credentials {
    /// The header that every call is signed with.
    func signedFields(at time: WallTime) -> [(String, String)] {
        var fields: [(String, String)] = []
        // With the key and the signature, which come behind.
        fields.reserveCapacity(7)
        fields.append(("accept", "application/json"))
        fields.append(("content-type", "application/json"))
        fields.append(("x-amz-pay-date", CalendarDate(time).compactText))
        fields.append(("x-amz-pay-host", region.apiHost))
        fields.append(("x-amz-pay-region", region.label))
        return fields
    }
}

// Signing, sending, trying again.
extension CheckoutClient {
    /// Carries out a call; never longer than the limit by more than the loop is late.
    func run(_ call: Call, within limit: Duration, mayHaveTakenEffect: Bool) async -> CallReport {
        let end = timing.uptime() + limit
        var ledger = CallLedger(call.operation, retryPolicy, mayHaveTakenEffect: mayHaveTakenEffect)
        // How far their clock is ahead of ours, once they have refused a date.
        var skew = Duration.zero
        // What came before has used the time up: that is no matter of turns.
        guard limit > .zero else { return ledger.report(ledger.noTime(call.operation)) }
        while true {
            let admission = await admit(call, until: end)
            switch admission {
            case .granted: break
            case .late, .crowded:
                metrics.refused(call)
                return ledger.report(ledger.noTurn(call.operation, isCrowded: admission == .crowded))
            }
            let ours = timing.clock.now()
            let time = ours + skew
            let step = await attempt(call, at: time, until: end, &ledger)
            switch step {
            case .finish(let answer):
                return CallReport(result: .success(answer), mayHaveTakenEffect: ledger.mayHaveTakenEffect)
            case .giveUp(let error):
                return ledger.report(error)
            case .signAgain(let theirs):
                skew = .microseconds(theirs.microseconds - ours.microseconds)
            case .tryAgain:
                let pause = retryPolicy.backoff.pause(after: ledger.failures, random: timing.random)
                await timing.sleep(min(pause, max(.zero, end - timing.uptime())))
            case .tryLater(let error, let notBefore):
                metrics.throttled(call.operation)
                let rest = end - timing.uptime()
                guard notBefore < rest else { return ledger.report(error) }
                let pause = retryPolicy.backoff.pause(after: ledger.throttlings, random: timing.random)
                await timing.sleep(min(notBefore + pause, rest))
            }
            // A sleep that is cancelled ends at once, and would do so each time.
            if Task.isCancelled { return ledger.report(ledger.noTime(call.operation)) }
        }
    }

    private enum Admission {
        case granted
        /// The deadline comes first.
        case late
        /// As many of the asker's calls wait as may.
        case crowded
    }

    /// Waits for the account's limits.
    private func admit(_ call: Call, until end: Duration) async -> Admission {
        var ticket: CallTicket?
        defer { if let ticket { quota.leave(call.operation, call.priority, ticket) } }
        while true {
            let now = timing.uptime()
            guard now < end else { return .late }
            let reservation = quota.reserve(
                call.operation,
                at: now,
                patience: end - now,
                priority: call.priority,
                asker: call.asker,
                ticket: ticket
            )
            switch reservation {
            case .taken(let wait):
                if wait > .zero { await timing.sleep(wait) }
                return timing.uptime() < end ? .granted : .late
            case .later(let wait, let place):
                ticket = place
                await timing.sleep(wait)
            case .paced(let wait):
                await timing.sleep(wait)
            case .never:
                return .late
            case .crowded:
                return .crowded
            }
            // A sleep that is cancelled ends at once, and would do so each time.
            if Task.isCancelled { return .late }
        }
    }

    private func attempt(
        _ call: Call,
        at time: WallTime,
        until end: Duration,
        _ ledger: inout CallLedger
    ) async -> CallLedger.Step {
        let request: OutboundRequest
        do throws(CryptographyError) {
            request = try await signed(call, at: time, until: end)
        } catch {
            return .giveUp(AmazonPayError(ledger.code, detail: "no signature: \(error.debugDescription)"))
        }
        let start = timing.uptime()
        // The signature may have waited for a worker; what is sent without time left is sent for nothing.
        guard start < end else {
            return .giveUp(ledger.noTime(call.operation))
        }
        do throws(HTTPExchangeError) {
            let answer = APIAnswer(try await exchange.send(request))
            note(call, "\(answer.status)", answer.requestID, since: start)
            noteSkew(answer)
            return ledger.answered(answer, ourTime: time)
        } catch {
            note(call, "\(error.code)", nil, since: start)
            metrics.broke(call.operation)
            return ledger.broke(error)
        }
    }

    private func signed(
        _ call: Call,
        at time: WallTime,
        until end: Duration
    ) async throws(CryptographyError) -> OutboundRequest {
        var fields = credentials.signedFields(at: time)
        if let key = call.key, call.operation.carriesKey { fields.append(("x-amz-pay-idempotency-key", key.text)) }
        let path = credentials.path(call.resource)
        let request = SignedRequest(method: call.operation.method, path: path, fields: fields, body: call.body)
        fields.append(("authorization", try await signer.authorization(for: request, signOffLoop)))
        return OutboundRequest(
            method: request.method,
            url: endpoint.origin + path,
            fields: fields,
            body: call.body,
            timeout: min(call.operation.timeout, max(.milliseconds(1), end - timing.uptime()))
        )
    }

    // MARK: Notes

    private func note(_ call: Call, _ outcome: String, _ requestID: String?, since start: Duration) {
        let duration = timing.uptime() - start
        metrics.observe(call.operation, duration)
        logger.debug(
            "amazonpay.called",
            [
                LogField("operation", call.operation.label),
                LogField("outcome", outcome),
                LogField("duration_ms", Int(duration / .milliseconds(1))),
                LogField("amazonpay_request_id", requestID ?? ""),
            ]
        )
    }

    /// A clock that is off by minutes makes the service refuse every call; say so while it is seconds.
    private func noteSkew(_ answer: APIAnswer) {
        guard let theirs = answer.date else { return }
        let difference = timing.clock.now().seconds - theirs.seconds
        guard difference.magnitude >= 5 else { return }
        logger.info("amazonpay.clock_differs", [LogField("ahead_seconds", Int(difference))])
    }
}
