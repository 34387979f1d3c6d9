import Cryptography
import DeviceAttestation
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

// Marks that are taken off a device: by support, and by an owner who gives it away.

extension DeviceCheckPart {
    /// Makes a code with which the next device of an account is reset, for support that has heard its owner.
    ///
    /// - Throws: `not_found` for an account that is erased or unknown.
    func resetCode(for account: UUIDBytes, by name: String, reason: String) async throws(Failure) -> JSONValue {
        let code = ResetCode(loop.reactor.random)
        let answer = try await Failure.mapErrors {
            try await code.keep(for: account, by: name, reason: reason, in: loop.database)
        }
        guard let answer else { throw Failure(.notFound) }
        return answer
    }

    /// Gives a device back its good name, by a code of support.
    func reset(_ question: DeviceQuestion, code: String) async throws(Failure) -> JSONValue {
        let digest = ResetCode.digest(of: code)
        // First its turn, then the look: a code that another request is using up is not good for a second device.
        let flow = try await DeviceFlow(self, question, isFinal: true)
        let found = try await Failure.mapErrors {
            try await loop.database.read(DeviceStatement.resetFind(question.account, digest)).single()
        }
        guard let found else {
            _ = try await flow.end()
            throw Failure(.deviceResetCodeWrong, field: "code")
        }
        let detail = [
            JSONMember("operator", .string(found.operatorName)), JSONMember("reason", .string(found.reason)),
        ]
        try await lower(flow, "reset", hasBlocked: process.settings.resetsBlocked, detail)
        flow.notes.isReset = true
        _ = try await flow.end()
        return answer("deviceReset", flow)
    }

    /// Takes the marks off a device whose owner gives it away; what the account has had stays had.
    func release(_ question: DeviceQuestion) async throws(Failure) -> JSONValue {
        let flow = try await DeviceFlow(self, question, isFinal: true)
        let isEarly = try await Failure.mapErrors {
            try await loop.database.read(DeviceStatement.hasReleased(question.account)).first()
        }
        guard !isEarly else {
            _ = try await flow.end()
            throw Failure(.deviceReleasedLately)
        }
        try await lower(flow, "release", hasBlocked: false, [])
        flow.notes.isReleased = true
        _ = try await flow.end()
        return answer("deviceRelease", flow)
    }

    /// Writes `known`, whatever the device has.
    ///
    /// - Parameter hasBlocked: Whether that may be fraud.
    /// - Throws: Why it is not written; the request is ended.
    private func lower(
        _ flow: DeviceFlow,
        _ kind: String,
        hasBlocked: Bool,
        _ detail: [JSONMember]
    ) async throws(Failure) {
        let meaning = process.policies.meaning
        guard case .record(let record) = try await flow.read() else {
            _ = try await flow.end()
            throw Failure(.deviceCheckUnavailable)
        }
        if !hasBlocked, meaning.state(of: record) == .blocked || flow.turn.queued == .blocked {
            _ = try await flow.end()
            throw Failure(.deviceBlocked)
        }
        guard let write = meaning.write(exactly: .known, over: record) else { throw Failure(.internalError) }
        let reply = await flow.write(write, for: kind)
        if let reply, reply.answer != .ok {
            if reply.answer == .badDeviceToken { try await flow.refuse() }
            _ = try await flow.end()
            throw unavailable(reply)
        }
        flow.notes.forgiven = hasBlocked ? .blocked : .paid
        let before = JSONMember("before", JSONValue(flow.notes.shown?.rawValue))
        flow.notes.rows.append([
            "kind": .string(kind), "outcome": .string(DeviceState.known.rawValue), "detail": .object([before] + detail),
        ])
    }

    private func answer(_ object: String, _ flow: DeviceFlow) -> JSONValue {
        [
            "object": .string(object), "accountId": .string(flow.question.account.description),
            "state": .string(DeviceState.known.rawValue), "checkId": .string(flow.turn.flow.description),
        ]
    }
}

extension FailureCode {
    /// A code that support has not made, or that has ended.
    static let deviceResetCodeWrong = FailureCode(
        "device_reset_code_wrong",
        .forbidden,
        "The code is wrong, was used, or has ended. Ask support for another one."
    )
    /// A device on which fraud was found.
    static let deviceBlocked = FailureCode(
        "device_blocked",
        .conflict,
        "Fraud was found on this device or by this account; that stays."
    )
    /// An account that has released a device already.
    static let deviceReleasedLately = FailureCode(
        "device_released_lately",
        .conflict,
        "An account releases one device a year."
    )
}
