import AmazonPay
import Commerce
import EventIO
import MerchantOrders
import Postgres
import Primitives
import ServerCore
import SessionBroker
import StrictJSON

/// Carries out what an operator decides about purchases that were given up.
package struct StuckResolver {
    /// What a decision came to.
    package struct Outcome: Sendable {
        /// To print.
        package var lines: [String] = []
        /// Why it was not carried out.
        package var complaint: String?

        /// An outcome; nothing to print and no complaint unless given.
        package init(lines: [String] = [], complaint: String? = nil) {
            self.lines = lines
            self.complaint = complaint
        }
    }

    let store: PostgresSessionStore
    let client: PostgresClient
    /// `nil` where nothing is read there.
    let provider: CheckoutClient?
    let trail: OperatorTrail
    let random: any RandomSource
    /// Gets the progress of long work.
    let note: (String) -> Void

    private static let limit = 10_000
    private static let refusal = "that purchase was not given up, or another process is working on it"

    /// Carries a decision out.
    ///
    /// - Throws: What the stores say.
    func carryOut(_ task: StuckTask) async throws -> Outcome {
        switch task {
        case .list: Outcome(lines: try await list())
        case .resumeAll: try await resumeAll()
        case .resume(let name): try await of(name, resume)
        case .decline(let name): try await of(name, decline)
        case .paid(let name, let permission, let charge):
            try await of(name) { try await pay($0, permission, charge) }
        case .refunded(let name, let permission, let charge):
            try await of(name) { try await forget($0, permission, charge) }
        }
    }

    /// Does something with the session that a name stands for.
    private func of(_ name: SessionName, _ body: (WebviewSessionID) async throws -> Outcome) async throws -> Outcome {
        switch try await name.session(in: store) {
        case .success(let webviewSession): try await body(webviewSession)
        case .failure(let ambiguity): Outcome(complaint: ambiguity.text)
        }
    }

    private func resume(_ webviewSession: WebviewSessionID) async throws -> Outcome {
        try await decide("--resume", webviewSession, try await stuck(webviewSession)) {
            try await store.resume(webviewSession, reason: "operator", by: caller)
        }
    }

    private func decline(_ webviewSession: WebviewSessionID) async throws -> Outcome {
        guard let found = try await stuck(webviewSession) else { return Outcome(complaint: StuckResolver.refusal) }
        return try await decide("--decline", webviewSession, found) {
            try await settle(webviewSession, as: .declined(reason: "operator"))
        }
    }

    private var caller: Caller {
        Caller(internal: "operator", request: "stuck-" + Hex.encode(random.bytes(8)))
    }

    private func stuck(_ webviewSession: WebviewSessionID) async throws -> StuckPurchase? {
        try await store.stuckPurchases(limit: StuckResolver.limit).first { $0.webviewSession == webviewSession }
    }

    private func decide(
        _ option: String,
        _ webviewSession: WebviewSessionID,
        _ found: StuckPurchase?,
        _ body: () async throws -> Bool
    ) async throws -> Outcome {
        var decision = OperatorTrail.Decision(command: "stuck \(option)", target: webviewSession.description)
        decision.before = found.map(StuckResolver.value)
        let isDone = try await trail.record(decision, client, body, after: { ["done": .bool($0)] })
        guard isDone else { return Outcome(complaint: StuckResolver.refusal) }
        return Outcome(lines: [StuckResolver.done(option, webviewSession)])
    }

    private func settle(_ webviewSession: WebviewSessionID, as end: AttemptOutcome) async throws -> Bool {
        let attempt = UUIDBytes(version7At: SystemClock().now(), random: random)
        let taken = try await store.takeOver(webviewSession, freshAttempt: attempt, pause: .zero, by: caller)
        guard taken != nil else { return false }
        return try await store.settle(webviewSession, attempt: attempt, as: end, by: caller)
    }

    // MARK: All of them

    private func list() async throws -> [String] {
        let purchases = try await store.stuckPurchases(limit: StuckResolver.limit)
        let charges = try await PostgresUnsettledStore(client: client).list(underWayFor: nil)
            .filter { $0.kind == .charge }
        return purchases.map { StuckResolver.value($0).description }
            + charges.map { found in
                JSONValue.object([
                    JSONMember("webview_session", "\(found.webviewSession)"),
                    JSONMember("since", StuckResolver.time(found.since)),
                    JSONMember("unmatchedPermission", .string(found.object)),
                ]).description
            }
    }

    private func resumeAll() async throws -> Outcome {
        let all = try await store.stuckPurchases(limit: StuckResolver.limit)
        var resumed = 0
        for (index, purchase) in all.enumerated() {
            let outcome = try await decide("--resume --all", purchase.webviewSession, purchase) {
                try await store.resume(purchase.webviewSession, reason: "operator", by: caller)
            }
            if outcome.complaint == nil { resumed += 1 }
            if (index + 1) % 100 == 0 { note("\(index + 1) of \(all.count)") }
        }
        let line: JSONValue = ["resumed": JSONValue(resumed), "of": JSONValue(all.count)]
        return Outcome(lines: [line.description])
    }

    // MARK: Paid

    private func pay(
        _ webviewSession: WebviewSessionID,
        _ permission: String,
        _ charge: String?
    ) async throws -> Outcome {
        guard let payment = try await store.payment(of: webviewSession), payment.state != .authorized,
            payment.state != .purchasing || payment.isStuck, let checkoutSession = payment.orderReference,
            let total = payment.total
        else {
            return Outcome(
                complaint: "that session is paid, under way, unknown here, or has no agreed total: see `adopt --help`"
            )
        }
        let seen: (permission: ChargePermission, charge: Charge)
        switch try await evidence(permission, charge, checkoutSession) {
        case .failure(let error): return Outcome(complaint: error.text)
        case .success(let found): seen = found
        }
        if let problem = PaymentEvidence.problem(webviewSession, paid: Money(total), by: seen.permission, seen.charge) {
            return Outcome(complaint: problem)
        }
        let authorization = Authorization(
            answer: PurchaseAnswer.body(OrderNumber(webviewSession)),
            chargePermission: seen.permission.id.text,
            charge: seen.charge.id.text,
            isCapturing: seen.charge.state != .authorized,
            isNamed: seen.permission.isNamed(for: webviewSession)
        )
        let outcome = try await decide("--paid", webviewSession, try await stuck(webviewSession)) {
            if payment.state != .purchasing {
                let fresh = UUIDBytes(version7At: SystemClock().now(), random: random)
                // Nobody else is to take it up before the next statement does.
                _ = try await store.reclaim(
                    webviewSession,
                    session: checkoutSession,
                    freshAttempt: fresh,
                    reason: "operator",
                    pause: .seconds(60),
                    by: caller
                )
            }
            return try await settle(webviewSession, as: .authorized(authorization))
        }
        guard outcome.complaint == nil else { return outcome }
        let ledger = PostgresLedgerStore(client: client)
        _ = try await ledger.observe(ObservedObject(seen.permission))
        _ = try await ledger.observe(ObservedObject(seen.charge))
        return outcome
    }

    /// Ends the case of a charge of an unpaid session that holds nothing any more.
    private func forget(
        _ webviewSession: WebviewSessionID,
        _ permission: String,
        _ charge: String?
    ) async throws -> Outcome {
        let checkoutSession = try await store.payment(of: webviewSession)?.orderReference
        let seen: (permission: ChargePermission, charge: Charge)
        switch try await evidence(permission, charge, checkoutSession) {
        case .failure(let error): return Outcome(complaint: error.text)
        case .success(let found): seen = found
        }
        if let problem = PaymentEvidence.problem(webviewSession, refunded: seen.permission, seen.charge) {
            return Outcome(complaint: problem)
        }
        let notices = PostgresNotificationStore(client: client)
        let decision = OperatorTrail.Decision(command: "stuck --refunded", target: webviewSession.description)
        let isDone = try await trail.record(
            decision,
            client,
            { try await notices.noteRefunded(seen.permission.id.text, of: webviewSession) },
            after: { ["done": .bool($0)] }
        )
        guard isDone else { return Outcome(complaint: "no charge of that permission needs a decision") }
        return Outcome(lines: [StuckResolver.done("--refunded", webviewSession)])
    }

    private struct Unread: Error {
        let text: String
    }

    /// Permission and charge as the provider has them; where the charge is not named it is that of the checkout session.
    private func evidence(
        _ permission: String,
        _ charge: String?,
        _ checkoutSession: String?
    ) async throws -> Result<(permission: ChargePermission, charge: Charge), Unread> {
        guard let provider, let permission = ChargePermissionID(permission) else {
            return .failure(Unread(text: "\(permission) is no charge permission"))
        }
        do throws(AmazonPayError) {
            var name = charge
            if name == nil, let checkoutSession = checkoutSession.flatMap({ CheckoutSessionID($0) }) {
                name = try await provider.session(checkoutSession).chargeID
            }
            guard let id = name.flatMap({ ChargeID($0) }) else {
                return .failure(Unread(text: "the checkout session names no charge: give --charge"))
            }
            return .success(
                (permission: try await provider.permission(permission), charge: try await provider.charge(id))
            )
        } catch {
            let hint = error.isAboutNothing && charge == nil ? "; give --charge where the checkout session is gone" : ""
            return .failure(Unread(text: "the provider did not return the object: \(error.description)\(hint)"))
        }
    }

    // MARK: Lines

    private static func value(_ purchase: StuckPurchase) -> JSONValue {
        .object([
            JSONMember("webview_session", "\(purchase.webviewSession)"), JSONMember("since", time(purchase.since)),
            JSONMember("givenUp", time(purchase.stuckAt)), JSONMember("recoveries", JSONValue(purchase.recoveries)),
            JSONMember("checkoutSession", .string(purchase.orderReference)),
            JSONMember("total", JSONValue(Int(purchase.total.amount))),
            JSONMember("reason", JSONValue(purchase.reason)),
        ])
    }

    /// What was done, for whoever did it.
    private static func done(_ option: String, _ webviewSession: WebviewSessionID) -> String {
        JSONValue.object([
            JSONMember("webview_session", "\(webviewSession)"), JSONMember("done", .string(option)),
        ]).description
    }

    private static func time(_ time: WallTime) -> JSONValue { .string(CalendarDate(time).extendedText) }
}
