import DeviceAttestation
import EventIO
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
import Web

/// One request of an account that talks to Apple: what it has asked, and what is to be noted of it at its end.
///
/// Not `Sendable`.
final class DeviceFlow {
    let part: DeviceCheckPart
    let question: DeviceQuestion
    let turn: DeviceTurn
    /// What is noted at the end.
    var notes = DeviceNotes()

    /// Begins a request; the only statement before Apple is asked.
    ///
    /// - Parameters:
    ///   - aim: The purpose, for what the account had for it.
    ///   - isFinal: Whether nothing more is done with the token.
    ///   - isAlone: Whether other requests of the account wait for it.
    /// - Throws: `device_token_used`, `device_check_busy`, `not_found`, and what the store says.
    init(
        _ part: DeviceCheckPart,
        _ question: DeviceQuestion,
        aim: String? = nil,
        isFinal: Bool,
        isAlone: Bool = true
    ) async throws(Failure) {
        let statement = DeviceStatement.begin(
            question.account,
            UUIDBytes(version4: part.loop.reactor.random),
            question.checkID,
            question.token.map(part.hash),
            isFinal,
            aim,
            isAlone ? DeviceCheckPart.lease : .zero,
            part.process.settings.claimTime
        )
        turn = try await Failure.mapErrors {
            try await part.loop.database.write(statement, key: question.account).first()
        }
        self.part = part
        self.question = question
        switch turn.outcome {
        case .ready: break
        case .closed: throw Failure(.notFound)
        case .busy: throw Failure(.deviceCheckBusy, retryAfter: max(1, turn.wait))
        case .replayed:
            part.metrics.countReplay()
            throw Failure(.deviceTokenUsed, field: "deviceToken", context: NewTokenContext())
        }
    }

    /// Asks Apple, and notes it.
    func ask(_ request: DeviceCheckRequest) async -> DeviceServiceReply? {
        guard let token = question.token, let service = part.service else { return nil }
        let reply = await service.ask(request, about: token, in: question.environment)
        if reply.answer == .badDeviceToken { notes.isRefused = true }
        notes.rows.append(reply.row(of: request.call, in: question.environment))
        return reply
    }

    /// What Apple says of the device, or why that is not known.
    ///
    /// - Throws: `device_token_refused` for one that the app can do better with; the request is ended.
    func read() async throws(Failure) -> DeviceEvidence.Device {
        switch question.proof {
        case .none: return .unknown(.unsupported)
        case .bypass: return .record(.neverSet)
        case .token: break
        }
        guard question.environment == part.process.settings.environment else { return .unknown(.otherEnvironment) }
        guard let reply = await ask(.query) else { return .unknown(.unsupported) }
        switch reply.answer {
        case .record(let record):
            notes.shown = part.process.policies.meaning.state(of: record)
            return .record(record)
        case .badDeviceToken:
            // Two new ones were no better: then nobody can tell.
            if turn.refusals >= 2 { return .unknown(.badToken) }
            try await refuse()
        case .credentials, .credentialsExpired, .badRequest: return .unknown(.credentials)
        case .throttled, .unavailable, .unreadable, .ok: return .unknown(.unavailable)
        }
    }

    /// Ends the request and tells the app to make another token.
    func refuse() async throws(Failure) -> Never {
        _ = try await end()
        throw Failure(.deviceTokenRefused, field: "deviceToken", context: NewTokenContext())
    }

    /// Writes both bits.
    ///
    /// - Returns: `nil` where there is nothing to be asked.
    func write(_ write: DeviceWrite, for reason: String) async -> DeviceServiceReply? {
        let reply = await ask(.update(write.bits))
        guard reply == nil || reply?.answer == .ok else { return reply }
        notes.written = write.state
        // Another writer who has read less may have written behind us: a later read has to show it.
        if write.state > .trialUsed { notes.queue(write.state, for: reason) }
        return reply
    }

    /// What is known when the decision is made.
    func evidence(_ device: DeviceEvidence.Device) -> DeviceEvidence {
        DeviceEvidence(
            device,
            queued: turn.queued,
            hasTaken: turn.hasTaken,
            pending: pending(on: device),
            month: DeviceMonth(question.now)
        )
    }

    /// The mark of the account's own claim that was cut off, where the device can be the one that it has marked.
    ///
    /// One that was last changed before is another one. A day is for months that begin elsewhere.
    private func pending(on device: DeviceEvidence.Device) -> DeviceState? {
        guard let since = turn.pendingSince, case .record(let record) = device else { return nil }
        let month = DeviceMonth(since + .seconds(-86_400))
        if let changed = record.lastUpdate, changed.months(since: month) < 0 { return nil }
        return turn.pending
    }

    /// Notes everything in one commit.
    ///
    /// - Throws: `not_found` for an account that was erased meanwhile, `device_check_busy` for a claim that another request has taken over or
    ///   carried out.
    func end() async throws(Failure) -> DeviceConclusion {
        if question.token != nil, notes.isLeftWaiting { part.metrics.countUnwritten() }
        let statement = DeviceStatement.end(question.account, turn.flow, notes.json.description)
        let conclusion = try await Failure.mapErrors {
            try await part.loop.database.write(statement, key: question.account).first()
        }
        switch conclusion.outcome {
        case .done: return conclusion
        case .closed: throw Failure(.notFound)
        case .lost, .used: throw Failure(.deviceCheckBusy)
        }
    }
}

/// What is noted at the end of a request.
struct DeviceNotes {
    enum Claim: String {
        case grant, uncertain, drop
    }

    var claim: Claim?
    var purpose: String?
    var isOnce = false
    var wanted: DeviceState?
    var environment: DeviceEnvironment?
    var needsReview = false
    /// What Apple has said.
    var shown: DeviceState?
    var written: DeviceState?
    private(set) var queued: DeviceState?
    private var queuedFor: String?
    /// Whether a mark was to be written, and was not.
    var hasFailedToWrite = false
    var isRefused = false
    var isReleased = false
    var isReset = false
    /// The highest mark that waits no more because a person has said so.
    var forgiven: DeviceState?
    var rows: [JSONValue] = []

    /// Has a mark wait for the account's next visit, unless a higher one does.
    mutating func queue(_ mark: DeviceState, for reason: String) {
        guard queued.map({ $0 < mark }) ?? true else { return }
        queued = mark
        queuedFor = reason
    }

    /// Whether a mark waits that would be on the device had Apple answered.
    var isLeftWaiting: Bool { written == nil && (queued != nil || hasFailedToWrite) }

    var json: JSONValue {
        [
            "claim": JSONValue(claim?.rawValue), "purpose": JSONValue(purpose), "once": .bool(isOnce),
            "wanted": JSONValue(wanted?.rawValue), "review": .bool(needsReview),
            "environment": JSONValue(environment?.rawValue), "shown": JSONValue(shown?.rawValue),
            "written": JSONValue(written?.rawValue), "queue": JSONValue(queued?.rawValue), "why": JSONValue(queuedFor),
            "refused": .bool(isRefused), "released": .bool(isReleased), "reset": .bool(isReset),
            "forgive": JSONValue(forgiven?.rawValue), "rows": .array(rows),
        ]
    }
}
