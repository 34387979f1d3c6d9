import Cryptography
import EventIO
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Keys of DeviceCheck")
struct DeviceCheckKeyTests {
    @Test func `are judged as the vectors say`() throws {
        let vectors = try StoreBench.vectors("api-jwt")
        let key = APIKey(
            id: DeviceCheckBench.keyID,
            issuer: DeviceCheckBench.team,
            key: try StoreBench.publicKey()
        )
        let cases = (vectors["cases"]?.elements ?? []).filter { $0["api"]?.text == "devicecheck" }
        #expect(cases.count == 10)
        for one in cases {
            let time = WallTime(seconds: Int64(try #require(one["now"]?.integer)))
            var refusal: DeviceCheckRefusal?
            do throws(DeviceCheckRefusal) {
                let field = "Bearer " + (one["token"]?.text ?? "")
                let team = try BearerToken.team(
                    BearerToken(field),
                    keys: [DeviceCheckKey(key: key, hasDeviceCheck: true)],
                    now: time
                )
                #expect(team == DeviceCheckBench.team)
            } catch {
                refusal = error
            }
            #expect((refusal?.status ?? 200) == one["expect"]?.integer, "\(one["id"]?.text ?? "")")
            #expect((refusal == .expiredAuthorization) == (one["id"]?.text == "dc-over-an-hour"))
        }
    }

    @Test func `are needed: none and unreadable ones are bad requests, others are refused`() async throws {
        try await withDeviceCheck { bench in
            let body = bench.body(try await bench.token(try await bench.device()))
            let good = try bench.bearer()
            for field in ["", "Bearer", "Bearer abc", "Basic YTpi", "Bearer a.b.c", good + " x"] {
                let answer = try await bench.call("query_two_bits", body, authorization: field)
                #expect(answer == (400, "Missing or badly formatted authorization token"), "\(field)")
            }
            let now = bench.reactor.wallNow.seconds
            let old = JSONMember("exp", .number(String(now - 1)))
            let expired = try await bench.call(
                "query_two_bits",
                body,
                authorization: try bench.bearer(claims: [old])
            )
            #expect(expired == (401, "Authorization Token Expired"))
            for (team, key) in [("OTHERTEAM1", DeviceCheckBench.keyID), (DeviceCheckBench.team, "UNKNOWNKEY")] {
                let field = try bench.bearer(team: team, keyID: key)
                let answer = try await bench.call("query_two_bits", body, authorization: field)
                #expect(answer == (401, "Unable to verify authorization token"))
            }
            let fields = [("authorization", good.replacing("Bearer", with: "bearer"))]
            #expect(try await bench.send("POST", "/production/v1/query_two_bits", body, fields: fields).status == 200)
        }
    }

    @Test func `are registered, replaced and revoked; one without DeviceCheck opens nothing`() async throws {
        try await withDeviceCheck { bench in
            let body = bench.body(try await bench.token(try await bench.device()))
            func status(_ made: JSONValue) async throws -> Int {
                let id = try #require(made["keyId"]?.text)
                let pem = Secret(Array(try #require(made["privateKey"]?.text).utf8))
                let field = try bench.bearer(keyID: id, key: ES256PrivateKey(pem: pem))
                return try await bench.call("query_two_bits", body, authorization: field).status
            }
            let second = try await bench.control("POST", "/keys", [:])
            #expect(second["teamId"] == .string(DeviceCheckBench.team))
            #expect(try await status(second) == 200)
            let other = try await bench.control("POST", "/keys", ["deviceCheck": false])
            #expect(try await status(other) == 401)
            let id = try #require(second["keyId"]?.text)
            try await bench.control("POST", "/keys/\(id)/revoke")
            #expect(try await status(second) == 401)
            #expect(try await bench.call("query_two_bits", body).status == 200)
            let list = try await bench.control("GET", "/keys")
            #expect(list["keys"]?.elements.count == 3)
            #expect(!list.description.contains("PRIVATE"))
            #expect(try await bench.send("POST", "/_sim/keys/nothing/revoke").status == 404)
            let taken: JSONValue = ["keyId": .string(id)]
            #expect(try await bench.send("POST", "/_sim/keys", taken.bytes).status == 409)
            let pem = try StoreBench.privateKey().publicPEM()
            let text: JSONValue = ["keyId": "FROMOUTSIDE", "publicKey": .string(String(decoding: pem, as: UTF8.self))]
            #expect(try await bench.control("POST", "/keys", text)["privateKey"] == nil)
            let field = try bench.bearer(keyID: "FROMOUTSIDE")
            #expect(try await bench.call("query_two_bits", body, authorization: field).status == 200)
        }
    }
}
