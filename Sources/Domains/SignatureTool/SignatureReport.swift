import AmazonPay
import StrictJSON

/// An explained signature as lines for people and as one JSON object for programs.
package struct SignatureReport {
    /// What became of the signature.
    package let verdict: SignatureVerdict
    /// Title and text of what the signature stands for; nothing for a button, whose payload is the input itself.
    private let canonical: String?
    private let hash: String
    private let stringToSign: String
    private let differences: [TextDifference]
    private let hints: [SignatureHint]

    /// The report on a request.
    ///
    /// - Parameters:
    ///   - notes: On how the request was read; they follow the hints.
    package init(_ explanation: SignatureExplanation, _ notes: [SignatureHint]) {
        verdict = explanation.verdict
        canonical = explanation.canonicalRequest
        hash = explanation.canonicalHash
        stringToSign = explanation.stringToSign
        differences = explanation.differences
        hints = explanation.hints + notes
    }

    /// The report on a button payload.
    ///
    /// - Parameters:
    ///   - notes: On how the input was read; they follow the hints.
    package init(_ explanation: ButtonExplanation, _ notes: [SignatureHint]) {
        verdict = explanation.verdict
        canonical = nil
        hash = explanation.payloadHash
        stringToSign = explanation.stringToSign
        differences = explanation.differences
        hints = explanation.hints + notes
    }

    /// For people.
    package var lines: [String] {
        var lines: [String] = []
        if let canonical {
            lines.append("canonical request, joined by line feeds, nothing behind the last line:")
            lines += numbered(canonical)
        }
        lines.append("SHA-256 of the \(canonical == nil ? "payload" : "canonical request"): \(hash)")
        lines.append("string to sign:")
        lines += numbered(stringToSign)
        lines.append("verdict: \(verdict.sentence)")
        for difference in differences {
            lines += [
                "first difference, line \(difference.line), column \(difference.column): \(difference.note)",
                "      as sent    \(SignatureReport.visible(difference.ours))",
                "      as signed  \(SignatureReport.visible(difference.theirs))",
            ]
        }
        lines += hints.map { "hint \($0.code): \(SignatureReport.visible($0.text))" }
        return lines
    }

    /// For programs.
    package var json: String {
        var members: [JSONMember] = []
        if let canonical { members.append(JSONMember("canonicalRequest", .string(canonical))) }
        members += [
            JSONMember("sha256", .string(hash)), JSONMember("stringToSign", .string(stringToSign)),
            JSONMember("verdict", .string(verdict.code)),
        ]
        switch verdict {
        case .goodUnder(let length, let label):
            members += [JSONMember("saltLength", JSONValue(length)), JSONMember("label", .string(label.label))]
        case .goodFor(let variant): members.append(JSONMember("variant", .string(variant.rawValue)))
        case .malformed(let refusal):
            members += [
                JSONMember("status", JSONValue(refusal.status)),
                JSONMember("reasonCode", .string(refusal.reason.rawValue)),
            ]
        case .good, .otherText, .wrongKey, .damaged, .unchecked: break
        }
        members.append(JSONMember("differences", .array(differences.map(SignatureReport.json))))
        let hints = hints.map {
            JSONValue.object([JSONMember("code", .string($0.code)), JSONMember("text", .string($0.text))])
        }
        members.append(JSONMember("hints", .array(hints)))
        return JSONValue.object(members).description
    }

    private static func json(_ difference: TextDifference) -> JSONValue {
        [
            "line": JSONValue(difference.line), "column": JSONValue(difference.column),
            "asSent": .string(difference.ours), "asSigned": .string(difference.theirs),
            "note": .string(difference.note),
        ]
    }

    private func numbered(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            let number = String(index + 1)
            return String(repeating: " ", count: max(0, 4 - number.count)) + number + "  "
                + SignatureReport.visible(line)
        }
    }

    /// The text without anything that a terminal would obey.
    private static func visible(_ text: some StringProtocol) -> String {
        text.unicodeScalars.map { scalar in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                ? "\\x" + String(scalar.value, radix: 16) : String(scalar)
        }
        .joined()
    }
}

extension SignatureVerdict {
    /// For people.
    fileprivate var sentence: String {
        switch self {
        case .good: "the signature is good"
        case .goodUnder(let length, let label):
            "the signature is of this text, but made with a salt of \(length) octets and the label \(label.label)"
        case .goodFor(let variant): "the signature is valid for another form of this request (\(variant.rawValue))"
        case .otherText: "the signature was made with this key, but over something else"
        case .wrongKey: "the signature was not made with this key"
        case .damaged(let why): "this is no signature: \(why)"
        case .malformed(let refusal):
            "refused before the signature is looked at: \(refusal.status) \(refusal.reason)"
        case .unchecked: "not checked: give the merchant's key with --public-key, or set provider.private_key"
        }
    }
}
