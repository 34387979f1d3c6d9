import EventIO
import Primitives
import Settings
import SimulatorCore
import StrictJSON
import TestKit
import Testing

@testable import AmazonPaySimulator

@Suite struct `Amazon Pay in a demo` {
    /// What a demo fills in, in the folder `/keys`, where file and environment set something.
    private func settings(_ environment: [String: String] = [:]) throws -> [String: JSONValue] {
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        _ = try system(&reader)
        return SimulatedAmazonPay.demoSettings(DemoSource(reader, folder: "/keys"))
    }

    private func system(_ reader: inout SettingReader) throws -> SimulatedAmazonPay {
        _ = reader.text("web.base_url", "https://localhost:8443", "pages")
        _ = reader.list("notifications.topic_arn", "", "topics")
        return try #require(SimulatedAmazonPay(&reader))
    }

    @Test func `is found where it listens`() throws {
        let found = try settings(["SALLYPORT_SIMULATOR_LISTEN": "127.0.0.1:9555"])
        #expect(found["provider.api_url"] == "https://localhost:9555")
        #expect(found["provider.redirect_hosts"] == "localhost:9555")
        #expect(found["provider.private_key"] == "/keys/merchant.key")
    }

    @Test func `has its messages believed, never beside another provider or another key`() throws {
        let names = ["topic_arn", "trust_anchor", "certificate_hosts"].map { "notifications." + $0 }
        let own = try settings()
        #expect(names.allSatisfy { own[$0] != nil })
        for other in ["SALLYPORT_PROVIDER_API_URL", "SALLYPORT_PROVIDER_PUBLIC_KEY_ID"] {
            let found = try settings([other: ""])
            #expect(names.allSatisfy { found[$0] == nil }, "\(other)")
            #expect(found["provider.merchant_id"] != nil)
        }
    }

    @Test(arguments: [
        ("https://localhost:8443", "t", ["notify": "https://localhost:8443/ipn/amazon-pay"]),
        ("https://pay.example.com", "t", [:]), ("https://localhost:8443", "", [:]),
    ])
    func `sends messages to a program on this machine that takes them`(
        web: String,
        topic: String,
        options: [String: String]
    ) throws {
        let environment = ["SALLYPORT_WEB_BASE_URL": web, "SALLYPORT_NOTIFICATIONS_TOPIC_ARN": topic]
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        #expect(try system(&reader).demoOptions == options)
    }

    @Test func `keeps the private halves of its keys for its owner`() async throws {
        try await withTemporaryFolder { folder in
            try SimulatedAmazonPay.makeFiles(in: folder, random: KernelRandom())
            for (path, mode) in [("merchant.key", 0o600), ("merchant.pem", 0o644), ("sender/root.key", 0o600)] {
                #expect(try Files.permissions(folder + "/" + path).mode & 0o777 == UInt32(mode), "\(path)")
            }
        }
    }

    @Test func `without an address is told at its start`() throws {
        var reader = SettingReader(SettingSource(file: nil, environment: ["SALLYPORT_SIMULATOR_LISTEN": ""]))
        let system = try system(&reader)
        let launch = SimulatorLaunch(folder: "/keys", certificate: [], key: Secret([]))
        let error = #expect(throws: (any Error).self) { try system.places(launch) }
        #expect((error as? ConfigurationError)?.problems == ["simulator_listen: empty"])
    }
}
