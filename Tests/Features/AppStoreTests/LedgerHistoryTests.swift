import AppStoreTransactions
import EventIO
import Foundation
import Primitives
import TestKit
import Testing

@testable import AppStore

/// `SALLYPORT_HISTORIES` says how many random histories are run; ten thousand take minutes.
@Suite struct `Random histories of four accounts` {
    private static let count = Int(ProcessInfo.processInfo.environment["SALLYPORT_HISTORIES"] ?? "") ?? 60

    @Test func `end with the sums of a model of some lines`() async throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        // A database for so many: a test that hangs is to end.
        for first in stride(from: 0, to: Self.count, by: 500) {
            let numbers = first..<min(first + 500, Self.count)
            try await withAppStore(XcodeText.settings) { try await Self.run(numbers, seed, $0) }
        }
    }

    private static func run(_ numbers: Range<Int>, _ seed: UInt64, _ shop: AppStoreFixture) async throws {
        let random = SeededRandom(seed: seed &+ UInt64(numbers.lowerBound))
        for number in numbers {
            let history = LedgerHistory(number, random)
            for account in history.accounts { try await shop.open(account, token: account) }
            for step in history.steps { await history.take(step, shop) }
            for account in history.accounts {
                let sum = try await shop.balance(account, in: .xcode)
                #expect(sum == history.model.sum(of: account), "history \(number) of \(seed): \(history.steps)")
            }
        }
        #expect(try shop.falseSums().isEmpty)
    }
}

/// What purchases and spending leave, in the simplest words: the newest text of each purchase decides, whoever showed it first owns it.
private struct LedgerModel {
    private(set) var newest: [String: XcodeText] = [:]
    private(set) var owner: [String: UUIDBytes] = [:]
    private var granted: Set<String> = []
    private var spent: [UUIDBytes: Int] = [:]

    mutating func learn(_ text: XcodeText, from bearer: UUIDBytes?) {
        let known = newest[text.transaction]
        let current = known.map { $0.signed >= text.signed ? $0 : text } ?? text
        newest[text.transaction] = current
        let candidate = current.token ?? bearer
        if owner[text.transaction] == nil, bearer == nil || candidate == bearer { owner[text.transaction] = candidate }
        let isOwners = owner[text.transaction] != nil && (bearer == nil || bearer == owner[text.transaction])
        if isOwners, current.revoked == nil { granted.insert(text.transaction) }
    }

    mutating func spend(_ units: Int, by account: UUIDBytes) {
        if sum(of: account) >= units { spent[account, default: 0] += units }
    }

    func sum(of account: UUIDBytes) -> Int {
        let left = newest.values.filter { owner[$0.transaction] == account && granted.contains($0.transaction) }.map {
            text in
            let units = text.quantity * 10
            guard text.revoked != nil else { return units }
            return text.revocation == "REFUND_PRORATED" ? units - units * (text.thousandths ?? 100_000) / 100_000 : 0
        }
        return left.reduce(0, +) - (spent[account] ?? 0)
    }
}

/// A history: texts of a few purchases in any order, brought by accounts and by the store, and spending between.
private final class LedgerHistory {
    enum Step {
        case shown(XcodeText, by: UUIDBytes)
        case told(XcodeText)
        case spent(Int, by: UUIDBytes)
    }

    let accounts: [UUIDBytes]
    let steps: [Step]
    var model = LedgerModel()

    init(_ number: Int, _ random: SeededRandom) {
        let people = (0..<4).map { UUIDBytes(high: UInt64(number) << 16 | 0x4000, low: 1 << 63 | UInt64($0)) }
        // Two of three purchases name their account.
        let owners = (0..<3).map { _ in random.below(3) > 0 ? people[random.below(4)] : nil }
        steps = (0..<14).map { _ in
            let purchase = random.below(3)
            var text = XcodeText(transaction: "\(number)-\(purchase)", signed: 1_750_000_000_000 + random.below(8) * 10)
            text.quantity = purchase + 1
            text.token = owners[purchase]
            // One text of a time: what it says follows from when it was signed.
            if (text.signed / 10 + purchase) % 3 == 0 {
                text.revoked = text.signed - 1
                text.revocation = purchase == 2 ? "REFUND_PRORATED" : "REFUND_FULL"
                text.thousandths = purchase == 2 ? 33_333 : 100_000
            }
            let account = people[random.below(4)]
            switch random.below(5) {
            case 0: return .spent(1 + random.below(25), by: account)
            case 1: return .told(text)
            default: return .shown(text, by: random.below(3) > 0 ? text.token ?? account : account)
            }
        }
        accounts = people
    }

    func take(_ step: Step, _ shop: AppStoreFixture) async {
        switch step {
        case .shown(let text, let account):
            _ = await shop.submit(text.text, account)
            model.learn(text, from: account)
        case .told(let text):
            await shop.tell(text)
            model.learn(text, from: nil)
        case .spent(let units, let account):
            _ = await shop.spend(Int64(units), account, in: .xcode)
            model.spend(units, by: account)
        }
    }
}

extension AppStoreFixture {
    /// Has the database learn what a text says as the store itself says it.
    fileprivate func tell(_ text: XcodeText) async {
        do {
            let transaction = try part.process.verifiers.transaction(Array(text.text.utf8), at: SystemClock().now())
            _ = try await part.apply(transaction, shownBy: nil)
        } catch {
            Issue.record("\(error)")
        }
    }
}
