import Cryptography
import EventIO
import Foundation
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON
import TestKit
import Testing
import WalletPass

@testable import PushSimulator

@Suite("Passes as they are")
struct RealPassTests {
    /// When the vectors were signed.
    private static let time = WallTime(seconds: 1_796_000_000)

    static func vector(_ name: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourcePath)
        return try Files.read("\(folder)/Vectors/\(name)")
    }

    @Test(arguments: ["member-points-0", "member-points-1200", "member-final"])
    func `a phone takes a good pass`(name: String) throws {
        let judge = try PhoneJudge(rootsPEM: PassCertificates.root)
        guard case .good(let opened) = judge.judge(try Self.vector("\(name).pkpass"), at: Self.time) else {
            Issue.record("refused")
            return
        }
        #expect(opened.json["passTypeIdentifier"] == .string(PushBench.topic))
        #expect(opened.files["icon.png"] != nil)
        #expect(opened.strings["ja"]?.isEmpty == false)
        let card = try #require(Card(opened, archive: []))
        #expect((card.webService == nil) == (name == "member-final"))
    }

    @Test func `a phone refuses a pass under another root, and a changed one, with the reasons`() throws {
        let archive = try Self.vector("member-points-0.pkpass")
        guard
            case .bad(let reasons) = try PhoneJudge(rootsPEM: TestCertificates.authority).judge(archive, at: Self.time)
        else {
            Issue.record("taken")
            return
        }
        #expect(!reasons.isEmpty)
        var changed = archive
        changed[changed.count / 2] ^= 1
        guard case .bad = try PhoneJudge(rootsPEM: PassCertificates.root).judge(changed, at: Self.time) else {
            Issue.record("taken")
            return
        }
    }

    @Test func `what has changed is shown in the phone's language`() throws {
        let judge = try PhoneJudge(rootsPEM: PassCertificates.root)
        let cards = try ["member-points-0", "member-points-1200"].map { name -> Card in
            guard case .good(let opened) = judge.judge(try Self.vector("\(name).pkpass"), at: Self.time),
                let card = Card(opened, archive: [])
            else { throw ControlError("refused") }
            return card
        }
        let changes = cards[0].changes(to: cards[1], in: Phone.languages)
        #expect(changes.map(\.key) == ["points"])
        #expect(changes.map(\.new) == ["1200"])
        #expect(changes[0].message?.contains("1200") == true)
        let english = cards[0].changes(to: cards[1], in: ["en"])
        #expect(english[0].message != changes[0].message)
    }

    @Test func `a pass that is signed under the simulator's authority is taken by phones that believe it`() throws {
        let now = Self.time
        let authority = try PassAuthority.make(now: now, random: KernelRandom())
        let issued = try authority.issue(type: PushBench.topic, team: "SP4TEST9Z0", now: now, random: KernelRandom())
        let files = try #require(PassJudge(trust: []).judge(try Self.vector("member-points-0.pkpass"), at: now).pass)
            .files
        let template = try PassTemplate(
            name: "member",
            files: files.filter { !["manifest.json", "signature"].contains($0.name) }.map { file in
                file.name == "pass.json" ? PassFile(name: file.name, bytes: Self.template(file.bytes)) : file
            }
        )
        let signer = try PassSigner(
            certificate: X509Certificate(issued.certificatePEM),
            key: RSAPrivateKey(pem: issued.keyPEM),
            intermediates: [X509Certificate(authority.intermediate.certificatePEM)],
            passType: PushBench.topic,
            team: "SP4TEST9Z0",
            at: now
        )
        let content = try template.content(PassValues(serialNumber: PushBench.serial))
        let archive = try signer.package(template, content, at: now)
        guard case .good = try PhoneJudge(rootsPEM: authority.root.certificatePEM).judge(archive, at: now) else {
            Issue.record("refused")
            return
        }
    }

    /// What a template leaves to the one that fills it.
    private static func template(_ json: [UInt8]) -> [UInt8] {
        guard case .object(let members)? = try? JSONParser.parse(json) else { return json }
        let filled = ["serialNumber", "authenticationToken", "webServiceURL"]
        return JSONValue.object(members.filter { !filled.contains($0.name) }).bytes
    }

    @Test func `lines of the log have the shapes of real ones`() throws {
        let cases = try JSONParser.parse(try Self.vector("log-cases.json"))["cases"]?.elements ?? []
        let lines = cases.compactMap { $0["line"]?.text }
        let type = PushBench.topic
        let server = "https://wallet.example.com/wallet-service/"
        let device = "0123456789abcdef0123456789abcdef"
        let date = "Sat, 21 Nov 2026 09:00:00 GMT"
        let problems: [DeviceLogLine.Problem] = [
            .register(device: device, serial: PushBench.serial, "Authentication failure"),
            .unregister(device: device, serial: "S1", DeviceLogLine.unexpected(500)),
            .list(device: device, tag: nil, DeviceLogLine.unexpected(401)),
            .get(serial: "S1", ifModifiedSince: date, "Received invalid pass data."),
            .service("Server requested update to serial number 'S1', but the pass was unchanged."),
        ]
        let time = try #require(HTTPDate.time(of: date))
        for (problem, line) in zip(problems, lines) {
            #expect(DeviceLogLine(type: type, webService: server, problem: problem).text(at: time) == line)
        }
        #expect(lines.count == 7)
    }
}
