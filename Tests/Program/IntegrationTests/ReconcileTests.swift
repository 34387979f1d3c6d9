import EventIO
import HTTPCore
import IntegrationKit
import Primitives
import StrictJSON
import Testing

/// `sallyport reconcile`, run as an operator does every night, over differences that were planted.
@Suite struct `The comparison with the provider` {
    private func lines(_ output: String) -> [String] {
        output.split(separator: "\n").map(String.init)
    }

    /// A purchase that was paid with, whose answer was lost: the webview session and the session.
    private func stranded(_ shop: Shop) async throws -> (webviewSession: String, session: String) {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await shop.control.fault("CompleteCheckoutSession", count: 9, ["resetAfter": true])
        try await shop.control.fault("GetCheckoutSession", count: 2, ["status": 403])
        #expect(try await shopper.purchase(link).status == 409)
        try await shop.control.clearFaults()
        return (shopper.webviewSession, link.order)
    }

    @Test func `calls a purchase that recovery will settle under way, and no difference`() async throws {
        try await withShop { shop in
            let (webviewSession, session) = try await stranded(shop)
            let report = try await shop.runCommand(["reconcile", "--rate", "1000", "--fix"])
            #expect(report.exit == .code(0))
            #expect(
                lines(report.output) == [
                    "\(webviewSession) session \(session) under way",
                    "reconcile: 1 orders, 1 objects, 0 differences left",
                ]
            )
            let json = try await shop.runCommand(["reconcile", "--rate", "1000", "--json"])
            #expect(try JSONParser.parse(Array(json.output.utf8))["underWay"]?.flag == true)
        }
    }

    @Test func `finds nothing where nothing is wrong`() async throws {
        try await withShop { shop in
            _ = try await shop.paid()
            _ = try await shop.paid()
            _ = try await shop.shopper().toConfirm()
            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(report.exit == .code(0), "\(report.output)")
            #expect(report.output == "reconcile: 2 orders, 4 objects, 0 differences left\n")
            #expect(try shop.value("SELECT compared FROM reconciliation_run WHERE ended_at IS NOT NULL") == "4")
        }
    }

    @Test func `finds each planted difference, repairs what a reading can, and leaves the rest to people`() async throws
    {
        try await withShop { shop in
            // 1: cancelled at the provider, and nobody told us.
            let cancelled = try await shop.paid()
            try await shop.control.force("charges/" + cancelled.charge, "Canceled", "ExpiredUnused")
            // 2: the ledger holds a capture that never was.
            let invented = try await shop.paid()
            try shop.rows(
                "UPDATE payment_object SET state = 'Captured', final = true, captured = amount WHERE object_id = $1",
                [invented.charge]
            )
            // 3: an object that the provider does not know.
            let strange = try await shop.paid()
            let missing = strange.permission + "-C999999"
            try shop.rows(
                """
                INSERT INTO payment_object (webview_session_id, created_at, observed_at, amount, kind, final, object_id, parent, currency, state)
                SELECT webview_session_id, now(), now(), 1, 'charge', false, $2, parent, currency, 'Authorized'
                FROM payment_object WHERE object_id = $1
                """,
                [strange.charge, missing]
            )
            // 4: paid at the provider, and our side has called it unpaid.
            let (lost, session) = try await stranded(shop)
            try shop.rows("UPDATE webview_session_purchase SET stuck_at = now()")
            try shop.endLease(of: lost)
            #expect(try await shop.runCommand(["stuck", lost, "--decline"]).exit == .code(0))

            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(report.exit == .code(1))
            let found = lines(report.output)
            let amount = try shop.value("SELECT amount FROM payment_object WHERE object_id = $1", [invented.charge])
            #expect(
                found.contains(
                    "\(cancelled.webviewSession) charge \(cancelled.charge) ours=Authorized 0 0 theirs=Canceled 0 0"
                )
            )
            #expect(
                found.contains(
                    "\(invented.webviewSession) charge \(invented.charge) ours=Captured \(amount) 0 theirs=Authorized 0 0"
                )
            )
            #expect(found.contains("\(strange.webviewSession) charge \(missing) ours=Authorized 0 0 theirs=missing"))
            #expect(found.contains("\(lost) session \(session) ours=declined 0 0 theirs=Completed 0 0"))
            #expect(found.count == 5 || found.count == 6, "\(report.output)")

            let before = try await shop.runCommand(["audit", "--operators"])
            #expect(!before.output.contains(#""command":"reconcile"#), "\(before.output)")
            let repaired = try await shop.runCommand(["reconcile", "--rate", "1000", "--fix", "--json", "--as", "taro"])
            #expect(repaired.exit == .code(1))
            let trail = try await shop.runCommand(["audit", "--operators"])
            #expect(trail.output.contains(#""operator":"taro","command":"reconcile --fix""#), "\(trail.output)")
            #expect(trail.output.contains(#" differences left"}"#), "\(trail.output)")
            let objects = try lines(repaired.output).map { try JSONParser.parse(Array($0.utf8)) }
            let fixed = objects.filter { $0["fixed"]?.flag == true }.compactMap { $0["id"]?.text }
            #expect(fixed.contains(cancelled.charge))
            #expect(!fixed.contains(missing) && !fixed.contains(session))
            #expect(try shop.ledger(cancelled.charge) == "Canceled")
            let last = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(!lines(last.output).contains { $0.contains(cancelled.charge) })
            // Whatever it finds, it pays and captures nothing.
            let writes = try await shop.control.calls().filter {
                $0.operation.hasPrefix("Capture") || $0.operation.hasPrefix("Create")
            }
            #expect(writes.isEmpty)
        }
    }

    @Test(arguments: [("Declined", "HardDeclined"), ("Canceled", "MerchantCanceled")])
    func `calls a session whose charge was declined or let go no difference`(
        state: String,
        reason: String
    ) async throws {
        try await withShop { shop in
            let (lost, session) = try await stranded(shop)
            try shop.rows("UPDATE webview_session_purchase SET stuck_at = now()")
            try shop.endLease(of: lost)
            #expect(try await shop.runCommand(["stuck", lost, "--decline"]).exit == .code(0))
            let paid = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(paid.exit == .code(1), "\(paid.output)")
            let charge = try #require(try await shop.control.object(session)["chargeId"]?.text)
            try await shop.control.force("charges/" + charge, state, reason)
            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(report.exit == .code(0), "\(report.output)")
            #expect(report.output == "reconcile: 1 orders, 1 objects, 0 differences left\n")
            // What nobody can read is for a person.
            try await shop.control.fault("GetCharge", count: 1, ["status": 403])
            let unread = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(unread.exit == .code(1) && unread.output.contains(" unread "), "\(unread.output)")
        }
    }

    @Test func `says so where the provider gives no answer, and refuses days that are none`() async throws {
        try await withShop { shop in
            let paid = try await shop.paid()
            try await shop.control.fault("GetCharge", count: 1, ["status": 403])
            let report = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2026-01-01"])
            #expect(report.exit == .code(1))
            #expect(
                lines(report.output).first?.hasPrefix("\(paid.webviewSession) charge \(paid.charge) unread ") == true
            )
            #expect(
                try await shop.runCommand(["reconcile", "--rate", "1000", "--until", "2026-01-01"]).exit == .code(0)
            )
            #expect(
                try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2026-02-30"]).exit == .code(2)
            )
        }
    }

    /// One object a second, unless another rate is set.
    @Test(arguments: [1, 4])
    func `leaves the provider's limits to buyers`(rate: Int) async throws {
        try await withShop { shop in
            _ = try await shop.paid()
            _ = try await shop.paid()
            let clock = ContinuousClock()
            let start = clock.now
            let report = try await shop.runCommand(["reconcile"] + (rate == 1 ? [] : ["--rate", "\(rate)"]))
            // Four objects: the first at once, the others one after the other.
            #expect(clock.now - start >= .seconds(3) / rate)
            #expect(report.output == "reconcile: 2 orders, 4 objects, 0 differences left\n")
            for text in ["0", "1001", "1.5", "-1", "many"] {
                let refused = try await shop.runCommand(["reconcile", "--rate", text])
                #expect(refused.exit == .code(2), "\(text): \(refused.output)")
            }
        }
    }

    // MARK: Cut off

    /// Three orders whose charges ended without our knowledge; newest first, as a report goes.
    private func planted(_ shop: Shop) async throws -> [String] {
        var charges: [String] = []
        for _ in 0..<3 {
            let paid = try await shop.paid()
            try await shop.control.force("charges/" + paid.charge, "Canceled", "ExpiredUnused")
            charges.insert(paid.charge, at: 0)
        }
        return charges
    }

    /// A report that a signal has cut off behind its first finding.
    private func cutOff(_ shop: Shop, _ signal: Signal) async throws -> (exit: ChildProcess.Exit, output: String) {
        try await interrupt(shop) { try $0.process.send(signal) }
    }

    /// A report to which something happens behind its first finding.
    private func interrupt(
        _ shop: Shop,
        _ event: @escaping @Sendable (RunningProgram) throws -> Void
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        // The first is answered at once, and the second long after the event.
        try await shop.control.fault("GetCharge", ["delayMs": 1])
        try await shop.control.fault("GetCharge", ["delayMs": 6_000])
        let arguments = ["reconcile", "--rate", "1000", "--since", "2026-01-01", "--concurrency", "1"]
        let report = try await shop.withCommand(arguments) { program, reactor in
            _ = try await program.line(with: "theirs=Canceled")
            try event(program)
            let exit = try await program.process.exit(on: reactor)
            return (exit: exit, output: program.log)
        }
        try await shop.control.clearFaults()
        return report
    }

    private func charges(_ output: String) -> [String] {
        lines(output).filter { $0.contains("theirs=Canceled") }.map { String($0.split(separator: " ")[2]) }
    }

    @Test func `stops in order at Ctrl-C, and the next one goes on behind it`() async throws {
        try await withShop { shop in
            let planted = try await planted(shop)
            let first = try await cutOff(shop, .interrupt)
            #expect(first.exit == .code(3), "\(first.output)")
            #expect(first.output.contains("reconcile: SIGINT: stopping after the current order\n"))
            #expect(try shop.value("SELECT count(*) FROM reconciliation_run WHERE ended_at IS NULL") == "1")
            let second = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2026-01-01"])
            #expect(second.exit == .code(1), "\(second.output)")
            #expect(
                lines(second.output).first?.hasPrefix("reconcile: continuing the report of ") == true,
                "\(second.output)"
            )
            #expect(charges(first.output) + charges(second.output) == planted)
            #expect(lines(second.output).last == "reconcile: 3 orders, 6 objects, 3 differences left")
            #expect(try await shop.control.calls("GetCharge").count == 3)
            // That one was whole: the next begins again.
            let third = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2026-01-01"])
            #expect(charges(third.output) == planted)
            #expect(lines(third.output).count == 4)
        }
    }

    @Test func `goes on where one was killed`() async throws {
        try await withShop { shop in
            let planted = try await planted(shop)
            let first = try await cutOff(shop, .kill)
            #expect(charges(first.output) == [planted[0]])
            // What was found may have been printed and not written down; nothing is left out.
            let second = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2026-01-01"])
            #expect(second.exit == .code(1), "\(second.output)")
            #expect(Set(charges(first.output) + charges(second.output)) == Set(planted))
            #expect(lines(second.output).last == "reconcile: 3 orders, 6 objects, 3 differences left")
        }
    }

    @Test func `ends where another one goes on with it`() async throws {
        try await withShop { shop in
            let planted = try await planted(shop)
            let report = try await interrupt(shop) { _ in
                try shop.rows("UPDATE reconciliation_run SET attempt_id = gen_random_uuid()")
            }
            #expect(report.exit == .code(3), "\(report.output)")
            #expect(lines(report.output).last == "reconcile: another run of `reconcile` continues this report")
            #expect(!charges(report.output).contains(planted[2]), "\(report.output)")
        }
    }

    @Test func `begins again where another report is wanted, and says why`() async throws {
        try await withShop { shop in
            let planted = try await planted(shop)
            _ = try await cutOff(shop, .interrupt)
            let anew = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2026-01-01", "--anew"])
            #expect(charges(anew.output) == planted)
            _ = try await cutOff(shop, .interrupt)
            let fixed = try await shop.runCommand(["reconcile", "--rate", "1000", "--since", "2026-01-01", "--fix"])
            #expect(
                lines(fixed.output).first
                    == "reconcile: beginning again: the interrupted report of 2026-01-01 changed nothing (--fix)"
            )
            #expect(fixed.exit == .code(0), "\(fixed.output)")
            #expect(charges(fixed.output) == planted)
        }
    }
}
