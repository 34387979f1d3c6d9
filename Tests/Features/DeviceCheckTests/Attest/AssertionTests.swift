import AppleSimulator
import Cryptography
import DeviceAttestation
import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import TestKit
import Testing
import Web

@testable import DeviceCheck

@Suite struct `Requests that need an assertion` {
    private static func body(_ phone: AttestPhone) -> String { #"{"deviceToken":"\#(phone.client.token)"}"# }

    @Test func `are let in with one each, and those of other routes and of programs without`() async throws {
        try await withAttest { shop in
            var phone = try await shop.phone()
            try await phone.attest()
            for count in 1...3 {
                let answer = try await phone.send("/validate", Self.body(phone))
                #expect(answer.status == 200, "\(answer)")
                #expect(try shop.devices.value("SELECT counter FROM app_attest_key") == "\(count)")
            }
            #expect(try shop.devices.value("SELECT count(*) FROM app_attest_challenge") == "0")
            let free = try await phone.client.app("/check", #"{"purpose":"purchase","unsupported":"mac"}"#)
            #expect(free.status == 200, "\(free)")
            #expect(try await phone.client.shop("/validate", Self.body(phone)).status == 200)
        }
    }

    @Test func `are refused without one, and with two`() async throws {
        try await withAttest { shop in
            var phone = try await shop.phone()
            try await phone.attest()
            let body = Self.body(phone)
            let shown = try phone.assertion(try await phone.challenge(), "/validate", body)
            for assertions in [[], [shown, shown]] {
                let refused = try await phone.client.app("/validate", body, assertions: assertions)
                #expect(refused.status == 403 && refused["code"]?.text == "assertion_required", "\(refused)")
            }
            for text in ["", "a", "a b c", shown + " x", "  ", shown.replacing(" ", with: "  ")] {
                let refused = try await phone.client.app("/validate", body, assertions: [text])
                #expect(refused.status == 403 && refused["step"]?.text == "form", "\(text): \(refused)")
            }
            // Apple was not asked, and nothing is used up.
            #expect(shop.devices.apple.calls.isEmpty)
            #expect(try await phone.client.app("/validate", body, assertions: [shown]).status == 200)
        }
    }

    private static let reasons: [(AssertionFlaw, AttestRefusal)] = [
        (.trailingByte, .form), (.noSignature, .members), (.cutData, .authenticatorData), (.otherKey, .signature),
        (.signedDigest, .signature), (.otherRequest, .signature), (.otherApp, .app),
    ]

    @Test func `are refused at the step that is wrong, which the answer names`() async throws {
        #expect(Set(Self.reasons.map(\.0) + [.sameCounter]) == Set(AssertionFlaw.allCases))
        try await withAttest { shop in
            var phone = try await shop.phone()
            try await phone.attest()
            #expect(try await phone.send("/validate", Self.body(phone)).status == 200)
            for (flaw, step) in Self.reasons {
                let refused = try await phone.send("/validate", Self.body(phone), flaw: flaw)
                #expect(refused.status == 403 && refused["code"]?.text == "assertion_refused", "\(flaw): \(refused)")
                #expect(refused["step"]?.text == step.rawValue, "\(flaw): \(refused)")
            }
            #expect(try shop.devices.value("SELECT counter FROM app_attest_key") == "1")
            phone.key = try SimulatedAttestKey(pem: phone.key.pem, counter: 1)
            let late = try await phone.send("/validate", Self.body(phone), flaw: .sameCounter)
            #expect(late.status == 409 && late["code"]?.text == "assertion_overtaken", "\(late)")
        }
    }

    @Test func `are worth nothing for another body, path, method, challenge or account`() async throws {
        try await withAttest(["app_attest.required": "validateDevice,checkDevice"]) { shop in
            var phone = try await shop.phone()
            let other = try await shop.phone()
            try await phone.attest()
            let body = Self.body(phone)
            let shown = try phone.assertion(try await phone.challenge(), "/validate", body)
            let changed = try await phone.client.app("/validate", Self.body(phone), assertions: [shown])
            #expect(changed["step"]?.text == "signature", "\(changed)")
            let path = try await phone.client.app("/check", body, assertions: [shown])
            #expect(path["step"]?.text == "signature", "\(path)")
            let query = try await phone.client.app("/validate?a=b", body, assertions: [shown])
            #expect(query["step"]?.text == "signature", "\(query)")
            let method = try phone.assertion(try await phone.challenge(), "/validate", body, method: "GET")
            #expect(try await phone.client.app("/validate", body, assertions: [method])["step"]?.text == "signature")
            let parts = shown.split(separator: " ")
            let fresh = "\(parts[0]) \(try await phone.challenge()) \(parts[2])"
            #expect(try await phone.client.app("/validate", body, assertions: [fresh])["step"]?.text == "signature")
            let foreign = try await other.client.app("/validate", body, assertions: [shown])
            #expect(foreign.status == 403 && foreign["code"]?.text == "attest_key_unknown", "\(foreign)")
            // It was good all the time, once.
            #expect(try await phone.client.app("/validate", body, assertions: [shown]).status == 200)
            let again = try await phone.client.app("/validate", body, assertions: [shown])
            #expect(again.status == 409 && again["code"]?.text == "attest_challenge_gone", "\(again)")
        }
    }

    @Test func `need a challenge of the account that is neither over nor made up`() async throws {
        try await withAttest { shop in
            var phone = try await shop.phone()
            let other = try await shop.phone()
            try await phone.attest()
            let body = Self.body(phone)
            for challenge in ["made-up", try await other.challenge()] {
                let shown = try phone.assertion(challenge, "/validate", body)
                let refused = try await phone.client.app("/validate", body, assertions: [shown])
                #expect(refused["code"]?.text == "attest_challenge_gone", "\(refused)")
            }
            let shown = try phone.assertion(try await phone.challenge(), "/validate", body)
            try shop.devices.admin.run("UPDATE app_attest_challenge SET expires_at = now() - interval '1 second'")
            let over = try await phone.client.app("/validate", body, assertions: [shown])
            #expect(over["code"]?.text == "attest_challenge_gone", "\(over)")
            #expect(try shop.devices.value("SELECT counter FROM app_attest_key") == "0")
        }
    }

    @Test func `with one counter are let in once of 32 at a time, and the others may sign again`() async throws {
        try await withAttest(["service.app_requests_per_minute": "600", "device_check.account_rate": "600"]) { shop in
            var phone = try await shop.phone()
            try await phone.attest()
            var requests: [(body: String, shown: String)] = []
            for _ in 0..<32 {
                var copy = phone
                let body = Self.body(phone)
                requests.append((body, try copy.assertion(try await phone.challenge(), "/validate", body)))
            }
            let (reactor, client, answers) = (shop.devices.part.loop.reactor, phone.client, ReplyList())
            for request in requests {
                reactor.startTask {
                    let answer = try? await client.app("/validate", request.body, assertions: [request.shown])
                    answers.all.append("\(answer?.status ?? 0) \(answer?["code"]?.text ?? "")")
                }
            }
            _ = await waitUntil(reactor) { answers.all.count == 32 }
            #expect(answers.all.filter { $0 == "200 " }.count == 1, "\(answers.all)")
            #expect(answers.all.filter { $0 == "409 assertion_overtaken" }.count == 31, "\(answers.all)")
            phone.key = try SimulatedAttestKey(pem: phone.key.pem, counter: 1)
            #expect(try await phone.send("/validate", Self.body(phone)).status == 200)
        }
    }

    @Test func `are refused once their key is erased, and one of another environment or app is none`() async throws {
        try await withAttest { shop in
            var phone = try await shop.phone()
            try await phone.attest()
            for change in ["environment = 'development'", "app = 'A1B2C3D4E5.com.example.gone'"] {
                try shop.devices.admin.run("UPDATE app_attest_key SET \(change)")
                let refused = try await phone.send("/validate", Self.body(phone))
                #expect(refused["code"]?.text == "attest_key_unknown", "\(change): \(refused)")
                try shop.devices.admin.run(
                    "UPDATE app_attest_key SET environment = 'production', app = '\(AttestPhone.app)'"
                )
            }
            #expect(try await phone.send("/validate", Self.body(phone)).status == 200)
            _ = try await shop.devices.part.loop.database.work(AttestStatement.erase(phone.client.account)).first()
            let gone = try await phone.send("/validate", Self.body(phone))
            #expect(gone.status == 403 && gone["code"]?.text == "attest_key_unknown", "\(gone)")
        }
    }

    @Test func `count against the account's limit when they are refused, behind token, scope and form`() async throws {
        try await withAttest(["service.app_requests_per_minute": "4"]) { shop in
            let phone = try await shop.phone()
            let stranger = try await shop.phone(scopes: #"{"scopes":[]}"#)
            #expect(try await stranger.client.app("/validate", "{}")["code"]?.text != "assertion_required")
            #expect(try await phone.client.app("/validate", nil).status == 415)
            var last = 403
            for _ in 0..<60 where last == 403 { last = try await phone.client.app("/validate", "{}").status }
            #expect(last == 429)
        }
    }

    @Test func `may be of no account, where a route knows none, and are then counted by address`() async throws {
        try await withAttest(["limits.unknown_per_minute": "3"]) { shop in
            var phone = try await shop.phone()
            try await phone.attest()
            let (part, body) = (shop.devices.part, "client=iosApp")
            func ask(_ shown: String?) async throws -> String {
                var fields: [(name: HTTPFieldName, value: String)] = []
                if let shown { fields.append((try #require(HTTPFieldName(AppRequest.fieldName)), shown)) }
                let made = HTTPRequest(.post, "/app/v1/devices/validate", fields: fields, body: Array(body.utf8))
                do {
                    try await part.admit(AppRequest(try #require(made), .post), of: nil)
                    return "passed"
                } catch {
                    return Failure(error).code.name
                }
            }
            let shown = try phone.assertion(try await phone.challenge(), "/validate", body)
            #expect(try await ask(shown) == "passed")
            #expect(try await ask(shown) == "attest_challenge_gone")
            var last = "assertion_required"
            for _ in 0..<60 where last == "assertion_required" { last = try await ask(nil) }
            #expect(last == "rate_limited")
            let next = try phone.assertion(try await phone.challenge(), "/validate", body)
            #expect(try await ask(next) == "rate_limited")
        }
    }

    @Test func `say so in the description of the interface`() async throws {
        try await withAttest { shop in
            let answer = try await shop.devices.program.ask(.get, "/v1/openapi.json")
            let paths = try JSONParser.parse(Array(answer.body.utf8))["paths"]
            func operation(_ name: String) -> String {
                paths?["/app/v1/devices/" + name]?["post"]?.description ?? ""
            }
            #expect(operation("validate").contains(AppRequest.fieldName))
            #expect(operation("validate").contains("assertion_overtaken"))
            #expect(!operation("claim").contains(AppRequest.fieldName) && operation("claim").contains("device"))
            #expect(paths?["/v1/devices/accounts/{id}/validate"]?.description.contains(AppRequest.fieldName) == false)
        }
    }
}

/// Answers in the order in which they came; on one loop.
private final class ReplyList {
    var all: [String] = []
}
