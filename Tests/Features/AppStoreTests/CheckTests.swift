import Accounts
import EventIO
import FeatureTestKit
import Operations
import ServerCore
import ServiceAPI
import Settings
import TestKit
import Testing
import Webhooks

@testable import AppStore

@Suite struct `Settings of purchases` {
    private static let sound = [
        "app_store.bundle_id": "jp.example.sallyport.tickets", "app_store.environments": "Sandbox",
        "app_store.root_certificates": ProjectFolder.vectors("AppStoreTests", on: "Features") + "/app-store/root.der",
    ]

    /// What the doctor says of settings with a file of products.
    private func findings(
        _ texts: [String: String],
        products: String = #"{"a":{}}"#,
        check: String = "D80"
    ) async throws -> [String] {
        let features = FeatureSet([
            ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self, AppStoreFeature.self,
        ])
        return try await withTemporaryFolder { folder in
            try Files.write("\(folder)/products.json", Array(products.utf8))
            var settings = try SoundSettings()
            settings.texts.merge(Self.sound) { $1 }
            settings.texts["app_store.products"] = "\(folder)/products.json"
            settings.texts.merge(texts) { $1 }
            let (configured, examined) = settings.examined(features)
            return configured.findings(examined).filter { $0.check == check }.map { "\($0.subject): \($0.message)" }
        }
    }

    @Test func `without a mistake have no finding`() async throws {
        #expect(try await findings([:]) == [])
    }

    @Test func `that name a file in vain say once what is wrong with it`() async throws {
        let absent = "/nowhere cannot be read: no such file or directory."
        #expect(try await findings(["app_store.products": "/nowhere"]) == ["app_store.products: \(absent)"])
        #expect(
            try await findings(["app_store.root_certificates": "/nowhere"])
                == ["app_store.root_certificates: \(absent)"]
        )
        let folder = "/ cannot be read: is a directory."
        #expect(try await findings(["app_store.products": "/"]) == ["app_store.products: \(folder)"])
        let text = try await findings(["app_store.root_certificates": "/dev/null"])
        #expect(text == ["app_store.root_certificates: /dev/null: no certificate in PEM or DER."])
        let products = try await findings([:], products: #"{"a":{"unit":1}}"#)
        #expect(products.count == 1 && products.first?.contains("products.json: a.unit is not known.") == true)
    }

    @Test func `that name authorities of Apple's server which are not there say so`() async throws {
        let key = [
            "app_store.private_key": "/nowhere/AuthKey_ABC.p8",
            "app_store.issuer_id": "57246542-96fe-1a63-e053-0824d011072a",
        ]
        func problem(_ path: String) async throws -> [String] {
            try await findings(key.merging(["app_store.api_trust": path]) { $1 })
        }
        #expect(
            try await problem("/nowhere") == [
                "app_store.api_trust: /nowhere cannot be read: no such file or directory."
            ]
        )
        #expect(try await problem("/dev/null") == ["app_store.api_trust: /dev/null: no certificate in PEM or DER."])
        #expect(try await findings(["app_store.api_trust": "/nowhere"]) == [], "without a key nobody is asked")
    }

    @Test func `are warned of where no product is sold`() async throws {
        let found = try await findings([:], products: "{}", check: "D95")
        #expect(found.count == 1 && found[0].contains("products.json has no product"), "\(found)")
        #expect(try await findings([:], check: "D95") == [])
        #expect(try await findings([:], products: "[", check: "D95") == [])
    }

    @Test(arguments: ["*", "com.example.*", "com..example", ".com", "com.", "com.exa mple", "com.example_shop"])
    func `have the id of one app`(id: String) throws {
        #expect(!AppStoreSettings.isBundleID(id))
        #expect(AppStoreSettings.isBundleID("jp.example.My-Shop2"))
    }

    /// What the program refuses at its start, D00 says.
    @Test func `that are missing are no fault of a file`() async throws {
        let missing = ["app_store.environments": "Production,Sandbox", "app_store.allow_other_root": "true"]
        #expect(try await findings(missing) == [])
        #expect(try await findings(["app_store.products": "", "app_store.root_certificates": ""]) == [])
    }

    @Test func `have the issuer id as App Store Connect shows it`() throws {
        func problems(_ issuer: String) -> [String] {
            var texts = Self.sound
            texts.merge([
                "app_store.products": "products.json", "app_store.private_key": "/nowhere/AuthKey_ABC.p8",
                "app_store.issuer_id": issuer,
            ]) { $1 }
            let variables = texts.map { (Setting.environmentName($0.key), $0.value) }
            let environment = Dictionary(variables) { first, _ in first }
            var reader = SettingReader(SettingSource(file: nil, environment: environment))
            _ = AppStoreFeature(&reader)
            return reader.problems(of: .everything)
        }
        #expect(problems("57246542-96fe-1a63-e053-0824d011072a") == [])
        #expect(
            problems("Example Shop")
                == ["app_store.issuer_id: not a UUID such as 57246542-96fe-1a63-e053-0824d011072a"]
        )
        #expect(problems("") == ["app_store.issuer_id: not set, and app_store.private_key is"])
    }
}
