import AmazonPay
import Commerce
import EventIO
import Merchant
import MerchantOrders
import Operations
import Primitives
import TestKit
import Testing

@testable import Checkout
@testable import Merchant
@testable import Program

/// What changes while a report is made: each answer of the provider moves the ledger on before it is compared.
@Suite struct `A report` {
    private static let charge = "S03-0000000-0000001-C1"

    private func report(_ ledger: Ledger, _ provider: Provider, repairs: Bool = false) async throws -> [String] {
        let reconciliation = Reconciliation(ledger, provider: provider, repairs: repairs)
        var lines: [String] = []
        let now = WallTime(seconds: 1_800_000_000)
        let summary = try await reconciliation.run(since: now, until: now + .seconds(60)) { lines.append($0.text) }
        return lines.map { String($0.split(separator: " ", maxSplits: 1)[1]) } + ["\(summary.open)"]
    }

    @Test func `does not tell of an order that was paid while the provider was asked`() async throws {
        let ledger = try Ledger(.inReview)
        let provider = Provider {
            ledger.state = .paid
            ledger.rows = [try Ledger.row(.permission, "S03-0000000-0000001", .chargeable)]
        }
        #expect(try await report(ledger, provider) == ["0"])
    }

    @Test(arguments: [(4, ["0"]), (5, ["charge S03-0000000-0000001-C1 unread notSent", "1"])])
    func `puts a question again that had no turn, five times at most`(heldBack: Int, lines: [String]) async throws {
        let ledger = try Ledger(.captured)
        ledger.rows = [
            try Ledger.row(.permission, "S03-0000000-0000001", .chargeable),
            try Ledger.row(.charge, Self.charge, .captured),
        ]
        let provider = Provider()
        provider.heldBack = heldBack
        #expect(try await report(ledger, provider) == lines)
        #expect(provider.asked.filter { $0 == Self.charge }.count == 5)
    }

    @Test(arguments: [OrderState.paid, .paymentPending, .captured])
    func `does not tell of an order that is paid and has no ledger`(state: OrderState) async throws {
        #expect(try await report(try Ledger(state), Provider()) == ["0"])
    }

    @Test func `calls a purchase under way that somebody is about to write down`() async throws {
        let ledger = try Ledger(.inReview)
        let provider = Provider { ledger.state = .paying }
        #expect(try await report(ledger, provider) == ["session session-1 under way", "0"])
    }

    @Test(arguments: [OrderState.inReview, .declined, .canceled, .expired])
    func `tells of money without an order`(state: OrderState) async throws {
        let line = "session session-1 ours=\(state.rawValue) 0 0 theirs=Completed 0 0"
        #expect(try await report(try Ledger(state), Provider()) == [line, "1"])
    }

    @Test func `does not tell of a capture that was written down while the provider was asked`() async throws {
        let ledger = try Ledger(.paid)
        ledger.rows = [
            try Ledger.row(.permission, "S03-0000000-0000001", .chargeable),
            try Ledger.row(.charge, Self.charge, .authorized),
        ]
        let provider = Provider { ledger.rows[1] = try Ledger.row(.charge, Self.charge, .captured) }
        #expect(try await report(ledger, provider) == ["0"])
        #expect(provider.asked.filter { $0 == Self.charge }.count == 2)
    }

    @Test func `calls an operation under way whose answer was lost, and repairs nothing of it`() async throws {
        let ledger = try Ledger(.paid)
        ledger.rows = [
            try Ledger.row(.permission, "S03-0000000-0000001", .chargeable),
            try Ledger.row(.charge, Self.charge, .authorized, isOpen: true),
        ]
        #expect(try await report(ledger, Provider(), repairs: true) == ["charge \(Self.charge) under way", "0"])
        #expect(ledger.observed.isEmpty)
    }

    @Test(arguments: [false, true])
    func `calls behind what the provider went on with by itself, or looks at it`(repairs: Bool) async throws {
        let ledger = try Ledger(.paid)
        ledger.rows = [
            try Ledger.row(.permission, "S03-0000000-0000001", .chargeable),
            try Ledger.row(.charge, Self.charge, .captureInitiated),
        ]
        let end = repairs ? "theirs=Captured 100 0" : "theirs=Captured 100 0 behind"
        let lines = try await report(ledger, Provider(), repairs: repairs)
        #expect(lines == ["charge \(Self.charge) ours=CaptureInitiated 0 0 \(end)", repairs ? "1" : "0"])
        #expect(ledger.observed.count == (repairs ? 1 : 0))
    }

    @Test func `compares several orders at a time and tells of them in their order`() async throws {
        try await withLoop { reactor in
            let ledger = try Ledger(.paid)
            ledger.rows = [try Ledger.row(.permission, "S03-0000000-0000001", .chargeable)]
            let provider = SlowProvider(reactor)
            let pool = WorkerPool(reactor, width: 4)
            let reconciliation = Reconciliation(ledger, provider: provider, repairs: false, pool: pool)
            let older = (0..<10).map { UUIDBytes(high: 1_000 - $0, low: 0) }
            var told: [UUIDBytes] = []
            var reached: [UUIDBytes?] = []
            let now = WallTime(seconds: 1_900_000_000)
            let summary = try await reconciliation.run(since: now, until: now, older: older) {
                told.append($0.webviewSession)
            } goesOn: {
                reached.append($0.reached)
                return true
            }
            #expect(provider.greatest == 4)
            #expect(told == older && reached == older)
            #expect(summary.isWhole && summary.orders == 10 && summary.open == 10)
            // Whoever goes on begins behind what was noted.
            var rest: [UUIDBytes] = []
            _ = try await reconciliation.run(since: now, until: now, older: older, from: .init(reached: older[6])) {
                rest.append($0.webviewSession)
            }
            #expect(rest == Array(older[7...]))
        }
    }

    @Test func `that is ended compares what has begun, and notes what came before`() async throws {
        try await withLoop { reactor in
            let ledger = try Ledger(.paid)
            ledger.rows = [try Ledger.row(.permission, "S03-0000000-0000001", .chargeable)]
            let provider = SlowProvider(reactor)
            let pool = WorkerPool(reactor, width: 4)
            let reconciliation = Reconciliation(ledger, provider: provider, repairs: false, pool: pool)
            let older = (0..<10).map { UUIDBytes(high: 1_000 - $0, low: 0) }
            let now = WallTime(seconds: 1_900_000_000)
            let summary = try await reconciliation.run(since: now, until: now, older: older) { _ in
            } goesOn: {
                $0.orders < 2
            }
            #expect(!summary.isWhole && summary.reached == older[1])
            #expect(provider.running == 0 && provider.asked <= 6)
        }
    }

    @Test func `tells of what stays different`() async throws {
        let ledger = try Ledger(.paid)
        ledger.rows = [
            try Ledger.row(.permission, "S03-0000000-0000001", .chargeable),
            try Ledger.row(.charge, Self.charge, .authorized),
        ]
        let line = "charge \(Self.charge) ours=Authorized 0 0 theirs=Captured 100 0"
        #expect(try await report(ledger, Provider()) == [line, "1"])
    }
}

/// When a report goes on with one that was cut off.
@Suite struct `A report that was cut off` {
    private static let since = WallTime(seconds: 1_800_000_000)
    private static let until = since + .seconds(86_400)

    private static func start(
        since: WallTime = since,
        until: WallTime? = nil,
        repairs: Bool = false,
        isAnew: Bool = false,
        reached: UUIDBytes? = UUIDBytes(high: 1, low: 1)
    ) -> ReportRun.Start {
        ReportRun.start(
            ReportRun.Wish(since: since, until: until, repairs: repairs, isAnew: isAnew),
            PostgresReconciliationStore.Unfinished(
                started: Self.since,
                terms: .init(since: Self.since, until: Self.until, repairs: false),
                progress: .init(reached: reached, orders: 1),
                attempt: UUIDBytes(high: 2, low: 2)
            )
        )
    }

    @Test func `is gone on with for the same orders`() {
        #expect(Self.start() == .goingOn)
        #expect(Self.start(until: Self.until) == .goingOn)
    }

    @Test func `is begun again for others, and the operator is told`() {
        #expect(Self.start(since: Self.since + .seconds(1)) == .anew("began with other orders (--since)"))
        #expect(Self.start(until: Self.since) == .anew("ended with other orders (--until)"))
        #expect(Self.start(repairs: true) == .anew("changed nothing (--fix)"))
    }

    @Test func `is left where nothing was compared, and where the operator wants it`() {
        #expect(Self.start(reached: nil) == .fresh)
        #expect(Self.start(isAnew: true) == .fresh)
        let wish = ReportRun.Wish(since: Self.since, until: nil, repairs: false, isAnew: false)
        #expect(ReportRun.start(wish, nil) == .fresh)
    }
}

/// A provider that has taken the money of everything, and does something at its first answer.
private final class Provider: ProviderReader {
    private var meanwhile: (() throws -> Void)?
    var asked: [String] = []
    /// How many questions about charges have no turn.
    var heldBack = 0

    init(_ meanwhile: (() throws -> Void)? = nil) {
        self.meanwhile = meanwhile
    }

    func object(_ kind: ObjectKind, _ id: String) async throws(AmazonPayError) -> ObservedObject {
        asked.append(id)
        if kind == .charge {
            if heldBack > 0 {
                heldBack -= 1
                throw AmazonPayError(.notSent, isHeldBack: true)
            }
            try pass()
        }
        let state: ObjectState = kind == .charge ? .captured : .chargeable
        var object = ObservedObject(kind, id, ObservedVersion(state, updated: WallTime(seconds: 1_800_000_000)))
        object.captured = kind == .charge ? Money(units: 100, .jpy) : nil
        return object
    }

    func mayHoldMoney(_ session: String) async throws(AmazonPayError) -> Bool {
        try pass()
        return true
    }

    private func pass() throws(AmazonPayError) {
        do {
            try meanwhile?()
            meanwhile = nil
        } catch {
            throw AmazonPayError(.unreadable, detail: "\(error)")
        }
    }
}

/// A provider that knows nothing, and answers who asked first last.
private final class SlowProvider: ProviderReader {
    private let reactor: Reactor
    var running = 0
    var greatest = 0
    var asked = 0

    init(_ reactor: Reactor) {
        self.reactor = reactor
    }

    func object(_ kind: ObjectKind, _ id: String) async throws(AmazonPayError) -> ObservedObject {
        asked += 1
        running += 1
        greatest = max(greatest, running)
        for _ in 0..<(4 - asked % 4) * 3 { await reactor.nextTurn() }
        running -= 1
        throw AmazonPayError(.refused, status: 404, reason: .resourceNotFound)
    }

    func mayHoldMoney(_ session: String) async throws(AmazonPayError) -> Bool { false }
}

/// A store of one order, for reading.
private final class Ledger: OrderStore {
    private static let webviewSession = UUIDBytes(version7At: WallTime(seconds: 1_800_000_001), random: KernelRandom())
    private static let time = WallTime(seconds: 1_800_000_001)
    private let sum: Money
    var state: OrderState
    var rows: [LedgerObject] = []
    var observed: [ObservedObject] = []

    init(_ state: OrderState) throws {
        self.state = state
        sum = try #require(Money(units: 100, .jpy))
    }

    static func row(
        _ kind: ObjectKind,
        _ id: String,
        _ state: ObjectState,
        isOpen: Bool = false
    ) throws -> LedgerObject {
        var row = LedgerRow(kind, state, try #require(Money(units: 100, .jpy)))
        row.capturedUnits = state == .captured ? 100 : 0
        row.hasOpenOperation = isOpen
        return LedgerObject(id, of: webviewSession, row, created: time, updated: time)
    }

    private var order: MerchantOrder {
        let times = MerchantOrder.Times(created: Ledger.time, updated: Ledger.time, expires: nil)
        let sums = MerchantOrder.Sums(subtotal: sum, tax: sum)
        var order = MerchantOrder(
            webviewSession: Ledger.webviewSession,
            reference: "1",
            state: state,
            sums: sums,
            times: times
        )
        order.checkoutSession = "session-1"
        return order
    }

    func read(_ webviewSession: UUIDBytes) async throws(StoreError) -> MerchantOrder? { order }

    func page(_ query: OrderQuery) async throws(StoreError) -> OrderPage {
        let isBehind = query.cursor.map { Ledger.webviewSession < $0.webviewSession } ?? true
        return OrderPage(isBehind ? [order] : [], next: nil)
    }

    func object(_ id: String) async throws(StoreError) -> LedgerObject? { rows.first { $0.id == id } }

    func objects(of webviewSession: UUIDBytes) async throws(StoreError) -> [LedgerObject] { rows }

    func observe(_ object: ObservedObject) async throws(StoreError) -> ObserveOutcome {
        observed.append(object)
        return .unknown
    }

    // No report does any of these.

    func begin(_ request: OperationRequest) async throws(StoreError) -> OperationOutcome { throw Ledger.never }

    func settle(_ operation: PaymentOperation, as end: OperationEnd) async throws(StoreError) -> Bool {
        throw Ledger.never
    }

    func takeOver(
        _ operation: UUIDBytes,
        by taker: OperationTaker,
        freshAttempt: UUIDBytes
    ) async throws(StoreError) -> TakeOver {
        throw Ledger.never
    }

    func expireLease(_ operation: PaymentOperation) async throws(StoreError) { throw Ledger.never }

    func putBack(_ operation: PaymentOperation) async throws(StoreError) { throw Ledger.never }

    func claimLeft(limit: Int) async throws(StoreError) -> [UUIDBytes] { throw Ledger.never }

    func postpone(_ operation: UUIDBytes) async throws(StoreError) { throw Ledger.never }

    private static let never = StoreError(.fault, "a report changes nothing")
}
