import DeviceAttestation
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
import Web

// What is decided of devices, whoever asks.

extension DeviceCheckPart {
    /// Decides on a purpose, and writes what waits for the account; gives nothing.
    func check(_ question: DeviceQuestion, for purpose: String) async throws(Failure) -> JSONValue {
        let policy = try policy(of: purpose)
        let flow = try await DeviceFlow(self, question, aim: purpose, isFinal: false)
        let device = try await flow.read()
        let decision = decide(policy, device, flow)
        await writeQueued(decision, flow)
        note(decision, policy, "check", flow)
        _ = try await flow.end()
        return .object(try members("deviceCheck", decision, policy, device, flow))
    }

    /// Decides on a purpose, marks the device and gives it, once where it is once for an account: mark first, then give.
    func claim(_ question: DeviceQuestion, for purpose: String) async throws(Failure) -> JSONValue {
        let policy = try policy(of: purpose)
        let flow = try await DeviceFlow(self, question, aim: purpose, isFinal: true)
        let device = try await flow.read()
        let decision = decide(policy, device, flow)
        flow.notes.purpose = purpose
        if decision.verdict == .allow {
            try await give(decision, policy, device, flow)
        } else {
            await writeQueued(decision, flow)
        }
        note(decision, policy, "claim", flow)
        let conclusion = try await flow.end()
        let isGranted = flow.notes.claim == .grant
        if isGranted { metrics.countClaim(flow.notes.needsReview ? "reviewed" : "granted") }
        return .object(
            try members("deviceClaim", decision, policy, device, flow) + [
                JSONMember("isGranted", .bool(isGranted)),
                JSONMember("claimId", JSONValue(conclusion.claim?.description)),
                JSONMember("grantedAt", JSONValue(optionalTime: conclusion.granted)),
            ]
        )
    }

    /// Marks the device of what was allowed, and has it given.
    ///
    /// - Throws: Why it is not; the request is ended.
    private func give(
        _ decision: DeviceDecision,
        _ policy: DevicePolicy,
        _ device: DeviceEvidence.Device,
        _ flow: DeviceFlow
    ) async throws(Failure) {
        flow.notes.isOnce = policy.isOncePerAccount
        flow.notes.wanted = policy.mark
        flow.notes.environment = flow.question.environment
        flow.notes.needsReview = decision.needsReview
        flow.notes.claim = .grant
        if case .unknown = device, let mark = policy.mark { flow.notes.queue(mark, for: policy.purpose) }
        guard let write = decision.write else { return }
        let plan = DeviceStatement.plan(
            flow.question.account,
            flow.turn.flow,
            policy.purpose,
            write.state.rawValue,
            DeviceCheckPart.lease
        )
        let isMine = try await Failure.mapErrors {
            try await loop.database.write(plan, key: flow.question.account).first()
        }
        guard isMine else { throw Failure(.deviceCheckBusy) }
        guard let reply = await flow.write(write, for: policy.purpose), reply.answer != .ok else { return }
        if policy.unavailable.allows {
            // It costs nothing, so nobody is kept waiting; the mark does.
            flow.notes.needsReview = true
            flow.notes.queue(write.state, for: policy.purpose)
            return
        }
        flow.notes.claim = reply.isUncertain ? .uncertain : .drop
        metrics.countClaim(reply.isUncertain ? "uncertain" : "failed")
        note(decision, policy, "claim", flow, outcome: reply.isUncertain ? "uncertain" : "failed")
        if reply.answer == .badDeviceToken { try await flow.refuse() }
        _ = try await flow.end()
        throw unavailable(reply)
    }

    /// Raises a device to the state of an event; where it cannot be done now, the mark waits for the account's next visit.
    func mark(_ question: DeviceQuestion, as event: String) async throws(Failure) -> JSONValue {
        guard let mark = process.policies.mark(of: event) else {
            throw unknownEvent
        }
        let flow = try await DeviceFlow(self, question, isFinal: true)
        var state: DeviceState?
        if case .record(let record) = try await flow.read() {
            let meaning = process.policies.meaning
            state = meaning.state(of: record)
            if let write = meaning.write(max(mark, flow.turn.queued ?? .known), over: record) {
                let reply = await flow.write(write, for: event)
                if reply?.answer == .badDeviceToken { try await flow.refuse() }
                state = flow.notes.written
                if state == nil { flow.notes.queue(write.state, for: event) }
            }
        } else {
            flow.notes.queue(mark, for: event)
        }
        flow.notes.rows.append([
            "kind": "mark", "purpose": .string(event), "outcome": .string(state?.rawValue ?? "queued"),
            "detail": ["before": JSONValue(flow.notes.shown?.rawValue)],
        ])
        _ = try await flow.end()
        return [
            "object": "deviceMark", "accountId": .string(question.account.description), "event": .string(event),
            "state": JSONValue(state?.rawValue), "isQueued": .bool(state == nil),
            "checkId": .string(flow.turn.flow.description),
        ]
    }

    /// Asks Apple whether a token is genuine: made lately, on a real device, by an app of the team.
    func validate(_ question: DeviceQuestion) async throws(Failure) -> JSONValue {
        let flow = try await DeviceFlow(self, question, isFinal: false, isAlone: false)
        var isGenuine = false
        if question.environment == process.settings.environment, let reply = await flow.ask(.validate) {
            isGenuine = reply.answer == .ok
            flow.notes.rows.append(["kind": "validate", "outcome": isGenuine ? "genuine" : "not-genuine"])
            _ = try await flow.end()
            if !isGenuine, reply.answer != .badDeviceToken { throw unavailable(reply) }
        }
        return [
            "object": "deviceValidation", "accountId": .string(question.account.description),
            "isGenuine": .bool(isGenuine), "checkId": .string(flow.turn.flow.description),
        ]
    }

    /// Has a mark wait for an account's next visit; for what happens while its device is not here.
    ///
    /// - Parameter origin: What has happened, for the history: the type of an event, or who has said so.
    /// - Returns: Whether there is such an account.
    @discardableResult
    func queue(_ event: String, of account: UUIDBytes, from origin: String) async throws -> Bool {
        guard let mark = process.policies.mark(of: event) else { throw unknownEvent }
        let statement = DeviceStatement.queue(account, mark.rawValue, event, origin)
        return try await loop.database.write(statement, key: account).first()
    }

    private var unknownEvent: Failure {
        let names = process.policies.events.map(\.name).joined(separator: ", ")
        return Failure(.deviceEventUnknown, message: "There are marks for \(names).", field: "event")
    }

    private func policy(of purpose: String) throws(Failure) -> DevicePolicy {
        guard let policy = process.policies.policy(of: purpose) else {
            let names = process.policies.policies.map(\.purpose).joined(separator: ", ")
            throw Failure(.devicePurposeUnknown, message: "There are policies for \(names).", field: "purpose")
        }
        return policy
    }

    private func decide(_ policy: DevicePolicy, _ device: DeviceEvidence.Device, _ flow: DeviceFlow) -> DeviceDecision {
        let decision = process.policies.decide(policy, on: flow.evidence(device))
        metrics.count(decision, on: policy.purpose, of: flow.notes.shown)
        return decision
    }

    /// Writes a mark that has waited; where that does not work it goes on waiting, and counts all the same.
    private func writeQueued(_ decision: DeviceDecision, _ flow: DeviceFlow) async {
        guard let write = decision.queuedWrite else { return }
        if let reply = await flow.write(write, for: "waiting"), reply.answer != .ok {
            flow.notes.hasFailedToWrite = true
        }
    }

    private func note(
        _ decision: DeviceDecision,
        _ policy: DevicePolicy,
        _ kind: String,
        _ flow: DeviceFlow,
        outcome: String? = nil
    ) {
        var detail: [JSONMember] = [
            JSONMember("reason", .string(decision.reason.rawValue)),
            JSONMember("environment", .string(flow.question.environment.rawValue)),
            JSONMember("before", JSONValue(flow.notes.shown?.rawValue)),
            JSONMember("after", JSONValue((flow.notes.written ?? flow.notes.shown)?.rawValue)),
            JSONMember("policyVersion", JSONValue(decision.policyVersion)),
            JSONMember("needsReview", .bool(flow.notes.needsReview || decision.needsReview)),
        ]
        if let queued = flow.turn.queued { detail.append(JSONMember("waiting", .string(queued.rawValue))) }
        if case .none(let reason) = flow.question.proof { detail.append(JSONMember("unsupported", .string(reason))) }
        flow.notes.rows.append([
            "kind": .string(kind), "purpose": .string(policy.purpose),
            "outcome": .string(outcome ?? decision.verdict.rawValue), "detail": .object(detail),
        ])
    }

    /// What an app is answered: a decision, or that there is none now.
    private func members(
        _ object: String,
        _ decision: DeviceDecision,
        _ policy: DevicePolicy,
        _ device: DeviceEvidence.Device,
        _ flow: DeviceFlow
    ) throws(Failure) -> [JSONMember] {
        if decision.verdict == .unknown, decision.reason == .unavailable { throw Failure(.deviceCheckUnavailable) }
        var lastUpdate: DeviceMonth?
        if case .record(let record) = device { lastUpdate = record.lastUpdate }
        return [
            .kind(object), JSONMember("accountId", .string(flow.question.account.description)),
            JSONMember("purpose", .string(policy.purpose)), JSONMember("decision", .string(decision.verdict.rawValue)),
            JSONMember("reason", .string(decision.reason.rawValue)),
            JSONMember("state", JSONValue(decision.state?.rawValue)),
            JSONMember("lastUpdate", JSONValue(lastUpdate?.text)),
            JSONMember("needsReview", .bool(flow.notes.needsReview || decision.needsReview)),
            JSONMember("checkId", .string(flow.turn.flow.description)),
        ]
    }

    func unavailable(_ reply: DeviceServiceReply) -> Failure {
        let wait = reply.retryAfter.map { Int($0.components.seconds) + 1 }
        return Failure(.deviceCheckUnavailable, reply.answer.outcome, retryAfter: wait)
    }
}
