import Primitives
import SessionBroker
import TestKit
import Testing

@Suite("Values of the broker")
struct ValueTests {
    @Test(arguments: [(7_200, 60), (1_800, 60), (240, 60), (239, 59), (60, 15), (1, 1)])
    func `an idle deadline is written by the minute, or by the quarter of a short one`(idle: Int, touch: Int) {
        var times = BrokerPolicy.Times()
        times.idle = .seconds(idle)
        #expect(times.touch == .seconds(touch))
    }

    @Test func `an order number follows from its webview session and is short`() {
        let random = SeededRandom(seed: 3)
        let webviewSessions = (0..<1_000).map { _ in UUIDBytes(version7At: WallTime(seconds: 1), random: random) }
        let numbers = Set(webviewSessions.map { OrderNumber($0).description })
        #expect(numbers.count == 1_000)
        #expect(OrderNumber(webviewSessions[0]) == OrderNumber(webviewSessions[0]))
        for number in numbers {
            let parts = number.split(separator: "-")
            #expect(parts.map(\.count) == [5, 5])
            #expect(number.allSatisfy { "0123456789ABCDEFGHJKMNPQRSTVWXYZ-".contains($0) })
        }
        for number in ["4F7K9-2QX8M", "4f7k92qx8m", "4F7K92QX8M"] {
            #expect(OrderNumber(typed: number)?.description == "4F7K9-2QX8M")
        }
        #expect(OrderNumber(typed: "oil00-ILO01")?.description == "01100-11001")
        for other in ["", "A-1001", "4F7K9-2QX8", "4F7K9-2QX8MM", "4F7K92-QX8M", "UUUUU-UUUUU", "4F7K9 2QX8M"] {
            #expect(OrderNumber(typed: other) == nil, "\(other)")
        }
        #expect(OrderNumber(UUIDBytes(high: 0, low: 0)).description == "00000-00000")
        #expect(OrderNumber(UUIDBytes(high: 0, low: .max)).description == "ZZZZZ-ZZZZZ")
    }

    @Test(
        arguments: [
            (WebviewSessionState.issued, "issued", "closed"), (.opened, "opened", "closed"),
            (.reviewed, "reviewed", "closed"),
            (.placed, "reviewed", "closed"), (.purchasing, "purchasing", "purchasing"),
            (.authorized, "done", "done"), (.declined, "reviewed", "closed"), (.canceled, "closed", "closed"),
            (.revoked, "closed", "closed"), (.expired, "closed", "closed"),
        ]
    )
    func `a status tells a state and nothing else`(state: WebviewSessionState, inTime: String, late: String) {
        #expect(WebviewSessionStatus(state, isOver: false).rawValue == inTime)
        #expect(WebviewSessionStatus(state, isOver: true).rawValue == late)
    }

    @Test func `each profile has the rules of its column`() {
        let compat = BrokerPolicy(profile: .compat)
        #expect(compat.openMode == .get && !compat.opensToCleanURL && compat.appProof == .optional)
        #expect(compat.onMismatch == .refuse && compat.cookieNames == .plain && compat.fetchSite == .observe)
        let standard = BrokerPolicy()
        #expect(standard.profile == .standard && standard.openMode == .get && standard.opensToCleanURL)
        #expect(standard.appProof == .required && standard.verifier == .optional && standard.onMismatch == .revoke)
        #expect(standard.cookieNames == .host && !standard.requiresMeeting && standard.onReuse == .revoke)
        let strict = BrokerPolicy(profile: .strict)
        #expect(strict.openMode == .tap && strict.verifier == .required && strict.requiresMeeting)
        #expect(strict.fetchSite == .enforce)
        // launch <= idle <= absolute, and the lease outlives the provider's timeout of 30 seconds.
        let times = standard.times
        #expect(times.launch <= times.idle && times.idle <= times.absolute && times.lease > .seconds(30))
    }

    @Test func `a failure tells a stranger its code only`() {
        let error = StoreError(.fault, "webview session 01a1 holds nonsense")
        #expect("\(error)" == "store.fault")
        #expect(String(reflecting: error) == "store.fault: webview session 01a1 holds nonsense")
    }
}
