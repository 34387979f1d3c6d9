import EventIO
import HTTPCore
import HTTPServer
import Primitives
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Notifications of the store")
struct NotificationTests {
    @Test func `say what has happened to a purchase`() async throws {
        try await withReceiver { bench, receiver in
            let id = try await bench.ticket([("appAccountToken", "7b9f3c52-0d0f-4b1f-9b57-0f4f8f1f6a01")])
            try await bench.control("POST", "/purchases/\(id)/request-consumption", ["reason": "LEGAL"])
            try await bench.control("POST", "/purchases/\(id)/decline-refund")
            try await bench.control("POST", "/purchases/\(id)/refund", ["percentage": 50_000])
            try await bench.control("POST", "/purchases/\(id)/reverse-refund")
            let all = try await receiver.payloads(5, bench)
            let types = [
                "ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "REFUND_DECLINED", "REFUND", "REFUND_REVERSED",
            ]
            #expect(Set(all.compactMap { $0["notificationType"]?.text }) == Set(types))
            #expect(Set(all.compactMap { $0["notificationUUID"]?.text }).count == 5)
            for one in all {
                let data = try #require(one["data"])
                #expect(one["version"] == "2.0")
                #expect(data["bundleId"] == .string(StoreBench.bundle))
                #expect(data["environment"] == "Sandbox")
                #expect(data["appAppleId"] == nil)
                let inner = try await bench.verified(try #require(data["signedTransactionInfo"]?.text))
                #expect(inner["transactionId"] == .string(id))
                let isRefund = one["notificationType"] == "REFUND"
                #expect((inner["revocationPercentage"] == 50_000) == isRefund)
                let isRequest = one["notificationType"] == "CONSUMPTION_REQUEST"
                #expect((data["consumptionRequestReason"] == "LEGAL") == isRequest)
            }
        }
    }

    @Test func `are tried six times in production, by the table, with the same text`() async throws {
        try await withReceiver { bench, receiver in
            receiver.status = 500
            _ = try await bench.ticket([("environment", "Production")])
            _ = try await receiver.payloads(1, bench)
            for (index, hours) in [1, 12, 24, 48, 72].enumerated() {
                try await bench.control("POST", "/clock", ["advance": "PT\(hours)H"])
                _ = try await receiver.payloads(index + 2, bench)
            }
            try await bench.control("POST", "/clock", ["advance": "P30D"])
            let list = try await bench.attempts(6)
            #expect(list == Array(repeating: "UNSUCCESSFUL_HTTP_RESPONSE_CODE", count: 6))
            #expect(Set(receiver.bodies).count == 1)
        }
    }

    @Test func `are tried once in the sandbox`() async throws {
        try await withReceiver { bench, receiver in
            receiver.status = 302
            _ = try await bench.ticket()
            #expect(try await bench.attempts(1) == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"])
            try await bench.control("POST", "/clock", ["advance": "P30D"])
            let all = try await bench.control("GET", "/notifications")["notifications"]?.elements ?? []
            #expect(all.first?["next"] == nil)
            #expect(receiver.bodies.count == 1)
        }
    }

    @Test func `wait, come twice and out of order where a tester wants it`() async throws {
        try await withReceiver { bench, receiver in
            try await bench.control("POST", "/notifications/options", ["holds": true, "duplicates": 1])
            let (one, other) = (try await bench.ticket(), try await bench.ticket())
            #expect(receiver.bodies.isEmpty)
            try await bench.control("POST", "/notifications/2/send")
            let second = try await receiver.payloads(2, bench)
            #expect(Set(second.compactMap { $0["notificationUUID"]?.text }).count == 1)
            try await bench.control("POST", "/notifications/1/send")
            let all = try await receiver.payloads(4, bench)
            let ids = try all.map { notification in
                try ReadText(notification["data"]?["signedTransactionInfo"]?.text ?? "").payload["transactionId"]?.text
            }
            #expect(ids == [other, other, one, one])
            try await bench.control(
                "POST",
                "/notifications/options",
                ["holds": false, "delay": "PT1H", "duplicates": 0]
            )
            _ = try await bench.ticket()
            #expect(receiver.bodies.count == 4)
            try await bench.control("POST", "/clock", ["advance": "PT1H"])
            _ = try await receiver.payloads(5, bench)
        }
    }

    @Test func `may be of a stranger, have a foreign text inside, or a type that nobody knows`() async throws {
        try await withReceiver { bench, receiver in
            let id = try await bench.ticket()
            _ = try await receiver.payloads(1, bench)
            let root = try await bench.send("GET", "/_sim/authority/root.der").body
            let bodies: [JSONValue] = [
                ["type": "REFUND", "transactionId": .string(id), "foreignSignature": true],
                ["type": "REFUND", "transactionId": .string(id), "foreignTransaction": true],
                ["type": "SOMETHING_NEW", "subtype": "AND_MORE"],
            ]
            var found: [[Bool]] = []
            for (index, body) in bodies.enumerated() {
                try await bench.control("POST", "/notifications", body)
                let payload = try await receiver.payloads(index + 2, bench)[index + 1]
                let outer = try ReadText(try receiver.text(index + 1))
                let inner = try payload["data"]?["signedTransactionInfo"]?.text.map { try ReadText($0) }
                found.append([
                    try outer.complaints(root: root).isEmpty, try inner?.complaints(root: root).isEmpty ?? true,
                ])
            }
            #expect(found == [[false, true], [true, false], [true, true]])
        }
    }

    @Test func `are tested on request, and listed`() async throws {
        try await withReceiver { bench, receiver in
            let requested = try await bench.call("POST", "/v1/notifications/test")
            let token = try #require(requested.json["testNotificationToken"]?.text)
            let payload = try await receiver.payloads(1, bench)[0]
            #expect(payload["notificationType"] == "TEST")
            #expect(payload["data"]?["signedTransactionInfo"] == nil)
            #expect(try await bench.attempts(1) == ["SUCCESS"])
            let status = try await bench.call("GET", "/v1/notifications/test/\(token)")
            #expect(status.json["signedPayload"] == .string(try receiver.text(0)))
            #expect(status.json["sendAttempts"]?.elements.first?["sendAttemptResult"] == "SUCCESS")
            let bad = ["x": 4_000_020, "7b9f3c52-0d0f-4b1f-9b57-0f4f8f1f6a01_1": 4_040_008]
            for (token, code) in bad {
                let answer = try await bench.call("GET", "/v1/notifications/test/\(token)")
                #expect(answer.json["errorCode"] == JSONValue(code))
            }
            try await bench.control("POST", "/notifications/options", ["sandbox": ""])
            #expect(try await bench.call("POST", "/v1/notifications/test").json["errorCode"] == 4_040_007)
        }
    }

    @Test func `are listed by pages, kind, purchase and failure`() async throws {
        try await withReceiver { bench, receiver in
            var ids: [String] = []
            for _ in 0..<21 { ids.append(try await bench.ticket()) }
            _ = try await receiver.payloads(21, bench)
            receiver.status = 503
            try await bench.control("POST", "/purchases/\(ids[4])/refund")
            _ = try await receiver.payloads(22, bench)
            _ = try await bench.attempts(1, of: 22)
            let now = Int(bench.reactor.wallNow.seconds) * 1_000
            func list(
                _ changes: [(String, JSONValue)] = [],
                _ query: String = ""
            ) async throws -> (status: Int, json: JSONValue) {
                let dates = [
                    JSONMember("startDate", JSONValue(now - 60_000)), JSONMember("endDate", JSONValue(now + 600_000)),
                ].filter { member in !changes.contains { $0.0 == member.name } }
                let body = JSONValue.object(dates + changes.map { JSONMember($0.0, $0.1) })
                return try await bench.call("POST", "/v1/notifications/history" + query, body)
            }
            let first = try await list()
            #expect(first.json["notificationHistory"]?.elements.count == 20)
            #expect(first.json["hasMore"] == true)
            let token = try #require(first.json["paginationToken"]?.text)
            let second = try await list([], "?paginationToken=" + token)
            #expect(second.json["notificationHistory"]?.elements.count == 2)
            #expect(second.json["hasMore"] == false)
            let counts: [([(String, JSONValue)], Int)] = [
                ([("onlyFailures", true)], 1), ([("notificationType", "REFUND")], 1),
                ([("transactionId", .string(ids[4]))], 2), ([("transactionId", .string(ids[5]))], 1),
            ]
            for (changes, count) in counts {
                #expect(try await list(changes).json["notificationHistory"]?.elements.count == count)
            }
            let bad: [([(String, JSONValue)], String, Int)] = [
                ([("startDate", .null)], "", 4_000_015), ([("endDate", "x")], "", 4_000_016),
                ([("startDate", JSONValue(now - 31 * 86_400_000))], "", 4_000_012),
                ([("endDate", JSONValue(now - 70_000))], "", 4_000_013),
                ([("notificationType", "REFUND"), ("transactionId", "1")], "", 4_000_019),
                ([("notificationType", "NOTHING")], "", 4_000_018),
                ([("onlyFailures", true)], "?paginationToken=" + token, 4_000_014),
            ]
            for (changes, query, code) in bad {
                #expect(try await list(changes, query).json["errorCode"] == JSONValue(code), "\(changes)")
            }
        }
    }
}

extension StoreBench {
    /// The results of the tries of a notification, once there are so many.
    fileprivate func attempts(_ count: Int, of number: Int = 1) async throws -> [String] {
        let patience = Patience()
        while patience.isLeft {
            let all = try await control("GET", "/notifications")["notifications"]?.elements ?? []
            let attempts = all.first { $0["number"]?.integer == number }?["attempts"]?.elements ?? []
            if attempts.count >= count { return attempts.compactMap { $0["result"]?.text } }
        }
        return []
    }
}

/// A developer's server.
final class Receiver: RequestHandler {
    var status = 200
    private(set) var bodies: [[UInt8]] = []

    func bodyLimit(for request: HTTPRequest) -> Int? { 1 << 20 }

    func handle(_ request: HTTPRequest) -> HandlerResult {
        bodies.append(request.body)
        return .now(HTTPResponse(HTTPStatus(status) ?? .internalError))
    }

    /// A text as it came.
    func text(_ index: Int) throws -> String {
        try #require(JSONParser.parse(bodies[index])["signedPayload"]?.text)
    }

    /// What has come, once there is so much.
    func payloads(_ count: Int, _ bench: StoreBench) async throws -> [JSONValue] {
        try #require(await waitUntil(bench.reactor) { self.bodies.count >= count })
        return try bodies.indices.map { try ReadText(try text($0)).payload }
    }
}

/// Runs a test with a store that notifies a server.
func withReceiver(_ body: @escaping @Sendable (StoreBench, Receiver) async throws -> Void) async throws {
    try await withStore { bench in
        let receiver = Receiver()
        let listener = ServerConfiguration.Listener(SocketAddress(v4: 0x7F00_0001, port: 0), .clear)
        let server = Server(ServerConfiguration(name: "receiver", listeners: [listener]))
        try server.attach(to: bench.reactor, handler: receiver)
        let url = "http://127.0.0.1:\(server.boundAddresses[0].port)/notifications"
        let options: JSONValue = ["production": .string(url), "sandbox": .string(url)]
        try await bench.control("POST", "/notifications/options", options)
        try await body(bench, receiver)
        await server.drain()
    }
}
