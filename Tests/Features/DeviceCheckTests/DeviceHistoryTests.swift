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
    private static let count = Int(ProcessInfo.processInfo.environment["SALLYPORT_HISTORIES"] ?? "") ?? 40

    @Test func `give nothing twice to an account or on a device, whatever fails`() async throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        for first in stride(from: 0, to: Self.count, by: 500) {
            let numbers = first..<min(first + 500, Self.count)
            try await withDevices { shop in
                let random = SeededRandom(seed: seed &+ UInt64(numbers.lowerBound))
                for number in numbers { await (try DeviceHistory(number, shop, random)).run(seed) }
                let grants = "SELECT count(*) FROM device_claim WHERE grants > 1"
                #expect(try shop.value(grants) == "0", "\(seed)")
            }
        }
    }
}

/// What devices, accounts and claims come to, in the simplest words.
private struct DeviceModel {
    var device: [DeviceState] = [.new, .new, .new]
    /// Gifts on each device, and for each account.
    var gifts = [0, 0, 0]
    var taken = [false, false, false]
    /// Whether an account's claim was cut off without anybody knowing whether its device is marked.
    var isOpen = [false, false, false]

    /// Whether a claim is allowed; `nil` for one that goes on where it was cut off.
    func allows(_ account: Int, _ place: Int) -> (isAllowed: Bool, isResumed: Bool) {
        if taken[account] { return (false, false) }
        if device[place] <= .known { return (true, false) }
        let isResumed = device[place] == .trialUsed && isOpen[account]
        return (isResumed, isResumed)
    }
}

/// One history: claims, checks and marks of three accounts on three devices, with whatever goes wrong at Apple.
private final class DeviceHistory {
    private let shop: DeviceFixture
    private let random: SeededRandom
    private let accounts: [UUIDBytes]
    private var model = DeviceModel()
    private var steps: [String] = []
    private let number: Int

    init(_ number: Int, _ shop: DeviceFixture, _ random: SeededRandom) throws {
        self.number = number
        self.shop = shop
        self.random = random
        accounts = (0..<3).map { DeviceFixture.account(1_000 + number * 4 + $0) }
        try shop.open(accounts)
        for device in 0..<3 { shop.apple.forget(device) }
    }

    func run(_ seed: UInt64) async {
        for _ in 0..<10 { await step(seed) }
    }

    private func step(_ seed: UInt64) async {
        let (account, device) = (random.below(3), random.below(3))
        let fault = random.below(8)
        steps.append("\(account) on \(device), \(fault)")
        switch fault {
        case 0: shop.apple.faults[.query] = .answer(.unavailable, attempts: 3)
        case 1: shop.apple.faults[.update] = .answer(.unavailable, attempts: 3)
        case 2: shop.apple.faults[.update] = .lost
        case 3: shop.apple.faults[.update] = .answer(.badDeviceToken, attempts: 1)
        default: break
        }
        let token = shop.apple.token(of: device)
        let (isAllowed, isResumed) = model.allows(account, device)
        let answer = await shop.claim(accounts[account], token)
        let isGiven = answer["isGranted"]?.flag == true
        // What is resumed writes nothing.
        let isFailed = fault == 0 || !isResumed && (1...3).contains(fault)
        #expect(isGiven == (isAllowed && !isFailed), "history \(number) of \(seed): \(steps): \(answer)")
        if isAllowed, fault != 0, !isResumed {
            if fault != 1, fault != 3 { model.device[device] = .trialUsed }
            model.isOpen[account] = fault == 1 || fault == 2
        }
        if isGiven {
            #expect(!model.taken[account], "history \(number) of \(seed): \(steps)")
            // Resumed: the mark is that of the cut-off claim, on whichever device it may be.
            if !isResumed { model.gifts[device] += 1 }
            model.taken[account] = true
            model.isOpen[account] = false
        }
        shop.apple.faults = [:]
        #expect(shop.apple.state(of: device) == model.device[device], "history \(number) of \(seed): \(steps)")
        #expect(model.gifts[device] <= 1, "history \(number) of \(seed): \(steps)")
        guard random.below(4) == 0 else { return }
        let again = await shop.claim(accounts[account], token)
        #expect(again.word("code") == "device_token_used", "history \(number) of \(seed): \(steps)")
    }
}
