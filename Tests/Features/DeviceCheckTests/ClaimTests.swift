import DeviceAttestation
import EventIO
import FeatureTestKit
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import DeviceCheck

@Suite struct `A claim` {
    private let anna = DeviceFixture.account(1)
    private let ben = DeviceFixture.account(2)

    @Test func `marks the device first, then gives, once for an account and once for a device`() async throws {
        try await withDevices { shop in
            try shop.open([anna, ben])
            let first = await shop.claim(anna, device: 0)
            #expect(first.word("decision") == "allow" && first["isGranted"]?.flag == true, "\(first)")
            #expect(shop.apple.state(of: 0) == .trialUsed)
            // The same account on a fresh device, and another one on the used device.
            let again = await shop.claim(anna, device: 1)
            #expect(again.word("reason") == "account-used" && again["isGranted"]?.flag == false)
            #expect(again.word("claimId") == first.word("claimId") && shop.apple.state(of: 1) == .new)
            let other = await shop.claim(ben, device: 0)
            #expect(other.word("decision") == "deny" && other.word("reason") == "state-refused")
            #expect(other.word("state") == "trial-used" && other.word("claimId") == nil)
            let events = "SELECT count(*) FROM event WHERE type = 'device_check.claim.granted'"
            #expect(try shop.value(events) == "1")
            let rows = try shop.value(
                "SELECT string_agg(kind || ' ' || outcome, ', ' ORDER BY history_id) FROM device_history WHERE account_id = '\(anna)'"
            )
            #expect(rows == "call never-set, call ok, claim allow, call never-set, claim deny")
        }
    }

    /// What a claim writes down before the mark is one more.
    @Test func `costs one statement before Apple's answer and one behind it, and one more before a mark`() async throws
    {
        try await withDevices(devices: 8) { shop in
            let people = (1...8).map { DeviceFixture.account($0) }
            try shop.open(people)
            func count() -> Int {
                let lines = shop.part.loop.metrics.prometheusText().split(separator: "\n")
                let own = lines.filter { $0.hasPrefix("sallyport_postgres_statements_total") && !$0.contains("upkeep") }
                return own.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
            }
            // The least, since the program has other things to do as well.
            func least(_ body: (Int) async -> JSONValue) async -> Int? {
                var counts: [Int] = []
                for device in 0..<8 {
                    let before = count()
                    #expect(await body(device).word("decision") != nil)
                    counts.append(count() - before)
                }
                return counts.min()
            }
            #expect(await least { await shop.check(people[$0], shop.apple.token(of: $0)) } == 2)
            #expect(await least { await shop.claim(people[$0], device: $0) } == 3)
            #expect(await least { await shop.claim(people[$0], device: $0) } == 2)
        }
    }

    @Test func `of a double tap is given once, and the other is told to wait without losing its token`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            let answers = AnswerList()
            let (one, two) = (shop.apple.token(of: 0), shop.apple.token(of: 0))
            for token in [one, two] {
                shop.part.loop.reactor.startTask { answers.all.append((token, await shop.claim(anna, token))) }
            }
            _ = await waitUntil(shop.part.loop.reactor) { answers.all.count == 2 }
            #expect(answers.all.filter { $0.1["isGranted"]?.flag == true }.count == 1)
            let waiting = answers.all.first { $0.1.word("code") == "device_check_busy" }
            if let token = waiting?.0 {
                #expect(await shop.claim(anna, token).word("reason") == "account-used")
            }
        }
    }

    /// The window of the service itself: both have read before either has written.
    @Test func `of two accounts on one device is given twice only where both have read before one has written`()
        async throws
    {
        try await withDevices { shop in
            try shop.open([anna, ben])
            let answers = AnswerList()
            shop.apple.stop = .init(call: .query, isBehind: true)
            shop.part.loop.reactor.startTask { answers.all.append(("", await shop.claim(anna, device: 0))) }
            _ = await waitUntil(shop.part.loop.reactor) { shop.apple.isHeld }
            #expect(await shop.claim(ben, device: 0)["isGranted"]?.flag == true)
            shop.apple.release()
            _ = await waitUntil(shop.part.loop.reactor) { answers.all.count == 1 }
            #expect(answers.all[0].1["isGranted"]?.flag == true)
            // Whoever begins behind a write is refused.
            try shop.open([DeviceFixture.account(3)])
            #expect(await shop.claim(DeviceFixture.account(3), device: 0).word("reason") == "state-refused")
        }
    }

    @Test(arguments: [
        (DeviceCheckCall.query, false), (.query, true), (.update, false), (.update, true),
    ])
    func `that dies at any point is finished by its account and by nobody else`(
        call: DeviceCheckCall,
        isBehind: Bool
    ) async throws {
        try await withDevices { shop in
            try shop.open([anna, ben])
            let answers = AnswerList()
            shop.apple.stop = .init(call: call, isBehind: isBehind)
            shop.part.loop.reactor.startTask { answers.all.append(("", await shop.claim(anna, device: 0))) }
            _ = await waitUntil(shop.part.loop.reactor) { shop.apple.isHeld }
            // Nothing is given before the device is marked.
            #expect(try shop.value("SELECT count(*) FROM device_claim WHERE grants > 0") == "0")
            #expect(await shop.claim(anna, device: 0).word("code") == "device_check_busy")
            try shop.expireLeases()
            if call == .update, isBehind {
                let other = await shop.claim(ben, device: 0)
                #expect(other.word("reason") == "state-refused", "\(other)")
            }
            let finished = await shop.claim(anna, device: 0)
            #expect(finished["isGranted"]?.flag == true, "\(finished)")
            #expect(finished.word("reason") == (call == .update && isBehind ? "resumed" : "accepted"))
            #expect(shop.apple.state(of: 0) == .trialUsed)
            // The dead one comes back, and gives nothing a second time.
            shop.apple.release()
            _ = await waitUntil(shop.part.loop.reactor) { answers.all.count == 1 }
            #expect(answers.all[0].1["isGranted"]?.flag != true, "\(answers.all[0].1)")
            #expect(try shop.value("SELECT sum(grants) FROM device_claim") == "1")
        }
    }

    @Test func `whose mark is uncertain is finished by its account within a day, on whichever side the mark is`()
        async throws
    {
        try await withDevices { shop in
            try shop.open([anna, ben])
            shop.apple.faults[.update] = .lost
            #expect(await shop.claim(anna, device: 0).word("code") == "device_check_unavailable")
            #expect(try shop.value("SELECT status FROM device_claim") == "uncertain")
            #expect(await shop.claim(ben, device: 0).word("reason") == "state-refused")
            #expect(await shop.claim(anna, device: 0).word("reason") == "resumed")
            shop.apple.faults[.update] = .answer(.unavailable, attempts: 3)
            #expect(await shop.claim(ben, device: 1).word("code") == "device_check_unavailable")
            #expect(shop.apple.state(of: 1) == .new)
            #expect(await shop.claim(ben, device: 1).word("reason") == "accepted")
        }
    }

    @Test func `whose mark is uncertain is not finished on a device that was changed before, or a day later`()
        async throws
    {
        try await withDevices { shop in
            try shop.open([anna])
            shop.apple.faults[.update] = .lost
            _ = await shop.claim(anna, device: 0)
            let long = DeviceMonth(SystemClock().now() + .seconds(-90 * 86_400))
            shop.apple.set(.trialUsed, on: 1, month: long)
            #expect(await shop.claim(anna, device: 1).word("reason") == "state-refused")
            try shop.admin.run("UPDATE device_claim SET begun_at = begun_at - interval '25 hours'")
            #expect(await shop.claim(anna, device: 0).word("reason") == "state-refused")
        }
    }

    /// Otherwise a token that cannot write would open every used device.
    @Test func `whose mark has certainly failed leaves nothing to finish`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            shop.apple.set(.trialUsed, on: 1)
            for (answer, code) in [
                (DeviceCheckAnswer.badDeviceToken, "device_token_refused"), (.throttled, "device_check_unavailable"),
                (.credentials, "device_check_unavailable"), (.badRequest, "device_check_unavailable"),
            ] {
                shop.apple.faults[.update] = .answer(answer, attempts: 1)
                #expect(await shop.claim(anna, device: 0).word("code") == code)
                #expect(try shop.value("SELECT count(*) FROM device_claim") == "0")
                #expect(await shop.claim(anna, device: 1).word("reason") == "state-refused")
            }
        }
    }

    @Test func `waits where Apple is away and the purpose is worth something, and is given for a look where it is not`()
        async throws
    {
        try await withDevices { shop in
            try shop.open([anna, ben])
            for answer in [DeviceCheckAnswer.unavailable, .unreadable, .throttled, .credentials, .badRequest] {
                shop.apple.faults[.query] = .answer(answer, attempts: 3)
                #expect(await shop.claim(anna, device: 0).word("code") == "device_check_unavailable")
                shop.apple.faults[.query] = .answer(answer, attempts: 3)
                let open = await shop.claim(ben, device: 0, "purchase")
                #expect(open["isGranted"]?.flag == true && open["needsReview"]?.flag == true, "\(open)")
            }
            #expect(shop.apple.state(of: 0) == .new)
            #expect(try shop.value("SELECT queued FROM device_account WHERE account_id = '\(ben)'") == "paid")
            #expect(try shop.value("SELECT grants FROM device_claim") == "5")
        }
    }

    @Test func `without a token does no better than a used device`() async throws {
        try await withDevices { shop in
            try shop.open([anna])
            #expect(await shop.claim(anna, nil).word("reason") == "device-unsupported")
            let open = await shop.claim(anna, nil, "purchase")
            #expect(open.word("decision") == "allow" && open["needsReview"]?.flag == true)
            #expect(try shop.value("SELECT count(*) FROM device_claim WHERE purpose = 'free-trial'") == "0")
        }
    }
}

/// Grows while requests are on their way.
final class AnswerList {
    var all: [(String, JSONValue)] = []
}
