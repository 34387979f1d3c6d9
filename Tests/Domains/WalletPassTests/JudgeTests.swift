import Primitives
import StrictJSON
import TestKit
import Testing
import WalletPass

@Suite("An archive of the vectors")
struct JudgeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let file: String
        let isConforming: Bool
        let isStrict: Bool
        /// When it is judged; those that other libraries made are younger than the others.
        let time: WallTime
        let exactErrors: Set<String>?
        let errors: Set<String>
        let warnings: Set<String>
        var testDescription: String { file }
    }

    static let cases: [Case] = {
        guard let bytes = try? PassVectors.bytes("cases.json"), let file = try? JSONParser.parse(bytes) else {
            return []
        }
        return file["cases"]?.elements.map { item in
            func words(_ name: String) -> [String] { item[name]?.elements.compactMap(\.text) ?? [] }
            let seconds = words("options").drop { $0 != "--at-time" }.dropFirst().first.flatMap { Int64($0) }
            return Case(
                file: item["file"]?.text ?? "",
                isConforming: item["conforming"]?.flag ?? false,
                isStrict: words("options").contains("--strict"),
                time: seconds.map(WallTime.init(seconds:)) ?? PassVectors.time,
                exactErrors: item["errors_only"].map { _ in Set(words("errors_only")) },
                errors: Set(words("errors")),
                warnings: Set(words("warnings"))
            )
        } ?? []
    }()

    private func verdicts(
        _ file: String,
        isStrict: Bool,
        at time: WallTime = PassVectors.time
    ) throws -> [PassVerdict] {
        var expectations = PassJudge.Expectations()
        expectations.isStrict = isStrict
        let judge = PassJudge(trust: [try PassVectors.certificate("root")], expecting: expectations)
        let bytes = try PassVectors.bytes(file)
        return file.hasSuffix(".pkpasses")
            ? judge.judgeBundle(bytes, at: time) : [judge.judge(bytes, at: time)]
    }

    @Test func `comes in 56 samples`() { #expect(JudgeTests.cases.count == 56) }

    @Test(arguments: JudgeTests.cases)
    func `breaks the rules that it should, and no others`(sample: Case) throws {
        let verdicts = try verdicts(sample.file, isStrict: sample.isStrict, at: sample.time)
        let findings = verdicts.flatMap(\.findings)
        let errors = Set(findings.filter { $0.severity == .error }.map(\.check.rawValue))
        let warnings = Set(findings.filter { $0.severity == .warning }.map(\.check.rawValue))
        #expect(verdicts.allSatisfy(\.isConforming) == sample.isConforming, "\(findings)")
        if let exact = sample.exactErrors { #expect(errors == exact, "\(findings)") }
        #expect(sample.errors.isSubset(of: errors))
        #expect(sample.warnings.isSubset(of: warnings))
    }

    @Test func `is opened with its texts by language`() throws {
        let pass = try #require(try verdicts("good/member-points-1200.pkpass", isStrict: true).first?.pass)
        #expect(pass.pass["storeCard"]?["primaryFields"]?.elements.first?["value"] == 1_200)
        #expect(pass.text("POINTS_CHANGED %@", in: "en") == "You now have %@ points")
        #expect(pass.text("POINTS", in: "ja") == "ポイント")
        #expect(pass.text("POINTS", in: "fr") == "POINTS")
        #expect(pass.text("TERMS_TEXT", in: "en") == "Points expire one year after the last visit.\nNot \"cash\".")
        #expect(pass.bytes(of: "icon@2x.png") == (try PassVectors.bytes("src/member/icon@2x.png")))
    }

    @Test func `is not the pass that was expected, where type, team, serial number, address or secret differ`() throws {
        let bytes = try PassVectors.bytes("good/member-points-0.pkpass")
        let changes: [(inout PassJudge.Expectations) -> Void] = [
            { $0.passType = "pass.com.example.other" }, { $0.team = "ABCDE12345" }, { $0.serialNumber = "1" },
            { $0.webServiceURL = "https://elsewhere.example/" },
            { $0.authenticationToken = Secret("0123456789abcdef") },
        ]
        for change in changes {
            let findings = try PassVectors.judge(change).judge(bytes, at: PassVectors.time).findings
            #expect(findings.map(\.check) == [.expectation])
            #expect(!findings.description.contains("k3Jv0pZ8wQ2xT7bN5mYc1LrS"))
        }
        #expect(try PassVectors.judge().judge(bytes, at: PassVectors.time).findings.isEmpty)
    }

    @Test func `without the expected intermediate is refused`() throws {
        let judge = PassJudge(
            trust: [try PassVectors.certificate("root")],
            intermediates: [try PassVectors.certificate("rogue-wwdr")]
        )
        let bytes = try PassVectors.bytes("good/member-points-0.pkpass")
        #expect(judge.judge(bytes, at: PassVectors.time).findings.map(\.check) == [.chain])
    }

    @Test func `signed after the time of judging is refused`() throws {
        let bytes = try PassVectors.bytes("good/member-points-0.pkpass")
        let early = WallTime(seconds: 1_767_225_600)
        let checks = Set(try PassVectors.judge().judge(bytes, at: early).findings.map(\.check))
        #expect(checks.contains(.signingTime))
    }

    @Test func `that is cut anywhere is refused`() throws {
        let bytes = try PassVectors.bytes("good/event.pkpass")
        let judge = try PassVectors.judge()
        for count in stride(from: 0, to: bytes.count, by: 211) {
            #expect(!judge.judge(Array(bytes.prefix(count)), at: PassVectors.time).isConforming)
        }
    }

    @Test func `with a changed byte is refused, or holds the same files`() throws {
        let bytes = try PassVectors.bytes("good/member-points-0.pkpass")
        let judge = try PassVectors.judge()
        let good = try #require(judge.judge(bytes, at: PassVectors.time).pass)
        let random = SeededRandom(seed: 7)
        for _ in 0..<150 {
            var changed = bytes
            changed[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
            let verdict = judge.judge(changed, at: PassVectors.time)
            guard verdict.isConforming, let pass = verdict.pass else { continue }
            #expect(pass.files.map(\.name) == good.files.map(\.name))
            #expect(pass.files.map(\.bytes) == good.files.map(\.bytes))
        }
    }
}
