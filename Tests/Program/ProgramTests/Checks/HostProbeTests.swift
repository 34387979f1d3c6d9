import Cryptography
import FeatureTestKit
import HTTPCore
import Operations
import Primitives
import ServerCore
import TestKit
import Testing

@testable import Program

@Suite struct `What answers under the names of both hosts` {
    private static let web = "https://pay.example.com"

    /// What is found at the web host, once something was changed.
    private func look(
        certificate: [UInt8]?? = nil,
        _ change: (AnswersByURL) -> Void = { _ in }
    ) async throws -> (answers: Bool, lines: [String]) {
        let clock = ManualClock(at: SoundSettings.present)
        let hosts = AnswersByURL(clock)
        hosts.answers = [
            Self.web + "/": InboundResponse(status: 303),
            "unknown.invalid at \(Self.web)/": InboundResponse(status: 421),
        ]
        change(hosts)
        let pem = try certificate ?? SoundSettings.certificate().certificatePEM
        let probe = HostProbe(exchange: hosts, certificate: { _ in pem }, clock: clock)
        let found = await probe.check(BaseURL("web.base_url", Self.web))
        var findings = found.findings
        if let host = found.host { findings += await probe.unknownHost(at: host) }
        return (found.host != nil, findings.map(\.line))
    }

    @Test func `is nothing to find where all is well`() async throws {
        let found = try await look()
        #expect(found.answers && found.lines == [])
    }

    @Test(arguments: [
        ("SSL peer certificate or SSH remote key was not OK", "D21", "public authority"),
        ("SSL connect error", "D20", "clear_listen"), ("Couldn't connect to server", "D20", "Start the program"),
    ])
    func `is told apart where it is no answer`(detail: String, check: String, remedy: String) async throws {
        let found = try await look { hosts in
            hosts.answers = [:]
            hosts.silence = detail
        }
        #expect(!found.answers && found.lines.count == 1)
        #expect(found.lines.allSatisfy { $0.hasPrefix("\(check) error web.base_url: ") && $0.contains(remedy) })
    }

    @Test func `is a finding where a request for another host is let in`() async throws {
        let found = try await look { hosts in
            hosts.answers["unknown.invalid at \(Self.web)/"] = InboundResponse(status: 200)
        }
        #expect(found.answers && found.lines.count == 1)
        #expect(found.lines.first?.hasPrefix("D24 error web.base_url: ") == true)
    }

    @Test func `is a certificate that ends within two weeks, behind a balancer too`() async throws {
        let time = SoundSettings.present + .seconds(-390 * 86_400)
        let found = try await look(certificate: try SoundSettings.certificate(at: time).certificatePEM)
        #expect(found.answers && found.lines.count == 1)
        #expect(found.lines.first?.hasPrefix("D21 warning web.base_url: The certificate expires on ") == true)
    }

    @Test(arguments: [nil, Array("nothing".utf8)] as [[UInt8]?])
    func `is a note where the certificate cannot be looked at`(certificate: [UInt8]?) async throws {
        let found = try await look(certificate: .some(certificate))
        #expect(found.lines.count == 1 && found.lines.first?.hasPrefix("D21 note web.base_url: ") == true)
    }
}

@Suite struct `The library that speaks TLS` {
    @Test(arguments: [("3.0.17", "3.0.17", 1), ("3.5.1", "3.0.17", 1), ("3.0.9", "3.0.17", 2), ("2.9", "3.0.17", 2)])
    func `is named, with a warning where it is too old`(running: String, built: String, count: Int) {
        let findings = LibraryChecks.findings([
            LibraryChecks.Library(name: "OpenSSL", running: running, built: built)
        ])
        #expect(findings.first?.message.contains("OpenSSL \(running)") == true)
        #expect(findings.map(\.severity) == (count == 1 ? [.note] : [.note, .warning]))
    }
}
