import Foundation
import Primitives
import StrictJSON

@testable import Wallet

/// Lines in which phones say what has gone wrong.
enum PhoneLogVectors: VectorKind {
    static let fileName = "log-cases.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try (document["cases"]?.elements ?? []).enumerated().map { index, item in
            guard let text = item["line"]?.text, let parsed = item["parsed"] else {
                throw VectorError(description: "a case without line and parsed")
            }
            let line = DeviceLogLine(text)
            let found: [(String, String?)] = [
                ("kind", line.kind.rawValue), ("at", line.at.map { CalendarDate($0).extendedText }),
                ("device", line.device), ("pass_type", line.passType), ("serial", line.serial), ("tag", line.tag),
                ("if_modified_since", line.ifModifiedSince),
                // A line of no known shape keeps its text, which the case need not repeat.
                ("message", parsed["message"] == nil ? nil : line.message),
            ]
            return VectorOutcome(
                "line \(index + 1)",
                found: describe(found),
                expected: describe(found.map { ($0.0, parsed[$0.0]?.text) })
            )
        }
    }

    private static func describe(_ members: [(name: String, value: String?)]) -> String {
        members.compactMap { name, value in value.map { "\(name) \($0)" } }.joined(separator: ", ")
    }
}
