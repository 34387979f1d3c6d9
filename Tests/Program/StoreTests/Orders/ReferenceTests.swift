import Postgres
import Testing

@Suite("A reference that is to be unique")
struct ReferenceTests {
    private static let claim = Statement(
        name: "test_reference_claim",
        sql: "SELECT reference_claim($1, '', '')",
        parameterTypes: [.text]
    )

    /// The server's refusal, or `nil` where the reference was free.
    private func refusal(_ rig: Rig, _ reference: String) async throws -> String? {
        var parameters = Parameters()
        parameters.append(text: reference)
        do throws(PostgresError) {
            _ = try await rig.client.work(Self.claim, parameters)
            return nil
        } catch {
            return error.sqlState ?? error.debugDescription
        }
    }

    @Test func `is held by whoever is about to store a session, and by the session from then on`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S03-0000000-0000001")
            #expect(try await refusal(rig, "A-1") == nil)
            try rig.admin.run("BEGIN")
            #expect(try rig.admin.rows("SELECT reference_claim('A-1', '', '')") == [["A-1"]])
            #expect(try await refusal(rig, "A-1") == "55P03", "waits for a lock that is not given in time")
            #expect(try await refusal(rig, "A-2") == nil)
            try rig.sql(
                "UPDATE merchant_order SET reference = 'A-1' WHERE webview_session_id = '\(crossing.webviewSession)'"
            )
            try rig.admin.run("COMMIT")
            #expect(try await refusal(rig, "A-1") == "SY001")
            // Another account has references of its own.
            #expect(try rig.admin.rows("SELECT reference_claim('A-1', 'other', '')") == [["A-1"]])
        }
    }

    @Test(arguments: [
        ("opened", "created", false, true), ("opened", "created", true, false), ("placed", "created", false, true),
        ("purchasing", "created", true, true), ("purchasing", "payment_pending", false, true),
        ("declined", "declined", false, true), ("declined", "declined", true, false),
        ("expired", "declined", false, false), ("canceled", "canceled", false, false),
        ("revoked", "created", false, false), ("authorized", "paid", true, true),
        ("authorized", "captured", true, true), ("authorized", "refunded", true, true),
        ("authorized", "closed", true, false),
        ("authorized", "expired", true, false),
    ])
    func `is held while its session is open or paid`(
        webviewSession: String,
        order: String,
        isLate: Bool,
        isHeld: Bool
    ) async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S03-0000000-0000001")
            let time = isLate ? "- interval '1 minute'" : "+ interval '1 minute'"
            try rig.sql(
                """
                UPDATE webview_session SET state = '\(webviewSession)', idle_until = now() \(time), absolute_until = now() \(time)
                WHERE webview_session_id = '\(crossing.webviewSession)'
                """
            )
            try rig.sql("UPDATE merchant_order SET reference = 'A-1', state = '\(order)'")
            let holder = try rig.admin.rows("SELECT reference_holder('A-1', '', '')")
            #expect(holder == [[isHeld ? "\(crossing.webviewSession)" : nil]])
        }
    }
}
