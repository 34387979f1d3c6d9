import EventIO
import FeatureTestKit
import HTTPCore
import Operations
import Primitives
import ServerCore
import Settings
import StrictJSON
import TestKit
import Testing
import Web

@testable import DeviceCheck

@Suite("The key that the doctor shows to Apple")
struct CredentialFindingTests {
    private func findings(
        _ bench: DeviceServiceBench,
        over exchange: (any HTTPExchange)? = nil,
        _ change: (inout [String: String]) -> Void = { _ in }
    ) async throws -> [Finding] {
        var texts = bench.texts
        texts["TEAM_ID"] = DeviceServiceBench.team
        change(&texts)
        let variables = texts.map { ("SALLYPORT_DEVICE_CHECK_" + $0.key, $0.value) }
        let environment = Dictionary(variables) { first, _ in first }
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        let feature = DeviceCheckFeature(&reader)
        let context = ProbeContext(
            bench.reactor,
            ExaminedSettings(reader, webPaths: [], now: bench.clock.now()),
            headers: HeaderPolicy(includesSubdomains: false),
            web: nil,
            link: nil,
            hosts: ScriptedExchange(),
            exchange: { _ in exchange ?? bench.exchange }
        )
        var findings: [Finding]?
        bench.reactor.startTask { findings = await feature.probe(context) }
        _ = await waitUntil(bench.reactor) {
            if bench.exchange.pending == 0 {
                bench.clock.advance(by: .milliseconds(50), waking: bench.reactor.executor)
            }
            return findings != nil
        }
        return try #require(findings)
    }

    @Test func `is taken, or the report says what to do`() async throws {
        try await DeviceServiceBench.run { bench, folder in
            #expect(try await findings(bench).isEmpty)
            #expect(try await findings(bench) { $0["PRIVATE_KEY"] = "" }.isEmpty)
            let rows: [(JSONValue, Severity, String)] = [
                (["status": 401], .error, "device_check.private_key"),
                (["status": 503], .warning, "device_check.production_url"),
            ]
            for (action, severity, subject) in rows {
                try await bench.fault(action)
                let found = try await findings(bench)
                #expect(found.map(\.check) == ["D89"] && found.map(\.severity) == [severity])
                #expect(found.map(\.subject) == [subject] && found.allSatisfy { !$0.remedy.isEmpty })
            }
            try await bench.control("DELETE", "/faults")
            let missing = try await findings(bench) { $0["PRIVATE_KEY"] = "\(folder)/AuthKey_NOTTHERE99.p8" }
            #expect(missing.isEmpty, "the checks without a network say so")
            let late = try await findings(bench, over: LateExchange())
            #expect(late.map(\.check) == ["D89"] && late.map(\.severity) == [.warning])
            #expect(late.first?.message.contains("s behind ours") == true)
            try await bench.control("POST", "/keys/\(DeviceServiceBench.keyIDs[0])/revoke")
            #expect(try await findings(bench).map(\.severity) == [.error])
        }
    }
}

/// Apple's service, whose clock stands.
private final class LateExchange: HTTPExchange {
    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        InboundResponse(
            status: 400,
            fields: [("Date", "Thu, 01 Jan 2026 00:00:00 GMT")],
            body: Array("Missing or incorrectly formatted device token payload".utf8)
        )
    }
}
