import AmazonPay
import EventIO
import Foundation
import Settings
import TestKit
import Testing

@testable import Checkout
@testable import Program

@Suite struct `The limits that calls are kept under` {
    /// What `demo` makes of settings, in a folder of its own.
    private func limits(_ texts: [String: String]) async throws -> CallQuota.Limits {
        try await withTemporaryFolder { folder in
            let keys = try DevelopmentKeys.prepare(in: folder, random: KernelRandom())
            var environment = [
                "SALLYPORT_DATA_DIR": folder, "SALLYPORT_PROVIDER_PRIVATE_KEY": keys.folder + "/merchant.key",
            ]
            for (name, text) in texts { environment["SALLYPORT_" + name] = text }
            let source = SettingSource(file: nil, environment: environment)
            let configuration = try Configuration(DemoDefaults.fill(source))
            return try configuration.provider().quota
        }
    }

    @Test(arguments: [("live", QuotaTable.live), ("sandbox", .sandbox), ("none", .unlimited)])
    func `beside a simulator are the simulator's`(text: String, table: QuotaTable) async throws {
        #expect(try await limits(["SIMULATOR_QUOTA": text]).table == table)
    }

    @Test(arguments: [("LIVE-A", QuotaTable.live), ("SANDBOX-A", .sandbox)])
    func `beside Amazon are those of the account's environment`(prefix: String, table: QuotaTable) async throws {
        let key = prefix + String(repeating: "B", count: 23)
        let texts = [
            "SIMULATOR_QUOTA": "none", "PROVIDER_API_URL": "", "PROVIDER_CA_FILE": "", "PROVIDER_PUBLIC_KEY_ID": key,
            "PROVIDER_SCRIPT_URL": "", "PROVIDER_START_URL": "", "PROVIDER_REDIRECT_HOSTS": "",
            "PROVIDER_CSP_HOSTS": "",
        ]
        #expect(try await limits(texts).table == table)
    }
}
