import Primitives
import SimulatorCore
import StrictJSON

/// What becomes of a request.
struct PushReply: Sendable {
    /// How the client hears of it.
    enum Ending: Sendable, Equatable {
        /// By an answer.
        case answer(SimulatorAnswer)
        /// Not at all: the connection is reset.
        case drop
        /// By the end of its stream, with a code.
        case reset(UInt32)
        /// Not at all: its stream is beyond the last one that is taken.
        case ignored
    }

    var ending: Ending
    /// Before it.
    var delay: Duration = .zero

    /// An answer of the service.
    ///
    /// - Parameters:
    ///   - reason: `nil` for an accepted notification.
    ///   - deadSince: In milliseconds since 1970 on the wire.
    ///   - id: Of the notification.
    static func answer(_ status: Int, _ reason: String?, deadSince: WallTime?, id: String) -> SimulatorAnswer {
        guard let reason else { return SimulatorAnswer(status, [("apns-id", id)]) }
        var members = [JSONMember("reason", .string(reason))]
        if let deadSince { members.append(JSONMember("timestamp", JSONValue(Int(deadSince.microseconds / 1_000)))) }
        let body = JSONValue.object(members).bytes
        return SimulatorAnswer(status, [("apns-id", id), ("content-type", "application/json")], body: body)
    }
}

/// An answer that a tester wants in place of the service's own.
struct ReplyRule: Sendable {
    /// In lower case; `nil` for every token.
    var token: String?
    /// How many requests it still answers; `nil` for all.
    var count: Int?
    var delay: Duration
    var action: Action

    enum Action: Sendable {
        /// The service's own answer, late.
        case own
        case status(Int, reason: String?, deadSince: WallTime?)
        /// Whatever bytes.
        case raw(Int, [UInt8])
        case drop
        case reset(UInt32)
    }

    /// The rule that a tester describes.
    ///
    /// - Throws: 400, naming what is wrong.
    init(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("token", .text(4_096)), .init("count", .count), .init("delayMs", .count), .init("status", .count),
            .init("reason", .text(200)), .init("timestamp", .count), .init("body", .text(65_536)),
            .init("drop", .flag), .init("resetCode", .count),
        ])
        let value = body.value
        token = value["token"]?.text?.lowercased()
        count = value["count"]?.integer
        let milliseconds = value["delayMs"]?.integer ?? 0
        guard milliseconds <= 600_000 else { throw ControlError("delayMs is more than ten minutes.") }
        delay = .milliseconds(milliseconds)
        let reason = value["reason"]?.text
        let status = value["status"]?.integer ?? reason.flatMap { PushReason(rawValue: $0)?.status }
        if let status, !(200...599).contains(status) { throw ControlError("status is not an HTTP status.") }
        switch (value["drop"]?.flag ?? false, value["resetCode"]?.integer, status) {
        case (true, nil, nil): action = .drop
        case (false, let code?, nil): action = .reset(UInt32(clamping: code))
        case (false, nil, let status?):
            if let raw = value["body"]?.text {
                action = .raw(status, Array(raw.utf8))
            } else {
                let time = value["timestamp"]?.integer.map { ReplyRule.time(milliseconds: $0) }
                action = .status(status, reason: reason, deadSince: time)
            }
        case (false, nil, nil) where milliseconds > 0 && reason == nil: action = .own
        case (false, nil, nil) where reason != nil: throw ControlError("reason is unknown; name a status with it.")
        case (false, nil, nil): throw ControlError("The answer does nothing.")
        default: throw ControlError("One of status, drop and resetCode is possible.")
        }
    }

    private static func time(milliseconds: Int) -> WallTime {
        WallTime(microseconds: Int64(clamping: milliseconds).multipliedReportingOverflow(by: 1_000).partialValue)
    }

    /// The rule that a fault of the common kind comes to.
    init(_ fault: Fault) {
        token = nil
        count = 1
        delay = fault.delay + fault.processing
        switch fault.kind {
        case .none: action = .own
        case .refusal(let status, let reason): action = .status(status, reason: reason, deadSince: nil)
        case .resetBefore, .resetAfter, .truncateBody: action = .drop
        case .htmlBody(let status):
            let page = SimulatorAnswer.gatewayPage(status ?? 502)
            action = .raw(page.status, page.body)
        case .badJSON, .wrongContentType: action = .raw(500, Array("{".utf8))
        case .slowBody(let pause):
            delay += pause
            action = .own
        }
    }

    /// Whether it is about a request.
    func fits(_ token: String?) -> Bool {
        guard let wanted = self.token else { return true }
        return token?.lowercased().octets == wanted.octets
    }

    var json: JSONValue {
        var members = [
            JSONMember("token", JSONValue(token)), JSONMember("count", count.map { JSONValue($0) } ?? .null),
        ]
        switch action {
        case .own: members.append(JSONMember("answer", "own"))
        case .status(let status, let reason, _):
            members += [JSONMember("status", JSONValue(status)), JSONMember("reason", JSONValue(reason))]
        case .raw(let status, _): members.append(JSONMember("status", JSONValue(status)))
        case .drop: members.append(JSONMember("drop", true))
        case .reset(let code): members.append(JSONMember("resetCode", JSONValue(Int(code))))
        }
        return .object(members)
    }

    /// What becomes of a request that the service would answer so.
    func reply(own: SimulatorAnswer, id: String) -> PushReply {
        switch action {
        case .own: PushReply(ending: .answer(own), delay: delay)
        case .status(let status, let reason, let time):
            PushReply(ending: .answer(PushReply.answer(status, reason, deadSince: time, id: id)), delay: delay)
        case .raw(let status, let body):
            PushReply(ending: .answer(SimulatorAnswer(status, [("apns-id", id)], body: body)), delay: delay)
        case .drop: PushReply(ending: .drop, delay: delay)
        case .reset(let code): PushReply(ending: .reset(code), delay: delay)
        }
    }

    /// Whether the notification is taken all the same.
    var isAccepting: Bool {
        if case .own = action { true } else { false }
    }
}
