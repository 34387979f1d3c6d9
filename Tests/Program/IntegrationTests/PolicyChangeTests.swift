import EventIO
import IntegrationKit
import Testing

/// Programs of one database that are not equally strict.
@Suite("Another policy on the same database", .tags(.database))
struct PolicyChangeTests {
    @Test func `is refused at the start, and the message says what differs`() async throws {
        try await withShop { shop in
            let strict = try shop.value("SELECT words FROM program_policy")
            #expect(strict.contains("proof.app=required") && strict.contains("on_mismatch=revoke"))
            let other = ["SALLYPORT_PROFILE": "compat"]
            let refused = try await shop.runCommand(["serve"], environment: other)
            #expect(refused.exit == .code(2), "\(refused.output)")
            #expect(refused.output.contains("other rules than") && refused.output.contains("proof.app=optional"))
            #expect(try shop.value("SELECT words FROM program_policy") == strict)
            let weaker = "replace(words, 'on_mismatch=revoke', 'on_mismatch=refuse')"
            try shop.rows("UPDATE program_policy SET words = \(weaker)")
            let own = try await shop.runCommand(["serve"])
            #expect(own.exit == .code(2) && own.output.contains("on_mismatch=revoke"), "\(own.output)")
        }
    }
}
