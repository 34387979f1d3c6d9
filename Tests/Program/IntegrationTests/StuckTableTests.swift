import EventIO
import Foundation
import HTTPCore
import IntegrationKit
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// Every row of the table "Ways of getting stuck" of docs/operations.md, each cell of it.
///
/// A cell's first code span is what has to be there; a cell without one says that there is nothing. Of the last cell each
/// command is run.
@Suite("Each way of getting stuck", .tags(.database, .slow), .serialized)
struct StuckTableTests {
    /// One row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        let way: String
        let gauge: String?
        let event: String?
        let report: String?
        let state: String?
        /// What an operator may say; one of them, or nothing.
        let commands: [String]

        var testDescription: String { way }

        init(_ cells: [String]) {
            func codes(_ cell: String) -> [String] {
                let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
                return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
            }
            func code(_ cell: String) -> String? { codes(cell).first }
            way = code(cells[0]) ?? ""
            gauge = code(cells[1])
            event = code(cells[2])
            report = code(cells[3])
            state = code(cells[4])
            commands = codes(cells[5]).filter { $0.hasPrefix("sallyport ") }
        }
    }

    static let rows: [Row] = {
        let text = (try? String(contentsOfFile: ProjectFolder.path("docs/operations.md"), encoding: .utf8)) ?? ""
        let table = text.components(separatedBy: "### Ways of getting stuck").last ?? ""
        return table.split(separator: "\n").drop { !$0.hasPrefix("| `") }.prefix { $0.hasPrefix("| `") }.map { line in
            Row(line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) })
        }
    }()

    @Test func `is in the table`() {
        #expect(
            Self.rows.map(\.way) == [
                "purchase-time", "purchase-gone", "purchase-amount", "purchase-overdue", "charge-unpaid",
                "payment-time",
                "payment-key", "payment-overdue",
            ]
        )
    }

    /// A row with one of its commands.
    struct Case: Sendable, CustomTestStringConvertible {
        let row: Row
        let command: String?

        var testDescription: String { row.way + (command.map { ", " + $0 } ?? "") }
    }

    static let cases = rows.flatMap { row in
        row.commands.isEmpty ? [Case(row: row, command: nil)] : row.commands.map { Case(row: row, command: $0) }
    }

    @Test(arguments: cases)
    func `is shown and ended as the table says`(stuck: Case) async throws {
        let row = stuck.row
        var options = ShopOptions.merchant
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let names = try await bring(shop, row.way)
            let webviewSession = try #require(names["SESSION"])
            let gauge = try #require(row.gauge)
            try await shop.wait(for: gauge) { try await number(gauge, shop) == "1" }
            let last = try shop.rows(
                "SELECT type FROM event WHERE subject_id = $1 AND type LIKE '%stuck' ORDER BY sequence",
                [webviewSession]
            )
            #expect(last.last?[0] == row.event)
            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            #expect(report.exit == .code(1), "\(report.output)")
            let line =
                report.output.split(separator: "\n").first { $0.contains(webviewSession) && $0.contains(" since ") }
                ?? ""
            let words = try #require(row.report).split(separator: "…").map(String.init)
            #expect(words.allSatisfy { line.contains($0) }, "\(line)")
            let fields = MerchantKey.fields(nil)
            let read = try await shop.browser().request("GET", "/v1/sessions/\(webviewSession)", fields: fields).json
            #expect(read["state"]?.text == row.state)
            #expect((read["needsAttention"]?.flag == true) == (row.event != nil))
            guard let command = stuck.command else { return }
            // What the provider tells now is what the operator has found in its console, or done there.
            try await shop.control.clearFaults()
            if command.contains(" --refunded") || row.way == "purchase-amount" {
                try await shop.control.force("charges/" + (names["CHARGE"] ?? ""), "Canceled", "MerchantCanceled")
            }
            if command.contains(" adopt ") {
                try shop.database.admin().run("DELETE FROM merchant_order; DELETE FROM webview_session")
            }
            let arguments = command.split(separator: " ").dropFirst().map { names[String($0)] ?? String($0) }
            let ended = try await shop.runCommand(arguments + ["--as", "night shift"])
            #expect(ended.exit == .code(0), "\(ended.output)")
            try await shop.wait(for: "the end of " + gauge) { try await number(gauge, shop) == "0" }
            let trail = try await shop.runCommand(["audit", "--operators"])
            #expect(trail.output.contains(#""operator":"night shift""#), "\(trail.output)")
        }
    }

    private func number(_ name: String, _ shop: Shop) async throws -> String? {
        let text = try await shop.browser().request("GET", shop.admin + "/metrics").text
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            .map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    // MARK: Getting stuck

    /// Brings a shop to where something is stuck; what the words of a command stand for.
    private func bring(_ shop: Shop, _ way: String) async throws -> [String: String] {
        try shop.rows(MerchantKey.insertion)
        return way.hasPrefix("payment") ? try await payment(shop, way) : try await purchase(shop, way)
    }

    private func purchase(_ shop: Shop, _ way: String) async throws -> [String: String] {
        let shopper = try await shop.shopper()
        let link = try await shopper.toReturn()
        try await shop.control.fault("CompleteCheckoutSession", count: 9, ["resetAfter": true])
        try await shop.control.fault("GetCheckoutSession", count: 1_000_000, ["status": 403])
        #expect(try await shopper.purchase(link).status == 409)
        let webviewSession = shopper.webviewSession
        let session = try await shop.control.object(link.order)
        let (permission, charge) = (session["chargePermissionId"]?.text ?? "", session["chargeId"]?.text ?? "")
        switch way {
        case "purchase-overdue":
            try shop.rows(
                "UPDATE webview_session_purchase SET since = now() - interval '3 h', next_at = now() + interval '1 h'"
            )
        case "charge-unpaid":
            try shop.database.admin().run(
                """
                UPDATE webview_session SET state = 'revoked'; UPDATE merchant_order SET state = 'canceled'; DELETE FROM webview_session_purchase;
                INSERT INTO notification (message_id, received_at, webview_session_id, kind, object_id, outcome)
                VALUES ('m', now(), '\(webviewSession)', 'CHARGE', '\(charge)', 'unpaid')
                """
            )
        default:
            let reason = String(way.split(separator: "-")[1])
            try shop.rows("UPDATE webview_session_purchase SET stuck_at = now(), reason = $1", [reason])
            try shop.endLease(of: webviewSession)
        }
        return ["SESSION": webviewSession, "PERMISSION": permission, "CHARGE": charge]
    }

    private func payment(_ shop: Shop, _ way: String) async throws -> [String: String] {
        let till = try await Till.open(shop)
        try await shop.control.fault("CaptureCharge", count: 9, ["resetAfter": true])
        try await shop.control.fault("GetCharge", count: 1_000_000, ["badJson": true])
        #expect(try await till.capture(mark: "m").code == "outcome_unknown")
        switch way {
        case "payment-overdue":
            try shop.rows("UPDATE payment_operation_open SET next_at = now() + interval '1 h'")
            try shop.rows("UPDATE payment_operation SET created_at = now() - interval '3 h'")
        default:
            let reason = way == "payment-key" ? "DuplicateIdempotencyKey" : "time"
            try shop.rows("UPDATE payment_operation SET state = 'stuck', ended_at = now(), reason = $1", [reason])
        }
        let operation = try shop.value("SELECT operation_id FROM payment_operation")
        return ["SESSION": till.webviewSession, "OPERATION": operation, "CHARGE": till.charge]
    }
}
