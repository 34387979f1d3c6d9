import DeviceAttestation
import Foundation
import StrictJSON

/// Answers of Apple's DeviceCheck service, with what each means and whether another try can make sense.
enum DeviceCheckVectors: VectorKind {
    static let fileName = "devicecheck-answers.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try (document["cases"]?.elements ?? []).map { item in
            guard let id = item["id"]?.text, let status = item["status"]?.integer, let text = item["body"]?.text,
                let call = item["operation"]?.text.flatMap({ DeviceCheckCall(rawValue: $0) }),
                let expected = item["expect"], let outcome = expected["outcome"]?.text,
                let canRetry = expected["retry"]?.flag
            else { throw VectorError(description: "a case without call, answer and outcome") }
            let answer = DeviceCheckAnswer(to: call, status: status, content: Array(text.utf8))
            var record: DeviceRecord?
            if case .record(let found) = answer { record = found }
            return VectorOutcome(
                id,
                found: describe(
                    answer.outcome,
                    record?.bits.map { [$0.bit0, $0.bit1] } ?? [],
                    record?.lastUpdate?.text,
                    answer.canRetry
                ),
                expected: describe(
                    outcome,
                    expected["bits"]?.elements.compactMap(\.flag) ?? [],
                    expected["lastUpdate"]?.text,
                    canRetry
                )
            )
        }
    }

    private static func describe(_ outcome: String, _ bits: [Bool], _ month: String?, _ canRetry: Bool) -> String {
        let digits = bits.map { $0 ? "1" : "0" }.joined()
        return [outcome, digits, month ?? "", canRetry ? "retry" : ""].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
