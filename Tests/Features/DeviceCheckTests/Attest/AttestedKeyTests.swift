import Accounts
import AppleSimulator
import DeviceAttestation
import EventIO
import FeatureTestKit
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing

@testable import DeviceCheck

@Suite struct `Keys of apps` {
    @Test func `are bound to the account that has asked for their challenge, once, and the same request again`()
        async throws
    {
        try await withAttest { shop in
            let phone = try await shop.phone()
            let challenge = try await phone.challenge()
            let request = try phone.attestation(of: challenge)
            for _ in 0..<2 {
                let bound = try await phone.client.app("/attest", request)
                #expect(bound.status == 200 && bound["keyId"]?.text == phone.keyID, "\(bound)")
                #expect(bound["app"]?.text == AttestPhone.app && bound["environment"]?.text == "production")
            }
            let stored = "SELECT account_id || ' ' || counter || ' ' || (length(receipt) > 100) FROM app_attest_key"
            #expect(try shop.devices.value(stored) == "\(phone.client.account) 0 true")
            let other = try AttestPhone(phone.client, shop.authority)
            let again = try await phone.client.app("/attest", try other.attestation(of: challenge))
            #expect(again.status == 409 && again["code"]?.text == "attest_challenge_gone", "\(again)")
            #expect(try await phone.client.history().first?["kind"]?.text == "attest")
        }
    }

    private static let reasons: [(AttestationFlaw, AttestRefusal)] = [
        (.trailingByte, .form), (.otherFormat, .format), (.noReceipt, .members), (.oneCertificate, .certificateCount),
        (.threeCertificates, .certificateCount), (.swappedCertificates, .path), (.foreignRoot, .path),
        (.expired, .validity), (.notYetValid, .validity), (.unmarked, .marker), (.otherNonceForm, .nonceForm),
        (.otherChallenge, .nonce), (.otherKey, .keyID), (.otherApp, .app), (.counterMoved, .counter),
        (.otherAuthenticator, .environment), (.otherCredential, .credentialID), (.cutData, .authenticatorData),
        (.trailingData, .authenticatorData), (.otherCredentialKey, .credentialKey),
    ]

    @Test func `are refused at the step that is wrong, which the answer names`() async throws {
        try await withAttest { shop in
            let phone = try await shop.phone()
            let challenge = try await phone.challenge()
            for flaw in AttestationFlaw.allCases {
                let step = try #require(Self.reasons.first { $0.0 == flaw }?.1, "\(flaw)")
                let refused = try await phone.client.app("/attest", try phone.attestation(of: challenge, flaw: flaw))
                #expect(refused.status == 422 && refused["code"]?.text == "attestation_refused", "\(flaw): \(refused)")
                #expect(refused["step"]?.text == step.rawValue, "\(flaw): \(refused)")
            }
            let development = try phone.attestation(of: challenge, isDevelopment: true)
            #expect(try await phone.client.app("/attest", development)["step"]?.text == "environment")
            #expect(try shop.devices.value("SELECT count(*) FROM app_attest_key") == "0")
            let lines = shop.devices.program.log.lines.joined()
            #expect(lines.contains("app_attest.refused") && !lines.contains(phone.keyID))
            // Nothing of it was used up.
            #expect(try await phone.client.app("/attest", try phone.attestation(of: challenge)).status == 200)
        }
    }

    @Test func `of an account are no other one's, and neither are challenges`() async throws {
        try await withAttest { shop in
            let (phone, other) = (try await shop.phone(), try await shop.phone())
            let foreign = try await other.client.app("/attest", try phone.attestation(of: try await phone.challenge()))
            #expect(foreign.status == 409 && foreign["code"]?.text == "attest_challenge_gone", "\(foreign)")
            try await phone.attest()
            var stolen = other
            stolen.key = phone.key
            let taken = try await other.client.app("/attest", try stolen.attestation(of: try await other.challenge()))
            #expect(taken.status == 409 && taken["code"]?.text == "attest_key_taken", "\(taken)")
            #expect(try shop.devices.value("SELECT account_id FROM app_attest_key") == "\(phone.client.account)")
        }
    }

    @Test func `need a challenge of ours that is not over, and a request that can be read`() async throws {
        try await withAttest { shop in
            let phone = try await shop.phone()
            let unknown = try await phone.client.app("/attest", try phone.attestation(of: "made-up"))
            #expect(unknown["code"]?.text == "attest_challenge_gone", "\(unknown)")
            let late = try await phone.challenge()
            try shop.devices.admin.run("UPDATE app_attest_challenge SET expires_at = now() - interval '1 second'")
            let over = try await phone.client.app("/attest", try phone.attestation(of: late))
            #expect(over["code"]?.text == "attest_challenge_gone", "\(over)")
            let good = try phone.attestation(of: try await phone.challenge())
            for (old, new) in [(phone.keyID, "AAAA"), (#""attestation":""#, #""attestation":"*"#), ("keyId", "key")] {
                let wrong = try await phone.client.app("/attest", good.replacing(old, with: new))
                #expect(wrong.status == 400, "\(new): \(wrong)")
            }
            #expect(try await phone.client.app("/attest", good).status == 200)
        }
    }

    @Test func `are exported and erased with their account, and go when nobody uses them`() async throws {
        try await withAttest { shop in
            let (phone, other) = (try await shop.phone(), try await shop.phone())
            try await phone.attest()
            try await other.attest()
            _ = try await phone.challenge()
            let (database, account) = (shop.devices.part.loop.database, phone.client.account)
            let exported = try await AccountData.attestedKeys.export(database, account)
            #expect(exported.elements.first?["keyId"]?.text == phone.keyID)
            #expect(exported.elements.first?["app"]?.text == AttestPhone.app && exported.elements.count == 1)
            #expect(try await AccountData.attestedKeys.erase(database, account).counts == ["attestedKeys": 1])
            #expect(try await AccountData.attestedKeys.erase(database, account).counts.isEmpty)
            #expect(try await AccountData.attestedKeys.export(database, account) == .null)
            #expect(try shop.devices.value("SELECT count(*) FROM app_attest_challenge") == "0")
            _ = try await other.challenge()
            let day = Duration.seconds(86_400)
            #expect(try await database.work(AttestStatement.prune(day, 10)).first() == 0)
            try shop.devices.admin.run(
                """
                UPDATE app_attest_challenge SET expires_at = now() - interval '1 second';
                UPDATE app_attest_key SET used_at = now() - interval '25 hours'
                """
            )
            #expect(try await database.work(AttestStatement.prune(day, 10)).first() == 1)
            #expect(try shop.devices.value("SELECT count(*) FROM app_attest_challenge") == "0")
            #expect(try shop.devices.value("SELECT count(*) FROM app_attest_key") == "0")
        }
    }

    @Test func `are not taken where the settings name no app`() async throws {
        try await withDevices { shop in
            let client = try await DeviceClient.open(shop)
            #expect(try await client.app("/attest/challenge", nil).status == 404)
        }
    }
}
