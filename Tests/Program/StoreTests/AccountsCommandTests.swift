import Operations
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Synchronization
import Testing

@testable import Program

@Suite("The command for accounts")
struct AccountsCommandTests {
    private static let first = "0190a5f2-7c3b-7d1e-9f2a-000000000001"
    private static let second = "0190a5f2-7c3b-7d1e-9f2a-000000000002"
    private static let token = "0190a5f2-7c3b-7d1e-9f2a-00000000000a"
    private static let other = "0190a5f2-7c3b-7d1e-9f2a-00000000000b"

    /// Two accounts, of which the first has a member card and two tokens, one of them its app's.
    private func shop() throws -> (database: TestDatabase, admin: PostgresAdmin) {
        let database = try migratedDatabase()
        let admin = try database.admin()
        try admin.run(
            """
            INSERT INTO account (account_id, created_at, external_id) VALUES
                ('\(Self.first)', '2026-09-21T14:13:20Z', 'customer-1'), ('\(Self.second)', now(), 'customer-2');
            INSERT INTO account_token (token_id, account_id, created_at, expires_at, token_hash, scopes) VALUES
                ('\(Self.token)', '\(Self.first)', now(), now() + interval '1 hour', '\\x01', '{app_store}'),
                ('\(Self.other)', '\(Self.first)', now(), now() + interval '1 hour', '\\x02', '{}'),
                ('\(Self.second)', '\(Self.second)', now(), now() + interval '1 hour', '\\x03', '{}')
            """
        )
        _ = try admin.rows("SELECT wallet_template_set('member', 'pass.com.example.shop', '\\x00', '[]')")
        _ = try admin.rows(
            """
            SELECT wallet_issue('customer-1', 'Hana', 0, 'pass.com.example.shop', '4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90',
                'member', '{}', 1)
            """
        )
        return (database, admin)
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
        let status = await CommandTable.set.run(["accounts"] + words, environment: environment, console: console)
        return said.withLock { (status, $0.output, $0.complaints) }
    }

    private static func account(_ id: String, _ externalID: String) -> String {
        #"{"object":"account","id":"\#(id)","externalId":"\#(externalID)","createdAt":"2026-09-21T14:13:20Z","erasedAt":null}"#
    }

    @Test func `lists accounts page by page, and shows one by either id`() async throws {
        let (database, _) = try shop()
        let list = await run(["list", "--limit", "1"], database)
        #expect(list.status == 0 && list.output.count == 1 && list.output.first?.contains(Self.second) == true)
        let rest = await run(["list", "--after", Self.second], database)
        #expect(rest.status == 0 && rest.output == [Self.account(Self.first, "customer-1")])
        for words in [["show", Self.first], ["show", "--external-id", "customer-1"]] {
            let shown = await run(words, database)
            #expect(shown.status == 0 && shown.output == [Self.account(Self.first, "customer-1")])
        }
        for words in [["show", "--external-id", "Customer-1"], ["tokens", Self.token], ["export", Self.token]] {
            let nobody = await run(words, database)
            #expect(nobody.status == 1 && nobody.complaints == ["sallyport: there is no such account"])
        }
    }

    @Test func `prints all that is kept of one, with tokens that open nothing`() async throws {
        let (database, _) = try shop()
        let (status, output, complaints) = await run(["export", Self.first], database)
        #expect(status == 0 && complaints == [])
        let export = try JSONParser.parse(Array(output.joined().utf8))
        #expect(export["tokens"]?.elements.compactMap { $0["id"]?.text } == [Self.other, Self.token])
        let features = export["features"]?.elements ?? []
        // Each that has data of accounts, on or off; there may be more than these.
        let names = features.compactMap { $0["feature"]?.text }
        #expect(names.contains("app_store") && names.contains("wallet"))
        #expect(features.first { $0["feature"]?.text == "wallet" }?["data"]?["name"]?.text == "Hana")
    }

    @Test func `erases one where that is confirmed, also from features that are off, and says who wanted it`()
        async throws
    {
        let (database, admin) = try shop()
        let asked = await run(["erase", Self.first], database)
        #expect(asked.status == 2 && asked.complaints.joined().contains("add --yes to confirm"))
        #expect(try admin.rows("SELECT count(*) FROM account WHERE erased_at IS NULL") == [["2"]])
        let words = ["erase", "--external-id", "customer-1", "--yes", "--as", "hanako", "--reason", "a letter"]
        let (status, output, complaints) = await run(words, database)
        #expect(status == 0 && complaints == [])
        let report = try JSONParser.parse(Array(output.joined().utf8))
        #expect(report["accountId"]?.text == Self.first && report["isComplete"]?.flag == true)
        #expect(report["features"]?.elements.allSatisfy { $0["outcome"]?.text == "erased" } == true)
        #expect(try admin.rows("SELECT external_id FROM account ORDER BY account_id") == [[nil], ["customer-2"]])
        #expect(try admin.rows("SELECT count(*) FROM wallet_pass WHERE account_id IS NOT NULL") == [["0"]])
        #expect(try admin.rows("SELECT account_id::text FROM account_token") == [[Self.second]])
        let decisions = try admin.rows("SELECT operator, command, target, reason, before, after FROM operator_event")
        #expect(decisions == [["hanako", "accounts erase", Self.first, "a letter", nil, #"{"done":true}"#]])
        let again = await run(["export", Self.first], database)
        #expect(again.status == 1 && again.complaints == ["sallyport: the account was erased"])
    }

    @Test func `ends one token of an account, or all, and no other account's`() async throws {
        let (database, admin) = try shop()
        let listed = await run(["tokens", Self.first], database)
        #expect(listed.status == 0 && listed.output.count == 2 && listed.output.last?.contains("app_store") == true)
        let stranger = await run(["revoke", Self.second, Self.token], database)
        #expect(stranger.status == 1 && stranger.complaints.joined().contains("no such token"))
        let one = await run(["revoke", Self.first, Self.token, "--as", "hanako"], database)
        #expect(one.output == [#"{"object":"accountTokenRevocation","accountId":"\#(Self.first)","revoked":1}"#])
        let all = await run(["revoke", "--external-id", "customer-1", "--as", "hanako"], database)
        #expect(all.status == 0 && all.output.joined().contains(#""revoked":1"#))
        #expect(try admin.rows("SELECT account_id::text FROM account_token") == [[Self.second]])
        let decisions = try admin.rows("SELECT target, after FROM operator_event ORDER BY event_id")
        #expect(
            decisions == [
                [Self.token, #"{"revoked":0}"#], [Self.token, #"{"revoked":1}"#], [Self.first, #"{"revoked":1}"#],
            ]
        )
    }

    @Test func `names what it needs`() async throws {
        let (database, _) = try shop()
        for words in [
            [], ["list", Self.first], ["list", "--limit", "0"], ["list", "--after", "x"], ["show"], ["show", "x"],
            ["show", Self.first, "--limit", "1"], ["show", Self.first, "--yes"], ["revoke", Self.first, "x"],
            ["export", Self.first, Self.second], ["remove", Self.first], ["list", "--yes"],
        ] {
            let (status, output, complaints) = await run(words, database)
            #expect(status == 2 && output == [] && complaints.first?.contains("accounts: ") == true, "\(words)")
        }
    }
}
