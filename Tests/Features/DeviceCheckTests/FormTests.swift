import Cryptography
import DeviceAttestation
import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import StrictJSON
import Testing

@testable import DeviceCheck

@Suite struct `A device token that is posted as a form` {
    private static let on = ["device_check.form_path": "/v1/request_token"]

    /// What an app posts that escapes its token, as forms want it.
    private func form(_ token: String) -> String {
        "deviceToken=" + token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }

    private func post(_ shop: DeviceFixture, _ content: String) async throws -> (status: Int, json: JSONValue) {
        let answer = try await shop.program.ask(.post, "/v1/request_token", json: content)
        return (answer.status, try JSONParser.parse(Array(answer.body.utf8)))
    }

    @Test func `says what the device was, and marks it as a used trial at most`() async throws {
        try await withDevices(Self.on) { shop in
            for (before, after) in [(DeviceState.new, DeviceState.trialUsed), (.known, .trialUsed), (.paid, .paid)] {
                if before > .new { shop.apple.set(before, on: 0) }
                let (status, said) = try await post(shop, form(shop.apple.token(of: 0)))
                #expect(status == 200 && said.word("before") == before.rawValue)
                #expect(said.word("state") == after.rawValue && shop.apple.state(of: 0) == after)
            }
            // A device that has the mark is read alone.
            let calls = shop.apple.calls.count
            _ = try await post(shop, form(shop.apple.token(of: 0)))
            #expect(shop.apple.calls.count == calls + 1)
            let rows = try shop.admin.rows("SELECT kind, outcome FROM device_history ORDER BY history_id LIMIT 3")
            #expect(rows == [["call", "never-set"], ["call", "ok"], ["mark", "trial-used"]])
            let accounts = "SELECT DISTINCT account_id::text FROM device_history"
            #expect(try shop.admin.rows(accounts) == [["00000000-0000-0000-0000-000000000000"]])
        }
    }

    @Test func `is taken unescaped, and as JSON, whatever its type says`() async throws {
        try await withDevices(Self.on) { shop in
            let (token, other, third) = (shop.apple.token(of: 0), shop.apple.token(of: 1), shop.apple.token(of: 2))
            let sent = #""transaction_id":"5a1a7e9d0f3b2","timestamp":1511878287123}"#
            let contents = [
                "deviceToken=" + token, #"{"deviceToken":"\#(other)"}"#, #"{"device_token":"\#(third)","# + sent,
            ]
            for content in contents {
                let (status, _) = try await post(shop, content)
                #expect(status == 200, "\(content.prefix(20))")
            }
        }
        let octets = [UInt8](repeating: 0xFB, count: 120)
        let text = Base64.encode(octets)
        #expect(text.contains("+"))
        #expect(try DeviceCheckPart.posted(Array("a=1&deviceToken=\(text)".utf8)).reveal() == text)
    }

    @Test func `serves once, and is refused with what the app has to do`() async throws {
        try await withDevices(Self.on) { shop in
            let token = shop.apple.token(of: 0)
            #expect(try await post(shop, form(token)).status == 200)
            let again = try await post(shop, form(token))
            #expect(again.status == 409 && again.json.word("error") == "device_token_used")
            let empty = [
                "", "deviceToken=", "token=x", "{", "{}", #"{"deviceToken":7}"#, "deviceToken=a&deviceToken=b",
            ]
            for content in empty {
                let refused = try await post(shop, content)
                #expect(refused.status == 400 && refused.json.word("error") == "invalid_request", "\(content)")
            }
            let malformed = try await post(shop, "deviceToken=x")
            #expect(malformed.status == 400 && malformed.json.word("error") == "device_token_malformed")
            let foreign = ScriptedDevices(9, on: shop.part.loop.reactor).token(of: 8)
            #expect(try await post(shop, form(foreign)).status == 422)
            for call in [DeviceCheckCall.query, .update] {
                shop.apple.forget(0)
                shop.apple.faults[call] = .answer(.unavailable, attempts: 3)
                #expect(try await post(shop, form(shop.apple.token(of: 0))).status == 503)
            }
        }
    }

    @Test func `is asked about so often for an address, and for all together`() async throws {
        for setting in ["device_check.address_rate", "device_check.form_rate"] {
            try await withDevices(Self.on.merging([setting: "3"]) { $1 }) { shop in
                var last = 200
                for _ in 0..<8 where last == 200 { last = try await post(shop, form(shop.apple.token(of: 0))).status }
                #expect(last == 429)
                #expect(shop.apple.calls.count < 16)
            }
        }
    }

    @Test func `goes nowhere where no path is set`() async throws {
        try await withDevices { shop in
            let answer = try await shop.program.ask(.post, "/v1/request_token", json: form(shop.apple.token(of: 0)))
            #expect(answer.status == 404 && shop.apple.calls.isEmpty)
        }
    }

    @Test func `only reads the device where it stands for no event`() async throws {
        try await withDevices(Self.on.merging(["device_check.form_event": ""]) { $1 }) { shop in
            let (status, said) = try await post(shop, form(shop.apple.token(of: 0)))
            #expect(status == 200 && said.word("state") == "new" && shop.apple.state(of: 0) == .new)
        }
    }

    @Test func `has a path of its own, and an event that nobody has to be told of`() async throws {
        func problems(_ path: String) -> [String] {
            let environment = [
                "SALLYPORT_DEVICE_CHECK_TEAM_ID": "A1B2C3D4E5", "SALLYPORT_DEVICE_CHECK_FORM_PATH": path,
                "SALLYPORT_DEVICE_CHECK_PRIVATE_KEY": "/nowhere/AuthKey_SP2X9R4HXF.p8",
            ]
            var reader = SettingReader(SettingSource(file: nil, environment: environment))
            _ = DeviceCheckSettings(&reader)
            return reader.problems(of: .everything)
        }
        for path in ["", "/token.php", "/v1/request_token", "/v1x", "/a/b-c/d_e"] { #expect(problems(path) == []) }
        for path in ["/v1", "/v1/accounts", "/app", "/app/v1/devices/check", "/v1/request_token/x"] {
            #expect(problems(path).count == 1 && problems(path).allSatisfy { $0.contains(": below /") }, "\(path)")
        }
        for path in ["/", "token", "/a//b", "/a/", "/.well-known/x", "/a b", "/{a}", "/a?b", "//v1/x"] {
            #expect(problems(path).count == 1 && problems(path).allSatisfy { $0.contains("not a path") }, "\(path)")
        }
        for (event, word) in [("purchased", "paid"), ("fraud", "blocked"), ("other", "no such event")] {
            let error = await #expect(throws: ConfigurationError.self) {
                try await withDevices(Self.on.merging(["device_check.form_event": event]) { $1 }) { _ in }
            }
            #expect(error?.problems.contains { $0.contains("device_check.form_event") && $0.contains(word) } == true)
        }
    }
}
