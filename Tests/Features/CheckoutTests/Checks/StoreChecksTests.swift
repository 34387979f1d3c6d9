import MerchantOrders
import Operations
import Primitives
import Testing

@testable import Checkout

@Suite struct `The database of a shop` {
    private static let shop = OrderAccount(merchantID: "A1SHOP", environment: "live")

    @Test func `of the account that the settings name has no finding`() {
        #expect(StoreChecks.account(newest: Self.shop, settings: Self.shop) == [])
        #expect(StoreChecks.account(newest: nil, settings: Self.shop) == [])
        #expect(StoreChecks.account(newest: Self.shop, settings: nil) == [])
    }

    @Test func `of another account or environment is an error that names both`() {
        let other = OrderAccount(merchantID: "A1SHOP", environment: "sandbox")
        let found = StoreChecks.account(newest: other, settings: Self.shop)
        #expect(found.map(\.severity) == [.error])
        #expect(
            found.first?.message
                == "The newest order is of account A1SHOP (sandbox), the settings name A1SHOP (live)."
        )
    }

    @Test func `that refuses to change sessions is a warning that names one`() {
        let sessions = (1...3).map { number in
            SkippedSession(
                work: .sweep,
                webviewSession: UUIDBytes(high: 1, low: UInt64(number)),
                since: WallTime(seconds: 0),
                times: 1,
                sqlState: "22003"
            )
        }
        let found = StoreChecks.skipped(sessions)
        let message = "The database refuses to change 3 sessions, and expiry or a revocation passed over them: "
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.message == message + "\(sessions[0].webviewSession) (22003).")
        #expect(StoreChecks.skipped([]) == [])
    }
}
