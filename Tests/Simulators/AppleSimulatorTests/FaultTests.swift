import EventIO
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Faults of the API")
struct FaultTests {
    @Test func `are the vendor's refusals`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            let expected: [(JSONValue, Int, JSONValue?)] = [
                (["reasonCode": "5000001"], 500, 5_000_001), (["reasonCode": "4040002"], 404, 4_040_002),
                (["status": 401], 401, nil), (["status": 503], 503, nil), (["reasonCode": "4290000"], 429, 4_290_000),
            ]
            for (action, status, code) in expected {
                let match: JSONValue = ["operation": "transactionInfo", "environment": "Sandbox"]
                try await bench.control("POST", "/faults", ["match": match, "action": action])
                #expect(try await bench.call("GET", "/v2/history/\(id)").status == 200)
                let answer = try await bench.call("GET", "/v1/transactions/\(id)")
                #expect(answer.status == status)
                #expect(answer.json["errorCode"] == code)
            }
            _ = try await bench.transaction(id)
        }
    }

    @Test func `of too many requests name a time in milliseconds`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            let fields = [("authorization", try bench.bearer())]
            for (given, ahead) in [(nil, 1_000), ("+90000", 90_000)] as [(String?, Int)] {
                var action = [JSONMember("status", 429)]
                if let given { action.append(JSONMember("retryAfter", .string(given))) }
                try await bench.control("POST", "/faults", ["action": .object(action)])
                let before = Int(bench.reactor.wallNow.seconds) * 1_000
                let answer = try await bench.send("GET", "/sandbox/inApps/v1/transactions/\(id)", fields: fields)
                #expect(answer.status == 429)
                let time = try #require(answer.first("retry-after").flatMap { Int($0) })
                #expect(time >= before + ahead && time < before + ahead + 600_000)
            }
            try await bench.control("POST", "/faults", ["action": ["status": 429, "retryAfter": "7"]])
            let answer = try await bench.send("GET", "/sandbox/inApps/v1/transactions/\(id)", fields: fields)
            #expect(answer.first("retry-after") == "7")
        }
    }

    @Test func `are broken connections and contents`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            for word in ["resetBefore", "resetAfter", "truncateBody"] {
                try await bench.control("POST", "/faults", .flag(word))
                // A GET is repeated by the client where a connection that was used before ends.
                let isWhole = word != "truncateBody"
                await #expect(throws: HTTPExchangeError.self, "\(word)") {
                    _ =
                        isWhole
                        ? try await bench.call("POST", "/v1/transactions/\(id)/finish")
                        : try await bench.call("GET", "/v1/transactions/\(id)")
                }
            }
            for word in ["htmlBody", "badJson", "wrongContentType"] {
                try await bench.control("POST", "/faults", .flag(word))
                let fields = [("authorization", try bench.bearer())]
                let answer = try await bench.send("GET", "/sandbox/inApps/v1/transactions/\(id)", fields: fields)
                #expect(answer.status == 200)
                let isJSON = (try? JSONParser.parse(answer.body)) != nil
                #expect(isJSON == (word == "wrongContentType"))
                #expect((answer.first("content-type") == "application/json") == (word == "badJson"))
            }
        }
    }

    @Test func `finish a transaction though the answer is lost`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            try await bench.control("POST", "/faults", .flag("resetAfter"))
            await #expect(throws: HTTPExchangeError.self) {
                _ = try await bench.call("POST", "/v1/transactions/\(id)/finish")
            }
            #expect(try await bench.control("GET", "/purchases/\(id)")["finished"] == true)
        }
    }

    @Test func `begin where the vendor's limits end`() async throws {
        try await withStore(clock: ManualClock()) { bench in
            let id = try await bench.ticket()
            try await bench.control("POST", "/texts", ["limitsRates": true])
            for _ in 0..<5 { #expect(try await bench.call("GET", "/v1/transactions/\(id)").status == 200) }
            let answer = try await bench.call("GET", "/v1/transactions/\(id)")
            #expect(answer.status == 429)
            #expect(answer.json["errorCode"] == 4_290_000)
            #expect(try await bench.call("GET", "/v2/history/\(id)").status == 200)
        }
    }

    @Test func `and calls are logged without tokens`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            _ = try await bench.call("GET", "/v1/transactions/\(id)")
            _ = try await bench.call("GET", "/v1/transactions/1")
            let log = try await bench.control("GET", "/log")
            let entries = log["entries"]?.elements ?? []
            #expect(entries.map { $0["status"] } == [200, 404])
            #expect(entries.last?["errorCode"] == 4_040_010)
            #expect(entries.first?["operation"] == "transactionInfo")
            #expect(!log.description.contains("eyJ"))
        }
    }
}

extension JSONValue {
    /// An action that is one flag.
    fileprivate static func flag(_ word: String) -> JSONValue {
        ["action": .object([JSONMember(word, true)])]
    }
}
