import DeviceAttestation
import EventIO
import FeatureTestKit
import Operations
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import StrictJSON
import TestKit
import Testing

@testable import DeviceCheck

@Suite struct `What the doctor says of devices` {
    private func findings(_ texts: [String: String], policies: String? = nil) async throws -> [Finding] {
        try await withTemporaryFolder { folder in
            var settings = ["TEAM_ID": "A1B2C3D4E5"]
            if let policies {
                settings["POLICIES"] = folder + "/policies.json"
                try Files.write(folder + "/policies.json", Array(policies.utf8))
            }
            settings.merge(texts) { $1 }
            let variables = settings.map { ("SALLYPORT_DEVICE_CHECK_" + $0.key, $0.value) }
            let environment = Dictionary(variables) { first, _ in first }
            var reader = SettingReader(SettingSource(file: nil, environment: environment))
            let feature = DeviceCheckFeature(&reader)
            return feature.findings(ExaminedSettings(reader, webPaths: [], now: SystemClock().now()))
        }
    }

    @Test func `is nothing where nothing is wrong`() async throws {
        #expect(try await findings([:]).isEmpty)
        #expect(try await findings(["TEAM_ID": ""]).isEmpty)
    }

    @Test func `names a key, a file of policies and an event that cannot be used`() async throws {
        let key = try await findings(["PRIVATE_KEY": "/nowhere/AuthKey_SP2X9R4HXF.p8"])
        #expect(key.map(\.check) == ["D86"] && key.map(\.subject) == ["device_check.private_key"])
        #expect(key.allSatisfy { $0.severity == .error && !$0.remedy.isEmpty && $0.message.hasSuffix(".") })
        let notOne = try await findings(["PRIVATE_KEY": "/dev/null", "KEY_ID": "SP2X9R4HXF"])
        #expect(notOne.map(\.check) == ["D86"])
        let policies = try await findings([:], policies: #"{"version":1}"#)
        #expect(policies.map(\.check) == ["D86"] && policies.map(\.subject) == ["device_check.policies"])
        let event = try await findings(["FORM_PATH": "/token.php", "FORM_EVENT": "fraud"])
        #expect(event.map(\.check) == ["D86"] && event.map(\.subject) == ["device_check.form_event"])
    }

    @Test func `tells of marks that nobody sets, and of marks that no bits stand for`() async throws {
        let vain = try await findings(
            [:],
            policies: """
                {"version":1,"events":{"fraud":"blocked"},"policies":{"gift":{"accept":["new","known"],"unavailable":"later",
                "unsupported":"deny","write":"trial-used"}}}
                """
        )
        #expect(vain.map(\.check) == ["D88"] && vain.map(\.severity) == [.warning])
        #expect(vain.first?.message.contains("gift refuses devices that are paid") == true)
        let lost = try await findings(
            [:],
            policies: """
                {"version":1,"meaning":{"version":1,"states":[
                {"bit0":false,"bit1":false,"state":"known"},{"bit0":false,"bit1":true,"state":"known"},
                {"bit0":true,"bit1":false,"state":"trial-used"},{"bit0":true,"bit1":true,"state":"trial-used"}]},
                "policies":{"gift":{"accept":["new","known"],"unavailable":"later","unsupported":"deny","write":"trial-used"}}}
                """
        )
        #expect(lost.map(\.message).contains("fraud marks a device as trial-used, since no bits stand for blocked."))
        #expect(lost.count == 3)
    }

    @Test func `tells of what Apple has refused lately, and of fraud that has waited for long`() async throws {
        try await withDevices { shop in
            let anna = DeviceFixture.account(1)
            try shop.open([anna])
            let environment = [
                "SALLYPORT_DEVICE_CHECK_TEAM_ID": "A1B2C3D4E5",
                "SALLYPORT_DEVICE_CHECK_PRIVATE_KEY": "/keys/AuthKey_AB.p8",
            ]
            var reader = SettingReader(SettingSource(file: nil, environment: environment))
            let feature = DeviceCheckFeature(&reader)
            func found() async throws -> [Finding] { try await feature.examine(shop.part.loop.database) }
            #expect(try await found().isEmpty)
            for answer in [DeviceCheckAnswer.credentials, .credentialsExpired, .badRequest] {
                shop.apple.faults[.query] = .answer(answer, attempts: 1)
                _ = await shop.check(anna, shop.apple.token(of: 0))
            }
            let refused = try await found()
            #expect(refused.map(\.check) == ["D87", "D87"] && refused.allSatisfy { $0.severity == .error })
            #expect(refused.first?.message.contains("in 2 calls") == true)
            _ = try await shop.part.queue("fraud", of: anna, from: "test")
            #expect(try await found().count == 2)
            try shop.admin.run("UPDATE device_account SET queued_at = now() - interval '31 days'")
            #expect(try await found().last?.severity == .note)
        }
    }
}
