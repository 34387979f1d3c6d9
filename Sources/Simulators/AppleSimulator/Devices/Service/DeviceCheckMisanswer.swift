import Primitives
import SimulatorCore

/// Something that the service never says, by the word under which a fault names it.
enum DeviceCheckMisanswer: String, Sendable, CaseIterable {
    /// The text of a device that was never told anything.
    case neverSet
    case empty
    case cutJSON = "cutJson"
    case list
    case oneBit
    case textBits
    case redirect
    /// More than a client reads.
    case huge
    /// A refusal of the token of a device, inside an object.
    case message

    /// The HTTP status, where the fault names none.
    var status: Int {
        switch self {
        case .neverSet, .empty, .cutJSON, .list, .oneBit, .textBits, .huge: 200
        case .redirect: 307
        case .message: 400
        }
    }

    private static let hugeSize = 1 << 20

    /// Its content; `nil` for a text of the service.
    var content: String? {
        switch self {
        case .neverSet: nil
        case .empty, .redirect: ""
        case .cutJSON: #"{"bit0":true,"bit1":fal"#
        case .list: "[true,false]"
        case .oneBit: #"{"bit0":true,"last_update_time":"2026-01"}"#
        case .textBits: #"{"bit0":"true","bit1":"false","last_update_time":"2026-01"}"#
        case .huge:
            #"{"bit0":false,"bit1":false,"padding":""# + String(repeating: "x", count: Self.hugeSize) + #""}"#
        case .message: #"{"responseMessage":"Missing or incorrectly formatted device token payload"}"#
        }
    }
}

extension DeviceCheckModel {
    /// The HTTP status of a word that a fault names as its reason.
    static func status(ofReason word: String) -> Int? {
        DeviceCheckRefusal(rawValue: word)?.status ?? DeviceCheckMisanswer(rawValue: word)?.status
            ?? ReceiptFlaw(rawValue: word).map { _ in 200 }
    }

    /// The answer of a fault: the text of its word, its word as a text, or the text of its status.
    func misanswer(_ status: Int, _ reason: String?, _ pause: DeviceCheckPause) -> SimulatorAnswer {
        var answer: SimulatorAnswer
        if let word = reason.flatMap({ DeviceCheckMisanswer(rawValue: $0) }) {
            answer =
                word.content.map { content in
                    SimulatorAnswer(0, [("content-type", "application/json")], body: Array(content.utf8))
                } ?? state.rules.neverSet
            if word == .redirect {
                // Another host of the same machine, so that the log shows who follows.
                let base = configuration.baseURL.octets.parts(between: UInt8(ascii: ":")).last ?? ""
                let place = "http://localhost:\(base)/redirected\(pause.request.path)"
                answer.fields.append(.init(name: "location", value: place))
            }
        } else if let refusal = reason.map({ DeviceCheckRefusal(rawValue: $0) }) ?? DeviceCheckRefusal(status: status) {
            answer = state.rules.answer(refusal)
        } else {
            answer = state.rules.text(0, reason ?? "")
        }
        answer.status = status
        if let text = pause.fault?.retryAfter { answer.fields.append(.init(name: "retry-after", value: text)) }
        return answer
    }
}
