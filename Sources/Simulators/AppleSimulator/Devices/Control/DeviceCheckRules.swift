import SimulatorCore
import StrictJSON

/// How the service behaves where nobody knows what Apple's does, until a tester says otherwise.
struct DeviceCheckRules: Sendable {
    /// How often a token of a device is good.
    enum Use: String, Sendable, CaseIterable {
        /// As long as it lives.
        case lenient
        /// Once for each call.
        case strict
        /// Once.
        case once
    }

    /// What an update makes of a bit that it does not name.
    enum AbsentBit: String, Sendable, CaseIterable {
        case keep
        case `false`
        case refuse
    }

    /// The texts of answers.
    enum Wording: String, Sendable, CaseIterable {
        /// As servers have seen them.
        case wire
        case documented
    }

    var use = Use.lenient
    var absentBit = AbsentBit.keep
    var wording = Wording.wire
    /// Whether a line break ends each text.
    var hasNewline = false
    /// How long a token of a device is good, in seconds of the simulated clock.
    var tokenLife = 120
    /// How long a new receipt is exchanged for no newer one, in seconds of the simulated clock.
    var receiptPause = 86_400

    /// Takes over what a tester names.
    ///
    /// - Throws: 400, naming what is wrong.
    mutating func apply(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("use", .oneOf(Use.allCases.map(\.rawValue))),
            .init("absentBit", .oneOf(AbsentBit.allCases.map(\.rawValue))),
            .init("wording", .oneOf(Wording.allCases.map(\.rawValue))), .init("newline", .flag),
            .init("tokenLife", .count), .init("receiptPause", .count),
        ])
        let value = body.value
        use = value["use"]?.text.flatMap { Use(rawValue: $0) } ?? use
        absentBit = value["absentBit"]?.text.flatMap { AbsentBit(rawValue: $0) } ?? absentBit
        wording = value["wording"]?.text.flatMap { Wording(rawValue: $0) } ?? wording
        hasNewline = value["newline"]?.flag ?? hasNewline
        tokenLife = min(value["tokenLife"]?.integer ?? tokenLife, 86_400)
        receiptPause = min(value["receiptPause"]?.integer ?? receiptPause, 60 * 86_400)
    }

    var json: JSONValue {
        [
            "use": .string(use.rawValue), "absentBit": .string(absentBit.rawValue),
            "wording": .string(wording.rawValue), "newline": .bool(hasNewline), "tokenLife": JSONValue(tokenLife),
            "receiptPause": JSONValue(receiptPause),
        ]
    }

    // MARK: Texts

    /// The answer of a refusal.
    func answer(_ refusal: DeviceCheckRefusal) -> SimulatorAnswer {
        guard refusal != .tooEarly else { return SimulatorAnswer(refusal.status) }
        return text(refusal.status, wording == .wire ? refusal.seen : refusal.documented)
    }

    /// The answer to a query about a device that was never told anything.
    var neverSet: SimulatorAnswer {
        text(200, wording == .wire ? "Failed to find bit state" : "Bit State Not Found")
    }

    /// An answer that is a text.
    func text(_ status: Int, _ text: String) -> SimulatorAnswer {
        let fields = [("content-type", "text/plain; charset=utf-8")]
        return SimulatorAnswer(status, fields, body: Array((text + (hasNewline ? "\n" : "")).utf8))
    }
}
