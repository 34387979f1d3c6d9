import Operations
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Synchronization
import Testing

@testable import Program

@Suite("The command that wakes phones with cards")
struct WakeCommandTests {
    private static let type = "pass.com.example.shop.member"

    /// Two members, of whom the first has two phones.
    private func shop() throws -> (database: TestDatabase, admin: PostgresAdmin, account: String) {
        let database = try migratedDatabase()
        let admin = try database.admin()
        _ = try admin.rows("SELECT wallet_template_set('member', '\(Self.type)', '\\x00', '[]')")
        for (name, serial, phones) in [
            ("m-1", "4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90", ["D1", "D2"]),
            ("m-2", "4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C91", ["D3"]),
        ] {
            _ = try admin.rows(
                "SELECT wallet_issue('\(name)', 'Hana', 0, '\(Self.type)', '\(serial)', 'member', '{}', 1)"
            )
            for phone in phones {
                _ = try admin.rows(
                    "SELECT wallet_register('\(Self.type)', '\(serial)', '\(phone)', md5('\(phone)'), 1)"
                )
            }
        }
        try admin.run("DELETE FROM wallet_push_job")
        let account = try admin.rows("SELECT account_id FROM account WHERE external_id = 'm-1'").first?[0]
        return (database, admin, try #require(account))
    }

    private func run(
        _ words: [String],
        _ database: TestDatabase
    ) async -> (status: Int32, output: [String], complaints: [String]) {
        let environment = [
            "SALLYPORT_DATABASE_URL": database.serviceURL.reveal(), "SALLYPORT_MIGRATIONS_DIR": migrationsFolder,
        ]
        let said = Mutex((output: [String](), complaints: [String]()))
        let console = Console(
            print: { line in said.withLock { $0.output.append(line) } },
            complain: { line in said.withLock { $0.complaints.append(line) } },
            remark: { _ in }
        )
        let status = await CommandTable.set.run(["wallet", "push"] + words, environment: environment, console: console)
        return said.withLock { (status, $0.output, $0.complaints) }
    }

    @Test func `has the phones of a member woken, by either id, and says who wanted it`() async throws {
        let (database, admin, account) = try shop()
        for id in ["m-1", account] {
            try admin.run("DELETE FROM wallet_push_job")
            let (status, output, complaints) = await run(
                ["--account", id, "--as", "hanako", "--reason", "late"],
                database
            )
            #expect(status == 0 && complaints == [])
            #expect(output == [#"{"accountId":"\#(account)","devices":2}"#])
            let due = try admin.rows("SELECT device FROM wallet_push_job ORDER BY device").map { $0[0] }
            #expect(due == ["D1", "D2"])
        }
        let decisions = try admin.rows("SELECT operator, command, target, reason, after FROM operator_event")
        let decision = ["hanako", "wallet push", account, "late", #"{"devices":2}"#]
        #expect(decisions == [decision, decision])
    }

    @Test func `has all phones of a pass type woken, and says who wanted it`() async throws {
        let (database, admin, _) = try shop()
        let (status, output, complaints) = await run([Self.type, "--as", "hanako"], database)
        #expect(status == 0 && complaints == [])
        #expect(output == [#"{"passType":"\#(Self.type)"}"#])
        #expect(try admin.rows("SELECT wake_after FROM wallet_template") == [[""]])
        let decisions = try admin.rows("SELECT operator, command, target, reason, after FROM operator_event")
        #expect(decisions == [["hanako", "wallet push", Self.type, nil, #"{"done":true}"#]])
    }

    @Test func `wakes nobody where there is no such type or member, and names what it needs`() async throws {
        let (database, admin, account) = try shop()
        for (words, complaint) in [
            (["pass.of.nobody"], "there is no such pass type with a template"),
            (["--account", "m-3"], "there is no such member"),
            (["--account", "00000000-0000-7000-8000-000000000000"], "there is no such member"),
        ] {
            let (status, output, complaints) = await run(words, database)
            #expect(status == 1 && output == [])
            #expect(complaints == ["sallyport: \(complaint)"])
        }
        for words in [[], [Self.type, "--account", account], [Self.type, Self.type]] {
            let (status, _, complaints) = await run(words, database)
            #expect(status == 2 && complaints.joined().contains("name a pass type, or a member with --account"))
        }
        #expect(try admin.rows("SELECT count(*) FROM wallet_push_job") == [["0"]])
        #expect(try admin.rows("SELECT wake_after FROM wallet_template") == [[nil]])
    }
}
