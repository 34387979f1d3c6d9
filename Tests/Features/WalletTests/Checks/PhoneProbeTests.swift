import FeatureTestKit
import HTTPCore
import Operations
import Primitives
import TestKit
import Testing

@testable import Wallet

@Suite struct `The address that phones ask` {
    private static let service = "https://wallet.example.com/cards"

    /// What is found where the service answers so; `nil` for no answer.
    private func lines(_ answer: InboundResponse?, silence: String = "") async -> [String] {
        let hosts = AnswersByURL(ManualClock(at: WallTime(seconds: 0)))
        hosts.silence = silence
        hosts.answers[Self.service + "/v1/devices/doctor/registrations/doctor"] = answer
        let probe = PhoneProbe(service: Self.service, setting: "wallet.host", exchange: hosts)
        let lines = await probe.findings().map(\.line)
        #expect(hosts.asked.map(\.method) == ["GET"])
        #expect(!hosts.asked.contains { $0.fields.contains { $0.0.lowercased() == "authorization" } })
        return lines
    }

    @Test func `is fine where it knows no such phone`() async {
        #expect(await lines(InboundResponse(status: 204)) == [])
    }

    @Test(arguments: [
        (301, "Take the redirect away"), (308, "Take the redirect away"), (401, "without a password of the proxy"),
        (403, "without a password of the proxy"), (404, "path and Host field unchanged"),
        (200, "path and Host field unchanged"), (429, "again in a minute"), (502, "Read the log"),
    ])
    func `is wrong where something else answers`(status: Int, remedy: String) async throws {
        let line = try #require(await lines(InboundResponse(status: status)).first)
        #expect(line.hasPrefix("D73 error wallet.host: A phone that asks \(Self.service) for news "))
        #expect(line.contains(" with \(status), not with 204. ") && line.contains(remedy))
    }

    @Test func `is wrong where its certificate is not believed, or nobody answers`() async throws {
        let chain = try #require(await lines(nil, silence: "SSL peer certificate was not OK").first)
        #expect(
            chain.contains("was not OK. Serve a certificate of a public authority for this host, with its intermed")
        )
        let nobody = try #require(await lines(nil, silence: "Couldn't connect to server").first)
        #expect(nobody.contains("Check that DNS, port and firewall lead to the program"))
    }
}
