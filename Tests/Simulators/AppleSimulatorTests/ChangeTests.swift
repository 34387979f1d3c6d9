import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Calls that change purchases")
struct ChangeTests {
    @Test func `set the account of a purchase`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            let path = "/v1/transactions/\(id)/appAccountToken"
            let token = "7B9F3C52-0D0F-4B1F-9B57-0F4F8F1F6A01"
            let answer = try await bench.call("PUT", path, ["appAccountToken": .string(token)])
            #expect(answer.status == 200)
            #expect(try await bench.transaction(id)["appAccountToken"] == .string(token.lowercased()))
            let shared = try await bench.ticket([("ownership", "FAMILY_SHARED")])
            let bad: [(String, JSONValue, Int)] = [
                (path, ["appAccountToken": "x"], 4_000_183), (path, [:], 4_000_183), (path, ["x"], 4_000_000),
                ("/v1/transactions/\(shared)/appAccountToken", ["appAccountToken": .string(token)], 4_000_185),
                ("/v1/transactions/1/appAccountToken", ["appAccountToken": .string(token)], 4_040_005),
                ("/v1/transactions/x/appAccountToken", ["appAccountToken": .string(token)], 4_000_008),
            ]
            for (path, body, code) in bad {
                #expect(try await bench.call("PUT", path, body).json["errorCode"] == JSONValue(code), "\(path) \(body)")
            }
        }
    }

    @Test func `take what is said of consumption, where it makes sense`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            let monthly = try await bench.ticket([("type", "Auto-Renewable Subscription"), ("product", "monthly")])
            let path = "/v2/transactions/consumption/"
            let good: JSONValue = [
                "customerConsented": true, "sampleContentProvided": false, "deliveryStatus": "DELIVERED",
                "consumptionPercentage": 40_000, "refundPreference": "GRANT_PRORATED",
            ]
            let answer = try await bench.call("PUT", path + id, good)
            #expect(answer.status == 202)
            #expect(answer.json == .null)
            #expect(try await bench.control("GET", "/purchases/\(id)")["consumption"] == .string(good.description))
            func changed(_ name: String, _ value: JSONValue) -> JSONValue {
                .object(good.members.filter { $0.name != name } + [JSONMember(name, value)])
            }
            let bad: [(String, JSONValue, Int)] = [
                (id, changed("customerConsented", false), 4_000_035),
                (id, changed("sampleContentProvided", .null), 4_000_041),
                (id, changed("deliveryStatus", "LOST"), 4_000_036),
                (id, changed("deliveryStatus", "UNDELIVERED_OTHER"), 4_000_000),
                (id, changed("consumptionPercentage", 100_001), 4_000_000),
                (id, changed("consumptionPercentage", 0), 4_000_000),
                (id, changed("refundPreference", "MAYBE"), 4_000_044), (monthly, good, 4_000_209),
                ("1", good, 4_040_010),
            ]
            for (id, body, code) in bad {
                #expect(try await bench.call("PUT", path + id, body).json["errorCode"] == JSONValue(code), "\(body)")
            }
            let old: JSONValue = [
                "customerConsented": true, "sampleContentProvided": false, "accountTenure": 1, "appAccountToken": "",
                "consumptionStatus": 1, "deliveryStatus": 0, "lifetimeDollarsPurchased": 1,
                "lifetimeDollarsRefunded": 1, "platform": 1, "playTime": 1, "userStatus": 1, "refundPreference": 2,
            ]
            #expect(try await bench.call("PUT", "/v1/transactions/consumption/\(id)", old).status == 202)
            let platform = JSONValue.object(old.members.filter { $0.name != "platform" })
            let refused = try await bench.call("PUT", "/v1/transactions/consumption/\(id)", platform)
            #expect(refused.json["errorCode"] == 4_000_039)
        }
    }
}
