import Checkout
import Postgres
import PostgresTestKit
import SessionBroker
import Testing

@Suite("The policy that programs of a database work under")
struct PolicyClaimTests {
    @Test func `is the first one's, until somebody is told to replace it`() async throws {
        let database = try migratedDatabase()
        let standard = BrokerPolicy.unlimited()
        let compat = BrokerPolicy.unlimited(.compat)
        #expect(standard.words != compat.words)
        func claim(_ policy: BrokerPolicy, replacing: Bool) async throws -> String {
            try await withRig(on: database, policy) { rig in
                try await rig.store.claimPolicy(replacing: replacing)
            }
        }
        #expect(try await claim(standard, replacing: false) == standard.words)
        #expect(try await claim(standard, replacing: true) == standard.words)
        #expect(try await claim(compat, replacing: false) == standard.words)
        #expect(try await claim(compat, replacing: true) == compat.words)
        // Who goes on with the old settings is met at the next start.
        #expect(try await claim(standard, replacing: false) == compat.words)
        #expect(try database.admin().rows("SELECT 1 FROM program_policy").count == 1)
    }

    @Test func `may have more or fewer words than this version's`() async throws {
        let database = try migratedDatabase()
        let words = BrokerPolicy.unlimited().words
        func claim(_ policy: BrokerPolicy, replacing: Bool) async throws -> String {
            try await withRig(on: database, policy) { rig in
                try await rig.store.claimPolicy(replacing: replacing)
            }
        }
        _ = try await claim(.unlimited(), replacing: false)
        let last = try #require(words.split(separator: " ").last)
        try database.admin().run("UPDATE program_policy SET words = replace(words, ' \(last)', ' later=1')")
        let found = try await claim(.unlimited(), replacing: false)
        #expect(Set(found.split(separator: " ")) == Set((words + " later=1").split(separator: " ")))
        let replaced = try await claim(.unlimited(.compat), replacing: true)
        #expect(replaced.contains("later=1") && replaced.contains("proof.app=optional"))
    }

    @Test func `has a word for each rule, and none for times and limits`() {
        let words = BrokerPolicy().words
        func changed(_ change: (inout BrokerPolicy) -> Void) -> Bool {
            var policy = BrokerPolicy()
            change(&policy)
            return policy.words != words
        }
        #expect(changed { $0.openMode = .tap } && changed { $0.fetchSite = .enforce })
        #expect(changed { $0.onReuse = .refuse } && changed { $0.onMismatch = .refuse })
        #expect(changed { $0.appProof = .optional } && changed { $0.verifier = .required })
        #expect(changed { $0.requiresMeeting = true } && changed { $0.cookieNames = .plain })
        #expect(changed { $0.times.reopenWindow = .seconds(16) })
        #expect(!changed { $0.times.idle = .seconds(60) } && !changed { $0.limits.sessionsTotal = nil })
    }
}
