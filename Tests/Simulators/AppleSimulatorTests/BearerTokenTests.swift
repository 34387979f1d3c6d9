import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Tokens of requests")
struct BearerTokenTests {
    @Test func `are judged as the vectors say`() throws {
        let vectors = try StoreBench.vectors("api-jwt")
        let key = APIKey(id: StoreBench.keyID, issuer: StoreBench.issuer, key: try StoreBench.publicKey())
        let cases = (vectors["cases"]?.elements ?? []).filter { $0["api"]?.text == "app-store-server" }
        #expect(cases.count == 22)
        for one in cases {
            let time = WallTime(seconds: Int64(try #require(one["now"]?.integer)))
            let isGood = BearerToken.isGood(
                "Bearer " + (one["token"]?.text ?? ""),
                keys: [key],
                bundle: StoreBench.bundle,
                now: time
            )
            #expect(isGood == (one["expect"]?.integer == 200), "\(one["id"]?.text ?? "")")
        }
    }

    @Test func `are asked for, and their lack is answered without a content`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            for fields in [[], [("authorization", "Bearer abc.def")], [("authorization", "Basic YTpi")]] {
                let answer = try await bench.send("GET", "/sandbox/inApps/v1/transactions/\(id)", fields: fields)
                #expect(answer.status == 401)
                #expect(answer.body.isEmpty)
            }
        }
    }
}
