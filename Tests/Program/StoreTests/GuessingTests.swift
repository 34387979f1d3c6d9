import Checkout
import EventIO
import Postgres
import Primitives
import SessionBroker
import TestKit
import Testing

/// What a limit does to those who guess, and to those beside them whose tokens are valid.
@Suite("Limits of guessing")
struct GuessingTests {
    private static func policy(_ change: (inout BrokerPolicy.Limits) -> Void = { _ in }) -> BrokerPolicy {
        var policy = BrokerPolicy.unlimited()
        policy.limits.unknownPerMinute = 20
        change(&policy.limits)
        return policy
    }

    /// A clock that stands still, at a time for which there are partitions.
    private static func stopped() -> ManualClock { ManualClock(at: SystemClock().now()) }

    private static func isLimited(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return false
        } catch let error as StoreError {
            guard case .limited = error.code else { throw error }
            return true
        }
    }

    /// Shows tickets that nobody has, of no session or of one; how many were answered 429.
    private static func guess(
        _ rig: Rig,
        _ count: Int,
        from key: UInt64 = 1,
        of webviewSession: WebviewSessionID? = nil
    ) async throws -> Int {
        var limited = 0
        for _ in 0..<count {
            let webviewSession = webviewSession ?? WebviewSessionID(version7At: rig.clock.now(), random: rig.random)
            let ticket = LaunchTicket.mint(for: webviewSession, random: rig.random)
            let isLimited = try await isLimited {
                let outcome = try await rig.broker.open(ticket, tab: nil, proof: nil, by: rig.caller(key))
                #expect(word(outcome) == "unknown")
            }
            limited += isLimited ? 1 : 0
        }
        return limited
    }

    @Test func `hold while the calendar clock is set`() async throws {
        let clock = Self.stopped()
        try await withRig(Self.policy(), clock: clock) { rig in
            let today = clock.now()
            let webviewSession = WebviewSessionID(version7At: today, random: rig.random)
            _ = try await Self.guess(rig, 60, of: webviewSession)
            for hours: Int64 in [0, 24, -24] {
                clock.set(today + .seconds(hours * 3_600))
                #expect(try await Self.guess(rig, 10, of: webviewSession) == 10, "\(hours) hours")
            }
            clock.set(today)
            clock.advance(by: .seconds(60))
            #expect(try await Self.guess(rig, 10, of: webviewSession) == 0, "a minute is a minute")
        }
    }

    @Test func `let an address that guesses ask the store a few times a second`() async throws {
        let clock = Self.stopped()
        try await withRig(Self.policy(), clock: clock) { rig in
            let crossing = try await rig.placed()
            for round in 0..<20 {
                switch round % 4 {
                case 0: _ = try await rig.open(LaunchTicket.mint(for: crossing.webviewSession, random: rig.random))
                case 1:
                    let forged = TabToken.mint(for: crossing.webviewSession, random: rig.random)
                    #expect(try await word(rig.broker.view(forged, by: rig.caller())) == "refused unknown")
                case 2: try rig.broker.noteMalformedToken(by: rig.caller())
                default:
                    let bare = PurchaseRequest(
                        ticket: rig.broker.returnTicket(
                            of: TabToken.mint(for: crossing.webviewSession, random: rig.random)
                        ),
                        orderReference: Rig.orderReference
                    )
                    #expect(try await word(rig.broker.purchase(bare, by: rig.caller())) == "refused unknown")
                }
            }
            #expect(rig.missedLookUps == 15)
            #expect(try await Self.guess(rig, 200) == 200)
            #expect(rig.missedLookUps == 20)
            clock.advance(by: .seconds(1))
            #expect(try await Self.guess(rig, 200, of: crossing.webviewSession) == 200)
            #expect(rig.missedLookUps == 25)
            #expect(throws: StoreError.self) { try rig.broker.noteMalformedToken(by: rig.caller()) }
            #expect(try await Self.guess(rig, 1, from: 2) == 0)
            #expect(
                try await rig.store.audit(crossing.webviewSession).map(\.operation) == [
                    "issue", "open", "review", "place",
                ]
            )
        }
    }

    @Test func `stop nobody beside a guesser who shows what is valid`() async throws {
        try await withRig(Self.policy(), clock: Self.stopped()) { rig in
            let fresh = try await rig.issued()
            let opened = try await rig.opened()
            let placed = try await rig.placed()
            #expect(try await Self.guess(rig, 300) == 280)
            #expect(try await rig.broker.status(fresh.ticket, proof: fresh.proof, by: rig.caller()) == .issued)
            #expect(try await rig.open(fresh.ticket) == "opened")
            let tab = try #require(opened.tab)
            #expect(try await word(rig.broker.view(tab, by: rig.caller())) == "live")
            #expect(try await word(rig.broker.check(placed.purchase(rig), by: rig.caller())) == "proven")
            #expect(try await rig.buy(placed) == "begin")
            // What is issued meanwhile too.
            #expect(try await rig.open(try await rig.issued().ticket) == "opened")
        }
    }

    @Test func `let through what another process has issued, a few a second, and then know it`() async throws {
        let clock = Self.stopped()
        try await withRig(Self.policy(), clock: clock) { rig in
            let other = try rig.otherProcess()
            #expect(try await Self.guess(rig, 100) == 80)
            let request = IssueRequest(client: .iosApp, order: try rig.order(), proof: other.mintProof())
            guard case .issued(let webviewSession) = try await other.issue(request, by: rig.caller(2)) else {
                throw Surprise("not issued")
            }
            #expect(try await Self.isLimited { _ = try await rig.open(webviewSession.ticket) })
            clock.advance(by: .seconds(1))
            let opened = try await rig.broker.open(webviewSession.ticket, tab: nil, proof: nil, by: rig.caller())
            #expect(word(opened) == "opened")
            #expect(try await Self.guess(rig, 100) == 100)
            #expect(try await word(rig.broker.view(#require(opened.opened).token, by: rig.caller())) == "live")
        }
    }

    @Test func `take no proof for a reason to guess beside it`() async throws {
        try await withRig(Self.policy(), clock: Self.stopped()) { rig in
            let crossing = try await rig.placed()
            #expect(try await Self.guess(rig, 100) == 80)
            let before = rig.missedLookUps
            for _ in 0..<50 {
                let forged = TabToken.mint(for: crossing.webviewSession, random: rig.random)
                var request = PurchaseRequest(
                    ticket: rig.broker.returnTicket(of: forged),
                    orderReference: Rig.orderReference
                )
                request.proof = crossing.proof
                #expect(try await Self.isLimited { _ = try await rig.broker.purchase(request, by: rig.caller()) })
            }
            #expect(rig.missedLookUps == before + 1)
        }
    }

    @Test func `count nothing that a page can have a visitor's browser send`() async throws {
        let clock = Self.stopped()
        try await withRig(Self.policy(), clock: clock) { rig in
            for _ in 0..<1_000 {
                let webviewSession = WebviewSessionID(version7At: clock.now(), random: rig.random)
                let ticket = LaunchTicket.mint(for: webviewSession, random: rig.random)
                try await rig.broker.notePrefetch(ticket, by: rig.caller())
            }
            #expect(rig.missedLookUps == 5)
            // A ticket of ours is noted all the same.
            let crossing = try await rig.issued()
            try await rig.broker.notePrefetch(crossing.ticket, by: rig.caller())
            #expect(try await rig.store.audit(crossing.webviewSession).map(\.operation).last == "prefetch_refused")
            #expect(try await Self.guess(rig, 1) == 0)
        }
    }

    @Test func `hold for all addresses of a network together, ten times as many`() async throws {
        try await withRig(Self.policy(), clock: Self.stopped()) { rig in
            // Addresses 0 to 15 are one network, 16 to 31 another.
            let refused = try await Self.guess(rig, 1_000, from: 0)
            #expect(refused == 980)
            for key in 1..<10 { #expect(try await Self.guess(rig, 20, from: UInt64(key)) == 0) }
            #expect(try await Self.guess(rig, 1, from: 10) == 1)
            #expect(try await Self.guess(rig, 1, from: 16) == 0)
        }
    }

    @Test func `hold for one session where a merchant's key shows what is in vain`() async throws {
        try await withRig(Self.policy(), clock: Self.stopped()) { rig in
            let crossing = try await rig.placed()
            func complete(_ crossing: Crossing, forged: Bool) async throws -> String {
                var request = try crossing.purchase(rig)
                if forged {
                    let ticket = rig.broker.returnTicket(
                        of: TabToken.mint(for: crossing.webviewSession, random: rig.random)
                    )
                    let proof = request.proof
                    request = PurchaseRequest(ticket: ticket, orderReference: Rig.orderReference)
                    request.proof = proof
                }
                do throws(StoreError) {
                    return word(try await rig.broker.purchase(request, by: rig.keyCaller()))
                } catch {
                    #expect(error.code == .limited(retryAfter: 6))
                    return "limited"
                }
            }
            for _ in 0..<10 { #expect(try await complete(crossing, forged: true) == "refused unknown") }
            // A few are looked up for the session, but none is answered otherwise.
            for _ in 0..<5 { #expect(try await complete(crossing, forged: true) == "limited") }
            #expect(rig.missedLookUps == 15)
            // Neither other sessions nor the address are concerned, and the right ticket does it even now.
            #expect(try await complete(rig.placed(), forged: false) == "begin")
            #expect(try await Self.guess(rig, 1) == 0)
            #expect(try await complete(crossing, forged: false) == "begin")
        }
    }

    @Test func `give a network no more issues than half of all live webview sessions`() async throws {
        let policy = Self.policy {
            $0.issuesPerMinute = 5
            // In two hours: ten a minute for a network.
            $0.sessionsTotal = 2_400
        }
        try await withRig(policy, clock: Self.stopped()) { rig in
            let request = IssueRequest(client: .iosApp, order: try rig.order())
            func issue(_ key: UInt64) async throws -> Bool {
                try await Self.isLimited { _ = try await rig.broker.issue(request, by: rig.caller(key)) }
            }
            for key in 0..<2 as Range<UInt64> {
                for _ in 0..<5 { #expect(try await issue(key) == false) }
                #expect(try await issue(key))
            }
            #expect(try await issue(2))
            #expect(try await issue(16) == false)
        }
    }

    @Test func `keep the last tenth of all webview sessions for merchants' keys`() async throws {
        try await withRig(Self.policy { $0.sessionsTotal = 10 }) { rig in
            rig.limits.setLiveWebviewSessions(LiveSessionCount.Total(live: 0, issued: 0))
            for _ in 0..<9 { _ = try await rig.issued() }
            let request = IssueRequest(client: .iosApp, order: try rig.order())
            #expect(try await word(rig.broker.issue(request, by: rig.caller())) == "refused tooManyWebviewSessions")
            let order = try rig.order()
            guard case .allocated = rig.broker.allocate(.site, order, challenge: nil) else {
                throw Surprise("not drawn")
            }
            #expect(word(rig.broker.allocate(.site, order, challenge: nil)) == "refused tooManyWebviewSessions")
        }
    }
}
