import Cryptography
import Foundation
import Primitives
import StrictJSON
import WalletPass

/// Passes and bundles of passes with the rules that they break.
enum ArchiveVectors: VectorKind {
    static let fileName = "cases.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        let common = document["options"]?.elements.compactMap(\.text) ?? []
        return try (document["cases"]?.elements ?? []).map { try judge($0, common, in: folder) }
    }

    private static func judge(_ item: JSONValue, _ common: [String], in folder: URL) throws -> VectorOutcome {
        guard let name = item["file"]?.text, let isConforming = item["conforming"]?.flag else {
            throw VectorError(description: "a case without file and verdict")
        }
        let own = item["options"]?.elements.compactMap(\.text) ?? []
        let options = try JudgeOptions(common + own, folder)
        let archive = try Array(Data(contentsOf: folder.appendingPathComponent(name)))
        let judge = PassJudge(
            trust: options.trust,
            intermediates: options.intermediates,
            expecting: options.expectations
        )
        let verdicts =
            name.octets.ends(with: ".pkpasses")
            ? judge.judgeBundle(archive, at: options.time) : [judge.judge(archive, at: options.time)]
        let findings = verdicts.flatMap(\.findings)
        let errors = checks(findings, .error)
        let warnings = checks(findings, .warning)
        func listed(_ member: String) -> Set<String>? { item[member].map { Set($0.elements.compactMap(\.text)) } }
        let isSame =
            verdicts.allSatisfy(\.isConforming) == isConforming
            && listed("errors_only").map { $0 == errors } ?? true
            && listed("errors").map { $0.isSubset(of: errors) } ?? true
            && listed("warnings").map { $0.isSubset(of: warnings) } ?? true
        let expected = ["errors_only", "errors", "warnings"].compactMap { name in
            listed(name).map { "\(name) \($0.sorted().joined(separator: ","))" }
        }
        return VectorOutcome(
            id: name,
            isAsExpected: isSame,
            verdict: (errors.isEmpty ? "conforming" : "refused") + describe(findings),
            expected: ([isConforming ? "conforming" : "refused"] + expected).joined(separator: ", ")
        )
    }

    private static func checks(_ findings: [PassFinding], _ severity: PassFinding.Severity) -> Set<String> {
        Set(findings.filter { $0.severity == severity }.map(\.check.rawValue))
    }

    private static func describe(_ findings: [PassFinding]) -> String {
        findings.map { ($0.severity == .error ? " | " : " | warning ") + $0.description }.joined()
    }
}

/// The options of a case, in the words of a command line.
private struct JudgeOptions {
    private(set) var trust: [X509Certificate] = []
    private(set) var intermediates: [X509Certificate] = []
    private(set) var expectations = PassJudge.Expectations()
    private(set) var time = WallTime(seconds: Int64(Date().timeIntervalSince1970))

    init(_ words: [String], _ folder: URL) throws {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--strict": expectations.isStrict = true
            case "--allow-http": expectations.allowsHTTP = true
            default:
                guard let value = words.popFirst() else { throw VectorError(description: "\(word) without a value") }
                try take(word, value, folder)
            }
        }
    }

    private mutating func take(_ word: String, _ value: String, _ folder: URL) throws {
        func certificates() throws -> [X509Certificate] {
            let path = value.replacingOccurrences(of: "$DIR", with: folder.path)
            return try X509Certificate.list(Array(Data(contentsOf: URL(fileURLWithPath: path))))
        }
        switch word {
        case "--trust": trust += try certificates()
        case "--intermediate": intermediates += try certificates()
        case "--pass-type": expectations.passType = value
        case "--team": expectations.team = value
        case "--serial": expectations.serialNumber = value
        case "--auth-token": expectations.authenticationToken = Secret(value)
        case "--web-service-url": expectations.webServiceURL = value
        case "--at-time":
            guard let seconds = Int64(value) else { throw VectorError(description: "no time: \(value)") }
            time = WallTime(seconds: seconds)
        default: throw VectorError(description: "an unknown option: \(word)")
        }
    }
}
