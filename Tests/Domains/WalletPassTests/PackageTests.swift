import Cryptography
import Primitives
import StrictJSON
import Testing
import WalletPass

@Suite("A pass that was made here")
struct PackageTests {
    private func package(_ template: PassTemplate, _ values: PassValues) throws -> [UInt8] {
        try PassVectors.signer().package(template, template.content(values), at: PassVectors.time)
    }

    @Test(arguments: PassStyle.allCases)
    func `meets the strict judge in every style, and says what it was filled with`(style: PassStyle) throws {
        let template = try Templates.member(style: style.rawValue)
        #expect(template.style == style)
        #expect(template.languages == ["en", "ja"])
        let judge = try PassVectors.judge {
            $0.passType = PassVectors.passType
            $0.team = PassVectors.team
            $0.serialNumber = "4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90"
            $0.authenticationToken = Secret(Templates.token)
            $0.webServiceURL = "https://wallet.example.com/wallet"
        }
        let verdict = judge.judge(try package(template, Templates.values()), at: PassVectors.time)
        #expect(verdict.findings == [])
        let pass = try #require(verdict.pass)
        let fields = pass.pass[style.rawValue]
        #expect(fields?["primaryFields"]?.elements.first?["value"] == 1_200)
        #expect(fields?["secondaryFields"]?.elements.first?["value"] == "山田 花子")
        #expect(pass.text("POINTS", in: "ja") == "ポイント")
    }

    @Test func `is the same bytes for the same values at the same time`() throws {
        let template = try Templates.member()
        #expect(try package(template, Templates.values()) == package(template, Templates.values()))
    }

    @Test func `is signed with the certificate that fits the type, while it is valid`() throws {
        let template = try Templates.member()
        let content = try template.content(Templates.values())
        let other = try PassVectors.signer("pass-event", passType: "pass.com.example.sallyport.event")
        #expect(throws: PassPackageError.self) { try other.package(template, content, at: PassVectors.time) }
        let signer = try PassVectors.signer()
        for time in [signer.expires + .seconds(1), signer.certificate.notBefore + .seconds(-1)] {
            #expect(throws: PassPackageError.self) { try signer.package(template, content, at: time) }
        }
        #expect(signer.certificateDigest == signer.certificate.fingerprint)
    }

    @Test func `goes into a bundle that the judge takes, ten at most and none twice`() throws {
        let template = try Templates.member()
        var passes: [PassFile] = []
        for number in 1...11 {
            var values = Templates.values()
            values.serialNumber = "serial-\(number)"
            passes.append(PassFile(name: "\(number).pkpass", bytes: try package(template, values)))
        }
        let judge = try PassVectors.judge()
        let bundle = try PassBundle.package(Array(passes.prefix(10)), at: PassVectors.time)
        let verdicts = judge.judgeBundle(bundle, at: PassVectors.time)
        #expect(verdicts.count == 11)
        #expect(verdicts.flatMap(\.findings) == [])
        #expect(throws: PassPackageError.self) { try PassBundle.package(passes, at: PassVectors.time) }
        #expect(throws: PassPackageError.self) { try PassBundle.package([], at: PassVectors.time) }
        let doubled = [passes[0], PassFile(name: "again.pkpass", bytes: passes[0].bytes)]
        let twice = judge.judgeBundle(try PassBundle.package(doubled, at: PassVectors.time), at: PassVectors.time)
        #expect(twice.flatMap(\.findings).map(\.check) == [.bundleRepeated])
    }
}
