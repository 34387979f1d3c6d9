import DeviceAttestation
import EventIO
import Foundation
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing

@testable import DeviceCheck

@Suite struct `Random histories of accounts and devices` {
    /// As many as are wanted: `SALLYPORT_HISTORIES=10000` takes some minutes.
    private static let count = Int(ProcessInfo.processInfo.environment["SALLYPORT_HISTORIES"] ?? "") ?? 100

    @Test func `give nothing twice to an account or on a device, whatever fails, dies and comes back`() async throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        for first in stride(from: 0, to: Self.count, by: 250) {
            let numbers = first..<min(first + 250, Self.count)
            try await withDevices { shop in
                let random = SeededRandom(seed: seed &+ UInt64(numbers.lowerBound))
                var sum = DeviceHistory.Sum()
                for number in numbers {
                    let history = try DeviceHistory(number, seed, shop, random)
                    try await history.run()
                    sum.add(history.sum)
                }
                let twice = """
                    SELECT count(*) FROM (SELECT FROM event WHERE type = 'device_check.claim.granted'
                        GROUP BY data->>'accountId', data->>'purpose' HAVING count(*) > 1) AS w
                    """
                #expect(try shop.value("SELECT count(*) FROM device_claim WHERE grants > 1") == "0", "\(seed)")
                #expect(try shop.value(twice) == "0", "\(seed)")
                #expect(sum.gifts > numbers.count / 4, "\(seed)")
                if Self.count > 500 { print("histories \(numbers) of \(seed): \(sum)") }
            }
        }
    }
}

/// Gifts of two accounts on two devices, in the simplest words.
private struct GiftModel {
    /// Gifts on each device since its marks were last taken off.
    var gifts = [0, 0]
    /// Whose cut-off claim has marked the device.
    var owed: [Int?] = [nil, nil]
    /// Whether an account had its gift, and whether a claim of it was cut off.
    var taken = [false, false]
    var isOpen = [false, false]

    /// Whether a claim is allowed, and whether it goes on where it was cut off.
    func allows(_ account: Int, _ state: DeviceState, waiting: DeviceState) -> (isAllowed: Bool, isResumed: Bool) {
        guard !taken[account], waiting <= .known || state == .trialUsed && waiting <= .trialUsed else {
            return (false, false)
        }
        let isResumed = state == .trialUsed && isOpen[account]
        return (state <= .known || isResumed, isResumed)
    }

    /// Notes a gift; whether it is the device's first, or one that was cut off: nobody knows on which device that was.
    mutating func give(_ account: Int, _ device: Int, isResumed: Bool) -> Bool {
        let isElsewhere = isResumed && owed[device] != account
        let isGood = !taken[account] && (isElsewhere || gifts[device] == 0)
        (taken[account], isOpen[account]) = (true, false)
        if !isElsewhere { (gifts[device], owed[device]) = (1, nil) }
        return isGood
    }

    mutating func forget(_ account: Int) {
        (taken[account], isOpen[account]) = (false, false)
        for device in owed.indices where owed[device] == account { owed[device] = nil }
    }
}

/// One history: what two accounts do with two devices, with whatever goes wrong at Apple and in our processes.
private final class DeviceHistory {
    /// What has happened in histories.
    struct Sum {
        var gifts = 0, resumed = 0, dead = 0, raced = 0

        mutating func add(_ other: Sum) {
            gifts += other.gifts
            resumed += other.resumed
            dead += other.dead
            raced += other.raced
        }
    }

    private(set) var sum = Sum()
    private let shop: DeviceFixture
    private let random: SeededRandom
    private let title: String
    private var accounts: [UUIDBytes]
    private var model = GiftModel()
    private var steps: [String] = []
    private var nextAccount: Int
    /// The request of a process that hangs.
    private var hanging: Hanging?

    /// A request that is on its way.
    private final class Hanging {
        let number: Int
        let account: UUIDBytes
        let device: Int
        var answer: JSONValue?

        init(_ number: Int, _ account: UUIDBytes, on device: Int) {
            (self.number, self.account, self.device) = (number, account, device)
        }
    }

    init(_ number: Int, _ seed: UInt64, _ shop: DeviceFixture, _ random: SeededRandom) throws {
        (self.shop, self.random, title) = (shop, random, "history \(number) of \(seed)")
        nextAccount = 1_000 + number * 100
        accounts = [DeviceFixture.account(nextAccount), DeviceFixture.account(nextAccount + 1)]
        nextAccount += 2
        try shop.open(accounts)
        for device in 0..<2 { shop.apple.forget(device) }
    }

    func run() async throws {
        for _ in 0..<12 { try await step() }
        await comeBack()
    }

    private var story: Comment { "\(title): \(steps)" }

    private func step() async throws {
        let (account, device, kind) = (random.below(2), random.below(2), random.below(16))
        if (5...7).contains(kind) { await comeBack() }
        let before = state(device)
        switch kind {
        case 0: try await erase(account)
        case 1: await lower(account, device, "reset")
        case 2: await lower(account, device, "release")
        case 3: await mark(account, device)
        case 4: await check(account, device)
        case 5: try await die(account, device)
        case 6: try await race(device)
        default: try await claim(account, device)
        }
        note()
        // A person alone takes marks off, but for one who has read before another wrote.
        #expect((1...2).contains(kind) || state(device) >= before, story)
    }

    /// A device whose marks were taken off may have its next gift.
    private func note() {
        for device in 0..<2 where state(device) <= .known { (model.gifts[device], model.owed[device]) = (0, nil) }
    }

    private func state(_ device: Int) -> DeviceState { shop.apple.state(of: device) }

    private func waiting(_ account: Int) throws -> DeviceState {
        let row = try shop.value("SELECT queued FROM device_account WHERE account_id = '\(accounts[account])'")
        return row.flatMap { DeviceState(rawValue: $0) } ?? .new
    }

    // MARK: Steps

    /// A claim, with something that goes wrong at Apple now and then.
    private func claim(_ account: Int, _ device: Int) async throws {
        let fault = fault()
        steps.append("claim \(account) on \(device), \(fault)")
        let expected = model.allows(account, state(device), waiting: try waiting(account))
        let answer = await shop.claim(accounts[account], device: device)
        shop.apple.faults = [:]
        let isGiven = answer["isGranted"]?.flag == true
        // What goes on writes nothing.
        let isFailed = fault.call == .query || fault.call == .update && !expected.isResumed
        #expect(isGiven == (expected.isAllowed && !isFailed), "\(story): \(answer)")
        if isGiven { return give(account, device, expected.isResumed) }
        guard expected.isAllowed, fault.call == .update else { return }
        model.isOpen[account] = fault.isUncertain
        if fault.isDone { model.owed[device] = account }
    }

    private func give(_ account: Int, _ device: Int, _ isResumed: Bool) {
        sum.gifts += 1
        if isResumed { sum.resumed += 1 }
        let isGood = model.give(account, device, isResumed: isResumed)
        #expect(isGood, story)
    }

    /// A claim whose process dies at some point, or hangs there for longer than others wait.
    private func die(_ account: Int, _ device: Int) async throws {
        let place = ScriptedDevices.Stop(call: random.below(2) == 0 ? .query : .update, isBehind: random.below(2) == 0)
        steps.append("die \(account) on \(device), \(place.call.rawValue) \(place.isBehind)")
        let expected = model.allows(account, state(device), waiting: try waiting(account))
        let hanging = start(account, device, at: place)
        _ = await waitUntil(shop.part.loop.reactor) { self.shop.apple.isHeld || hanging.answer != nil }
        shop.apple.stop = nil
        guard shop.apple.isHeld else {
            // It did not come so far: nothing was to be written.
            if hanging.answer?["isGranted"]?.flag == true { give(account, device, expected.isResumed) }
            return
        }
        sum.dead += 1
        self.hanging = hanging
        #expect(await shop.claim(accounts[account], device: device).word("code") == "device_check_busy", story)
        try shop.admin.run(
            "UPDATE device_account SET busy_until = now() - interval '1 second' WHERE account_id = '\(accounts[account])'"
        )
        guard place.call == .update, expected.isAllowed else { return }
        model.isOpen[account] = true
        if place.isBehind { model.owed[device] = account }
    }

    /// The request that hangs goes on, to whatever has become of its account and its device meanwhile.
    private func comeBack() async {
        guard let hanging else { return }
        let (device, before) = (hanging.device, state(hanging.device))
        steps.append("\(hanging.number) comes back")
        shop.apple.release()
        _ = await waitUntil(shop.part.loop.reactor) { hanging.answer != nil }
        self.hanging = nil
        let isPresent = accounts[hanging.number] == hanging.account
        if hanging.answer?["isGranted"]?.flag == true {
            // Nobody has taken its place.
            #expect(isPresent && !model.taken[hanging.number], story)
            (model.taken[hanging.number], model.isOpen[hanging.number]) = (true, false)
            sum.gifts += 1
            if model.gifts[device] > 0 { sum.raced += 1 }
            (model.gifts[device], model.owed[device]) = (1, nil)
        } else if isPresent, before <= .known, state(device) == .trialUsed {
            model.owed[device] = hanging.number
        }
        note()
    }

    /// Both accounts read before either writes: the window that stays.
    private func race(_ device: Int) async throws {
        steps.append("race on \(device)")
        let before = state(device)
        let expected = try (0..<2).map { model.allows($0, before, waiting: try waiting($0)) }
        guard before <= .known, expected.allSatisfy(\.isAllowed) else { return }
        let first = start(0, device, at: .init(call: .query, isBehind: true))
        _ = await waitUntil(shop.part.loop.reactor) { self.shop.apple.isHeld }
        let second = await shop.claim(accounts[1], device: device)
        shop.apple.release()
        _ = await waitUntil(shop.part.loop.reactor) { first.answer != nil }
        #expect(second["isGranted"]?.flag == true && first.answer?["isGranted"]?.flag == true, story)
        (model.gifts[device], model.owed[device]) = (1, nil)
        (model.taken, model.isOpen) = ([true, true], [false, false])
        sum.gifts += 2
        sum.raced += 1
    }

    private func start(_ account: Int, _ device: Int, at place: ScriptedDevices.Stop) -> Hanging {
        let hanging = Hanging(account, accounts[account], on: device)
        shop.apple.stop = place
        let shop = shop
        shop.part.loop.reactor.startTask { hanging.answer = await shop.claim(hanging.account, device: device) }
        return hanging
    }

    private func check(_ account: Int, _ device: Int) async {
        steps.append("check \(account) on \(device), \(fault())")
        let answer = await shop.check(accounts[account], shop.apple.token(of: device))
        shop.apple.faults = [:]
        #expect(answer["isGranted"] == nil && answer["claimId"] == nil, story)
    }

    private func mark(_ account: Int, _ device: Int) async {
        let event = ["signed-up", "trial-started", "purchased", "fraud"][random.below(4)]
        steps.append("mark \(account) on \(device) as \(event), \(fault())")
        _ = await shop.mark(accounts[account], shop.apple.token(of: device), event)
        shop.apple.faults = [:]
    }

    private func lower(_ account: Int, _ device: Int, _ kind: String) async {
        steps.append("\(kind) of \(account) on \(device), \(fault())")
        let (account, shop) = (accounts[account], shop)
        _ = await shop.answer {
            let question = try shop.question(account, shop.apple.token(of: device))
            guard kind == "reset" else { return try await shop.part.release(question) }
            let code = try await shop.part.resetCode(for: account, by: "hana", reason: "bought used").word("code")
            return try await shop.part.reset(question, code: code ?? "")
        }
        shop.apple.faults = [:]
    }

    /// The person begins anew, with another account.
    private func erase(_ account: Int) async throws {
        steps.append("erase \(account)")
        _ = try await AccountDataProbe.erase(accounts[account], shop.part.loop.database)
        try shop.admin.run(
            "UPDATE account SET erased_at = now(), external_id = NULL WHERE account_id = '\(accounts[account])'"
        )
        accounts[account] = DeviceFixture.account(nextAccount)
        nextAccount += 1
        try shop.open([accounts[account]])
        model.forget(account)
    }

    // MARK: Apple

    /// What goes wrong.
    private struct Trouble {
        var call: DeviceCheckCall?
        /// Whether the update was carried out, and whether nobody knows.
        var isDone = false
        var isUncertain = false
    }

    private func fault() -> Trouble {
        switch random.below(10) {
        case 0:
            shop.apple.faults[.query] = .answer(.unavailable, attempts: 3)
            return Trouble(call: .query)
        case 1:
            shop.apple.faults[.update] = .answer(.unavailable, attempts: 3)
            return Trouble(call: .update, isUncertain: true)
        case 2:
            shop.apple.faults[.update] = .lost
            return Trouble(call: .update, isDone: true, isUncertain: true)
        case 3:
            shop.apple.faults[.update] = .answer(random.below(2) == 0 ? .badDeviceToken : .throttled, attempts: 1)
            return Trouble(call: .update)
        case 4:
            // An earlier try may have been carried out.
            shop.apple.faults[.update] = .answer(.throttled, attempts: 2)
            return Trouble(call: .update, isUncertain: true)
        default: return Trouble()
        }
    }
}
