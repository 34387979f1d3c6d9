import EventIO
import Primitives
import StrictJSON
import TLS
import TestKit
import Testing

@testable import PushSimulator

/// A request, and what the push service says to it.
struct CheckCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "POST"
    var path = "/3/device/" + PushBench.token
    var fields: [(String, String)] = []
    var body: [UInt8]? = Array("{}".utf8)
    let status: String
    let reason: String?

    init(
        _ name: String,
        _ status: Int,
        _ reason: String?,
        fields: [(String, String)] = [],
        _ change: (inout CheckCase) -> Void = { _ in }
    ) {
        testDescription = name
        self.status = String(status)
        self.reason = reason
        self.fields = fields
        change(&self)
    }
}

@Suite("The checks of the push service")
struct ServiceCheckTests {
    static let usual = [
        ("apns-topic", PushBench.topic), ("apns-push-type", "background"), ("apns-priority", "5"),
        ("apns-expiration", "1767409445"), ("apns-id", "123e4567-e89b-42d3-a456-426614174000"),
    ]

    static let cases = [
        CheckCase("the usual request", 200, nil, fields: usual),
        CheckCase("a request without fields", 200, nil),
        CheckCase("a field twice", 400, "DuplicateHeaders", fields: [("apns-priority", "5"), ("apns-priority", "5")]),
        CheckCase("a field twice, before the method", 400, "DuplicateHeaders", fields: [("a", "1"), ("a", "1")]) {
            $0.method = "GET"
        },
        CheckCase("another method", 405, "MethodNotAllowed") { $0.method = "PUT" },
        CheckCase("another method, before the path", 405, "MethodNotAllowed") { ($0.method, $0.path) = ("PUT", "/") },
        CheckCase("another path", 404, "BadPath") { $0.path = "/3/devices/" + PushBench.token },
        CheckCase("a path that goes on", 404, "BadPath") { $0.path += "/x" },
        CheckCase("no token", 400, "MissingDeviceToken") { $0.path = "/3/device/" },
        CheckCase("another topic", 400, "TopicDisallowed", fields: [("apns-topic", "pass.com.example.other")]),
        CheckCase("a topic that cannot be", 400, "BadTopic", fields: [("apns-topic", "a b")]),
        CheckCase("an id that is none", 400, "BadMessageId", fields: [("apns-id", "7")]),
        CheckCase("an expiration that is none", 400, "BadExpirationDate", fields: [("apns-expiration", "soon")]),
        CheckCase("an expiration below zero", 400, "BadExpirationDate", fields: [("apns-expiration", "-1")]),
        CheckCase("a priority that is none", 400, "BadPriority", fields: [("apns-priority", "7")]),
        CheckCase("a type that is none", 400, "InvalidPushType", fields: [("apns-push-type", "pass")]),
        CheckCase(
            "background with priority 10",
            400,
            "BadPriority",
            fields: [("apns-push-type", "background"), ("apns-priority", "10")]
        ),
        CheckCase("background with no priority", 400, "BadPriority", fields: [("apns-push-type", "background")]),
        CheckCase(
            "a collapse id too long",
            400,
            "BadCollapseId",
            fields: [("apns-collapse-id", String(repeating: "x", count: 65))]
        ),
        CheckCase("no body", 400, "PayloadEmpty") { $0.body = nil },
        CheckCase("a body of 4096", 200, nil) { $0.body = [UInt8](repeating: 0x20, count: 4_096) },
        CheckCase("a body of 4097", 413, "PayloadTooLarge") { $0.body = [UInt8](repeating: 0x20, count: 4_097) },
        CheckCase("a body too long, before the token", 413, "PayloadTooLarge") {
            ($0.body, $0.path) = ([UInt8](repeating: 0x20, count: 4_097), "/3/device/xyz")
        },
        CheckCase("a token with foreign characters", 400, "BadDeviceToken") { $0.path = "/3/device/xyz" },
        CheckCase("a token of odd length", 400, "BadDeviceToken") { $0.path = "/3/device/abc" },
        CheckCase("an unknown token", 400, "BadDeviceToken") { $0.path = "/3/device/abcd" },
        CheckCase("a token in capitals", 200, nil) { $0.path = "/3/device/" + PushBench.token.uppercased() },
        CheckCase("a token of another topic", 400, "DeviceTokenNotForTopic") { $0.path = "/3/device/cd" },
        CheckCase("a dead token", 410, "Unregistered") { $0.path = "/3/device/ef" },
    ]

    @Test(arguments: cases)
    func `gives status and reason`(one: CheckCase) async throws {
        try await withPush { bench in
            try await bench.allowToken()
            try await bench.control("POST", "/tokens", ["tokens": ["cd"], "topics": ["pass.com.example.other"]])
            try await bench.control(
                "POST",
                "/tokens",
                ["tokens": ["ef"], "topics": [.string(PushBench.topic)], "unregistered": true]
            )
            let client = try await bench.client()
            let stream = try client.request(one.path, method: one.method, fields: one.fields, body: one.body)
            let answer = await client.answer(stream)
            #expect(answer.status == one.status)
            let body = try? JSONParser.parse(answer.body)
            #expect(body?["reason"]?.text == one.reason)
            #expect(answer.body.isEmpty == (one.reason == nil))
            #expect(body?["timestamp"] == (one.status == "410" ? .number("1767323045000") : nil))
            let id = try #require(answer.fields["apns-id"])
            #expect(UUIDBytes(id) != nil)
            if let sent = one.fields.first(where: { $0.0 == "apns-id" })?.1, one.status == "200" { #expect(id == sent) }
            let entry = try #require(try await bench.log().last)
            #expect(entry["reason"]?.text == one.reason)
            #expect(entry["certificate"] == [.string(PushBench.topic)])
            #expect(entry["stream"] == 1)
        }
    }

    @Test(arguments: [(PushBench.rogue, "BadCertificate"), (PushBench.withoutTopic, "BadCertificate")])
    func `refuses a certificate that it does not believe, or that names no topic`(
        identity: TLSIdentity,
        reason: String
    ) async throws {
        try await withPush { bench in
            try await bench.allowToken()
            let client = try await bench.client(identity)
            let answer = await client.answer(try client.request("/3/device/" + PushBench.token))
            #expect(answer.status == "403")
            #expect(answer.text == #"{"reason":"\#(reason)"}"#)
        }
    }

    @Test func `takes a provider token in place of a certificate, and then more than one stream`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            let client = try await bench.client(nil)
            #expect(client.settings == [1])
            let path = "/3/device/" + PushBench.token
            let missing = await client.answer(try client.request(path, fields: [("apns-topic", PushBench.topic)]))
            #expect(missing.text == #"{"reason":"MissingProviderToken"}"#)
            let good = [("authorization", "bearer " + SignedTokens.first)]
            let withoutTopic = await client.answer(try client.request(path, fields: good))
            #expect(withoutTopic.text == #"{"reason":"MissingTopic"}"#)
            let sent = await client.answer(try client.request(path, fields: good + [("apns-topic", PushBench.topic)]))
            #expect(sent.status == "200")
            #expect(client.settings == [1, 1_000])
            let entry = try #require(try await bench.log().last)
            #expect(!entry.description.contains(SignedTokens.first))
        }
    }

    @Test(
        arguments: [
            (SignedTokens.ofOldAge, "ExpiredProviderToken"), (SignedTokens.ofFuture, "InvalidProviderToken"),
            (SignedTokens.ofOtherTeam, "InvalidProviderToken"), (SignedTokens.ofOtherKey, "InvalidProviderToken"),
            (SignedTokens.ofOtherMethod, "InvalidProviderToken"), (SignedTokens.tampered, "InvalidProviderToken"),
            ("a.b.c", "InvalidProviderToken"), ("x", "InvalidProviderToken"),
        ]
    )
    func `refuses a provider token`(token: String, reason: String) async throws {
        try await withPush { bench in
            let client = try await bench.client(nil)
            let fields = [("authorization", "bearer " + token), ("apns-topic", PushBench.topic)]
            let answer = await client.answer(try client.request("/3/device/" + PushBench.token, fields: fields))
            #expect(answer.status == "403")
            #expect(answer.text == #"{"reason":"\#(reason)"}"#)
        }
    }

    @Test func `takes a new provider token every twenty minutes, and an old one meanwhile`() async throws {
        let clock = ManualClock()
        try await withPush(clock: clock) { bench in
            try await bench.allowToken()
            let client = try await bench.client(nil)
            func status(_ token: String) async throws -> String {
                let fields = [("authorization", "bearer " + token), ("apns-topic", PushBench.topic)]
                let answer = await client.answer(try client.request("/3/device/" + PushBench.token, fields: fields))
                return answer.status + " " + answer.text
            }
            #expect(try await status(SignedTokens.first) == "200 ")
            clock.advance(by: .seconds(600), waking: bench.reactor.executor)
            #expect(
                try await status(SignedTokens.afterTenMinutes) == #"429 {"reason":"TooManyProviderTokenUpdates"}"#
            )
            #expect(try await status(SignedTokens.first) == "200 ")
            clock.advance(by: .seconds(600), waking: bench.reactor.executor)
            #expect(try await status(SignedTokens.afterTwentyMinutes) == "200 ")
            #expect(try await status(SignedTokens.first) == "200 ")
            clock.advance(by: .seconds(2_400), waking: bench.reactor.executor)
            #expect(try await status(SignedTokens.first) == #"403 {"reason":"ExpiredProviderToken"}"#)
        }
    }

    @Test func `writes down what is against the rules without being refused`() async throws {
        try await withPush { bench in
            try await bench.allowToken()
            let client = try await bench.client(alpn: [])
            try client.send([HTTP2Frame(.priority, stream: 1, [0, 0, 0, 0, 16])])
            let stream = try client.request(
                "/3/device/" + PushBench.token,
                fields: [("authorization", "bearer x")],
                body: Array(#"{"aps":{}}"#.utf8)
            )
            #expect(await client.answer(stream).status == "200")
            let report = try await bench.control("GET", "/connections")
            #expect(
                report["violations"] == [
                    "a PRIORITY frame", "a body other than {}", "no ALPN",
                    "an authorization field next to a certificate",
                ]
            )
        }
    }

    @Test func `a client that offers another protocol alone is refused in the handshake`() async throws {
        try await withPush { bench in
            await #expect(throws: TLSError.self) { _ = try await bench.client(alpn: ["http/1.1"]) }
        }
    }
}
