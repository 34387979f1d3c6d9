import Cryptography
import Primitives
import Testing
import WalletPass

@Suite("A signer of passes")
struct SignerTests {
    private func findings(_ make: () throws -> PassSigner) throws -> [PassFinding] {
        do {
            _ = try make()
            return []
        } catch let error as PassSignerError {
            return error.findings
        }
    }

    @Test func `is made of a certificate, its key and the certificate of its issuer`() throws {
        let signer = try PassVectors.signer(intermediates: ["rogue-wwdr", "wwdr-test", "root"])
        #expect(signer.intermediate == (try PassVectors.certificate("wwdr-test")))
        #expect(signer.expires == min(signer.certificate.notAfter, signer.intermediate.notAfter))
    }

    @Test(arguments: [
        ("pass-expired", PassCheck.certificateValidity), ("pass-otherteam", .certificateTeam),
        ("pass-nomarker", .certificateMarker), ("pass-event", .certificatePassType), ("rogue-pass", .chain),
    ])
    func `is not made of another certificate`(name: String, check: PassCheck) throws {
        let found = try findings { try PassVectors.signer(name) }
        #expect(found.contains { $0.check == check }, "\(found)")
        #expect(found.allSatisfy { !$0.remedy.isEmpty })
    }

    /// Issued by the intermediate of the vectors for the key of pass-member, without what each is named for.
    @Test(arguments: [
        ("pass-nopush", "1.2.840.113635.100.6.3.2"), ("pass-noclient", "1.3.6.1.5.5.7.3.2"), ("pass-member", nil),
    ])
    func `warns of a certificate that cannot wake phones`(name: String, absent: String?) throws {
        let found = try PassVectors.signer(name, key: "pass-member").warnings
        #expect(found.map(\.place) == (absent.map { [$0] } ?? []))
        #expect(found.allSatisfy { $0.check == .pushUsage && $0.severity == .warning && !$0.remedy.isEmpty })
    }

    @Test func `is not made with the key of another certificate`() throws {
        #expect(try findings { try PassVectors.signer(key: "pass-event") }.map(\.check) == [.key])
    }

    @Test func `says whose certificate is missing, and which one is there instead`() throws {
        let none = try findings { try PassVectors.signer(intermediates: []) }
        #expect(none.map(\.check) == [.chain])
        let other = try findings { try PassVectors.signer(intermediates: ["root"]) }
        #expect(other.map(\.check) == [.chain])
        #expect(other.first?.text.contains("the certificate was issued by") == true)
        #expect(other.first?.text.contains("(G4)") == true)
        let rogue = try findings { try PassVectors.signer(intermediates: ["rogue-wwdr"]) }
        #expect(rogue.first?.text == "the intermediate has the name of the certificate's issuer, but another key")
    }

    @Test func `is not made before the certificate begins, when the clock is behind`() throws {
        let found = try findings { try PassVectors.signer(at: WallTime(seconds: 0)) }
        #expect(Set(found.map(\.check)) == [.certificateValidity])
        #expect(found.first?.remedy == "set the clock of this machine")
    }
}
