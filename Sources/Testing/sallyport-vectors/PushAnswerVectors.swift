import Foundation
import HTTPCore
import Primitives
import StrictJSON

@testable import Wallet

/// Answers of the push service, and connections that fail, with what is done about each.
enum PushAnswerVectors: VectorKind {
    static let fileName = "apns-cases.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try (document["cases"]?.elements ?? []).map { item in
            guard let wanted = item["action"]?.text else { throw VectorError(description: "a case without action") }
            let what = item["event"]?.text ?? "\(item["status"]?.integer ?? 0) \(item["body"]?["reason"]?.text ?? "")"
            let action = try action(of: item)
            let seconds = item["seconds"]?.integer
            return VectorOutcome(
                [what, item["age"]?.text].compactMap(\.self).joined(separator: ", "),
                found: describe(action),
                expected: wanted + (seconds.map { " \($0) s" } ?? "")
                    + (item["guard"] == nil ? "" : ", guarded")
                    + (item["note"]?.text == "on a new connection" ? ", on a new connection" : "")
            )
        }
    }

    private static func action(of item: JSONValue) throws -> PushAction {
        guard let event = item["event"]?.text else {
            guard let status = item["status"]?.integer else {
                throw VectorError(description: "neither status nor event")
            }
            let body = item["body"].map { $0.text ?? $0.description } ?? ""
            let answer = PushAnswer(InboundResponse(status: status, body: Array(body.utf8)))
            return answer.action(tokenStored: try stored(item, answer))
        }
        let codes: [(words: String, code: HTTPExchangeError.Code)] = [
            ("connect refused", .connectFailed), ("connection lost", .connectionLost), ("request timeout", .timedOut),
            ("GOAWAY", .refused), ("REFUSED_STREAM", .refused),
        ]
        guard let code = codes.first(where: { event.contains($0.words) })?.code else {
            throw VectorError(description: "an unknown event: \(event)")
        }
        return PushAction(HTTPExchangeError(code))
    }

    /// A second before the service calls the token dead, or behind it where the phone has registered again.
    private static func stored(_ item: JSONValue, _ answer: PushAnswer) throws -> WallTime {
        let dead = answer.deadSince ?? WallTime(seconds: 1_795_251_600)
        return dead + .seconds(item["age"]?.text?.contains("again after") == true ? 1 : -1)
    }

    private static func describe(_ action: PushAction) -> String {
        switch action {
        case .done: return "done"
        case .keep: return "keep"
        case .halt: return "halt"
        case .renewToken: return "remint_once"
        case .drop(let isSuspect): return "drop" + (isSuspect ? ", guarded" : "")
        case .again(let pause), .keepOlderToken(let pause):
            // Zero seconds stand for at once; not at full speed, though.
            let whole = Int(pause.base / .seconds(1))
            return "retry_after \(whole) s" + (pause.needsNewConnection ? ", on a new connection" : "")
        }
    }
}
