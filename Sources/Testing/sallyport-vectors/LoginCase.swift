import Foundation
import StrictJSON

/// Cases of login providers: each has a verdict, and a reason where it is refused.
enum LoginCase {
    /// Judges cases, each by a function that gives `nil` where it accepts and a reason where it refuses.
    static func judge(
        _ cases: [JSONValue],
        _ refusal: (JSONValue) throws -> String?
    ) throws -> [VectorOutcome] {
        try cases.map { item in
            guard let id = item["id"]?.text else { throw VectorError(description: "a case without id") }
            let found = try refusal(item)
            let others = item["also_accepted_reasons"]?.elements ?? []
            let reasons = ([item["reason"]].compactMap(\.self) + others).compactMap(\.text)
            let isRefused = item["verdict"]?.text == "reject"
            return VectorOutcome(
                id: id,
                isAsExpected: isRefused ? found.map { reasons.contains($0) } ?? false : found == nil,
                verdict: found.map { "reject, \($0)" } ?? "accept",
                expected: isRefused ? "reject, " + reasons.joined(separator: " or ") : "accept"
            )
        }
    }

    /// A text that a case cannot be without.
    static func text(_ value: JSONValue?, _ name: String) throws -> String {
        guard let text = value?[name]?.text else { throw VectorError(description: "a case without \(name)") }
        return text
    }

    /// Another file of the folder.
    static func document(_ name: String, in folder: URL) throws -> JSONValue {
        try JSONParser.parse(Array(Data(contentsOf: folder.appendingPathComponent(name))), depth: 64)
    }
}
