import Foundation
import HTTPCore
import Primitives
import StrictJSON

/// Dates in requests for what is newer, and whether the answer is that nothing is.
enum HTTPDateVectors: VectorKind {
    static let fileName = "http-date-cases.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        guard let modified = document["last_modified"]?.text.flatMap(HTTPDate.time(of:)) else {
            throw VectorError(description: "no date in last_modified")
        }
        return try (document["cases"]?.elements ?? []).map { item in
            guard let text = item["value"]?.text, let status = item["status"]?.integer else {
                throw VectorError(description: "a case without value and status")
            }
            let time = HTTPDate.time(ofAnyForm: text, now: modified)
            let isUnchanged = time.map { $0 >= modified } ?? false
            let expected = item["epoch"]?.integer
            return VectorOutcome(
                id: "\"\(text)\"",
                isAsExpected: time?.seconds == expected.map { Int64($0) } && (isUnchanged ? 304 : 200) == status,
                verdict: "\(time.map { String($0.seconds) } ?? "no date"), \(isUnchanged ? 304 : 200)",
                expected: "\(expected.map { String($0) } ?? "no date"), \(status)"
            )
        }
    }
}
