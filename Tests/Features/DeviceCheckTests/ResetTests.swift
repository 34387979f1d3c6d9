import DeviceAttestation
import FeatureTestKit
import Postgres
import Primitives
import StrictJSON
import Testing

@testable import DeviceCheck

@Suite struct `A mark is taken off` {
    private let anna = DeviceFixture.account(1)
    private let ben = DeviceFixture.account(2)

    @Test func `by a code of support, once, for the account that it was made for`() async throws {
        try await withDevices { shop in
            try shop.open([anna, ben])
            shop.apple.set(.trialUsed, on: 0)
            let made = try await shop.part.resetCode(for: anna, by: "hana", reason: "bought used")
            let code = try #require(made.word("code"))
            for (account, text) in [(ben, code), (anna, "AAAAAAAAAA")] {
                #expect(await reset(account, text, shop).word("code") == "device_reset_code_wrong")
            }
            _ = try await shop.part.queue("purchased", of: anna, from: "test")
            #expect(await reset(anna, code, shop).word("state") == "known")
            #expect(shop.apple.state(of: 0) == .known)
            #expect(try shop.value("SELECT queued FROM device_account WHERE account_id = '\(anna)'") == nil)
            #expect(await reset(anna, code, shop).word("code") == "device_reset_code_wrong")
            let detail = "SELECT detail->>'operator' FROM device_history WHERE kind = 'reset'"
            #expect(try shop.value(detail) == "hana")
            #expect(try shop.value("SELECT count(*) FROM event WHERE type = 'device_check.device.reset'") == "1")
            #expect(await shop.claim(anna, device: 0)["isGranted"]?.flag == true)
        }
    }

    @Test func `only where there was no fraud, unless the shop says otherwise`() async throws {
        for isAllowed in [false, true] {
            try await withDevices(["device_check.reset_blocked": "\(isAllowed)"]) { shop in
                try shop.open([anna])
                shop.apple.set(.blocked, on: 0)
                let code = try #require(
                    try await shop.part.resetCode(for: anna, by: "hana", reason: "mistake").word("code")
                )
                let answer = await reset(anna, code, shop)
                #expect(answer.word(isAllowed ? "state" : "code") == (isAllowed ? "known" : "device_blocked"))
                #expect(shop.apple.state(of: 0) == (isAllowed ? .known : .blocked))
                shop.apple.set(.blocked, on: 0)
                #expect(await release(anna, 0, shop).word("code") == "device_blocked")
            }
        }
    }

    @Test func `by an owner who gives the device away, once a year, who gets nothing again`() async throws {
        try await withDevices { shop in
            try shop.open([anna, ben])
            #expect(await shop.claim(anna, device: 0)["isGranted"]?.flag == true)
            #expect(await release(anna, 0, shop).word("state") == "known")
            #expect(await shop.claim(anna, device: 0).word("reason") == "account-used")
            #expect(await shop.claim(ben, device: 0)["isGranted"]?.flag == true)
            #expect(await release(anna, 0, shop).word("code") == "device_released_lately")
            try shop.admin.run("UPDATE device_account SET released_at = released_at - interval '366 days'")
            #expect(await release(anna, 0, shop).word("state") == "known")
        }
    }

    @Test func `never while Apple is away`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            for call in [DeviceCheckCall.query, .update] {
                shop.apple.set(.trialUsed, on: 0)
                shop.apple.faults[call] = .answer(.unavailable, attempts: 3)
                #expect(await release(anna, 0, shop).word("code") == "device_check_unavailable")
            }
            #expect(await release(anna, 0, shop).word("state") == "known")
        }
    }

    /// The code is looked at in the request's turn, so that one which is being used up is good for no second device.
    @Test func `cost a device token for each guess at a code`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            let token = shop.apple.token(of: 0)
            for word in ["device_reset_code_wrong", "device_token_used"] {
                let question = try shop.question(anna, token)
                let answer = await shop.answer { try await shop.part.reset(question, code: "AAAAAAAAAA") }
                #expect(answer.word("code") == word)
            }
        }
    }

    private func reset(_ account: UUIDBytes, _ code: String, _ shop: DeviceFixture) async -> JSONValue {
        await shop.answer {
            try await shop.part.reset(try shop.question(account, shop.apple.token(of: 0)), code: code)
        }
    }

    private func release(_ account: UUIDBytes, _ device: Int, _ shop: DeviceFixture) async -> JSONValue {
        await shop.answer { try await shop.part.release(try shop.question(account, shop.apple.token(of: device))) }
    }
}
