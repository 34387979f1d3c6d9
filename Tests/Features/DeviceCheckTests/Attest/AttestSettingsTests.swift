import Accounts
import ServerCore
import ServiceAPI
import Settings
import TestKit
import Testing
import Web
import Webhooks

@testable import DeviceCheck

@Suite("Settings of the keys of apps")
struct AttestSettingsTests {
    private static let features = FeatureSet([
        ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self, DeviceCheckFeature.self,
    ])

    /// What is wrong with settings.
    private func problems(_ texts: [String: String]) throws -> [String] {
        var all = ["MERCHANT_SECRET_FILE": "/nowhere/secret"]
        for (name, text) in texts { all[name.uppercased().replacing(".", with: "_")] = text }
        let variables = all.map { ("SALLYPORT_" + $0.key, $0.value) }
        var reader = SettingReader(
            SettingSource(file: nil, environment: Dictionary(variables) { first, _ in first })
        )
        let configured = AttestSettingsTests.features.configured(&reader)
        configured.check(&reader, web: try #require(WebOrigin("https://shop.example")))
        return reader.problems(of: .everything)
    }

    private let sound = ["device_check.team_id": "A1B2C3D4E5", "app_attest.bundle_ids": "com.example.shop"]

    @Test func `name the routes that want an assertion, and those that there are where one is misspelt`() throws {
        let good = sound.merging(["app_attest.required": "claimForDevice, validateDevice"]) { $1 }
        #expect(try problems(good) == [])
        let wrong = try problems(sound.merging(["app_attest.required": "claimDevice,validateDevice"]) { $1 })
        #expect(wrong.count == 1)
        #expect(
            wrong.first?.hasPrefix("app_attest.required: claimDevice: no such route; there are checkDevice, ") == true
        )
        // Whoever has no key cannot sign the request for one.
        for route in ["attestKey", "makeAttestChallenge", "claimForAccountDevice", ""] {
            let texts = sound.merging(["app_attest.required": "\(route),x"]) { $1 }
            #expect(try problems(texts).first?.hasPrefix("app_attest.required: \(route.isEmpty ? "x" : route)") == true)
        }
    }

    @Test func `never leave a route open that is to want an assertion`() throws {
        let list = ["app_attest.required": "validateDevice"]
        #expect(
            try problems(list).contains { $0.hasPrefix("app_attest.required: set, and app_attest.bundle_ids is not") }
        )
        #expect(try problems(list).contains { $0.hasPrefix("app_attest.required: set, and devicecheck is off") })
        let without = try problems(["app_attest.bundle_ids": "com.example.shop"])
        #expect(without == ["app_attest.bundle_ids: set, and device_check.team_id is not"])
        let odd = try problems(sound.merging(["app_attest.bundle_ids": "com.example.shop,läden"]) { $1 })
        #expect(odd == ["app_attest.bundle_ids: has something that is no bundle id such as com.example.shop"])
    }
}
