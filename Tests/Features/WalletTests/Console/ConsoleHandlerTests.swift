import Accounts
import EventIO
import FeatureTestKit
import HTTPCore
import Operators
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import TestKit
import Testing
import Web
import Webhooks

@testable import Wallet

@Suite("Management of members")
struct ConsoleHandlerTests {
    private static let account = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private static let page = "/console/wallet/members/\(account)"

    private static func member(_ account: UUIDBytes = account, state: String = "installed", points: Int = 7) -> String {
        #"{"accountId":"\#(account)","externalId":"m-1","name":"花子","points":\#(points),"state":"\#(state)","passes":[]}"#
    }

    /// Runs a body with the pages, signed in with a role.
    private func withConsole(
        _ role: String = "change",
        _ body: @escaping @Sendable (Console) async throws -> Void
    ) async throws {
        let folder = try ProcessFolder.makeFolder("console")
        try WalletFolders.fill(folder)
        let zero = String(repeating: "00", count: 32)
        try Files.write(folder + "/keys", Array("\(role) \(zero) Hanako\n".utf8), mode: 0o600)
        let settings = [
            "operators.keys_file": folder + "/keys", "merchant.secret_file": "\(folder)/secret",
            "wallet.templates": "\(folder)/templates", "wallet.certificates": "\(folder)/certificates",
        ]
        let features = FeatureSet([
            ServiceFeature.self, AccountsFeature.self, OperatorPages.self, WebhookDelivery.self, WalletFeature.self,
        ])
        try await ScriptedProgram.run(features, settings) { program in try await body(Console(program: program)) }
    }

    @Test("The list is asked for by state, by name and number, and page by page")
    func list() async throws {
        try await withConsole("view") { console in
            let rows = (1...51).map { Console.listed(UUIDBytes(high: 1, low: UInt64($0)), Self.member()) }
            console.program.database.answer("wallet_member_page_state", rows: rows)
            let first = try await console.get("/console/wallet?state=installed")
            #expect(first.status == 200)
            #expect(first.body.contains("after=00000000-0000-0001-0000-000000000032"))
            #expect(first.body.contains(#"aria-current="page">Wallet members"#))
            console.program.database.answer("wallet_member_page_name", Console.listed(Self.account, Self.member()))
            console.program.database.answer("wallet_member_external", Console.listed(Self.account, Self.member()))
            let found = try await console.get("/console/wallet?q=m-1")
            // Once, though both find the member.
            #expect(found.body.split(separator: Self.page).count == 2)
            console.program.database.answer("wallet_member_page_name", Console.listed(Self.account, Self.member()))
            let other = try await console.get("/console/wallet?q=m&state=lost&after=\(Self.account)")
            #expect(!other.body.contains(Self.page))
        }
    }

    @Test("Points are changed under the person's name, with what there was before")
    func points() async throws {
        try await withConsole { console in
            console.finds(Self.member())
            console.recorded()
            var row = Parameters()
            row.append(text: "changed")
            row.append(int64: 12)
            row.append(int64: 1)
            console.program.database.answer("wallet_console_points", row)
            console.program.database.answer("operator_session_note")
            let answer = try await console.post(Self.page + "/points", "number=5&how=add&reason=tea")
            #expect(answer[.location] == Self.page)
            let asked = console.program.database.asked
            let begun = try #require(asked.first { $0.name == "operator_begin" })
            #expect(try begun.parameters.text(0, 0) == "Hanako")
            #expect(try begun.parameters.text(0, 1) == "console wallet-points")
            #expect(try begun.parameters.text(0, 2) == Self.account.description)
            #expect(try begun.parameters.text(0, 3) == "tea")
            let changed = try #require(asked.first { $0.name == "wallet_console_points" })
            #expect(try changed.parameters.int64(0, 1) == 5)
            #expect(try changed.parameters.bool(0, 2))
            let noted = try #require(asked.first { $0.name == "operator_session_note" })
            #expect(try noted.parameters.text(0, 1).contains("12"))
        }
    }

    @Test("A number that is none changes nothing, and a sum out of range is recorded as refused")
    func wrongPoints() async throws {
        try await withConsole { console in
            console.finds(Self.member())
            let none = try await console.post(Self.page + "/points", "number=1e3&how=set")
            #expect(none.status == 400)
            #expect(none.body.contains("Points are a whole number"))
            console.finds(Self.member())
            console.recorded()
            var row = Parameters()
            row.append(text: "too_few")
            row.append(int64: 7)
            row.append(int64: 0)
            console.program.database.answer("wallet_console_points", row)
            let few = try await console.post(Self.page + "/points", "number=9&how=subtract")
            #expect(few.status == 409)
            #expect(few.body.contains("nothing was changed"))
            let ended = try #require(console.program.database.asked.last { $0.name == "operator_end" })
            #expect(try ended.parameters.text(0, 1).contains("points_out_of_range"))
        }
    }

    @Test("A renewed link stands on the page, and in no record and no notice")
    func link() async throws {
        try await withConsole { console in
            console.finds(Self.member())
            console.recorded()
            var row = Parameters()
            row.append(text: "renewed")
            row.append(int64: 3)
            console.program.database.answer("wallet_link", row)
            let answer = try await console.post(Self.page + "/link", "")
            #expect(answer.status == 200)
            #expect(answer.body.contains("https://shop.example/wallet/\(Self.account)?k="))
            let ended = try #require(console.program.database.asked.last { $0.name == "operator_end" })
            #expect(try !ended.parameters.text(0, 1).contains("wallet/"))
        }
    }

    @Test("A membership ends with a reason alone")
    func end() async throws {
        try await withConsole { console in
            console.finds(Self.member())
            let step = try await console.get(Self.page + "/end")
            #expect(step.body.contains("This cannot be undone."))
            console.finds(Self.member())
            let refused = try await console.post(Self.page + "/end", "")
            #expect(refused.failure == "operator_reason_invalid")
            console.finds(Self.member())
            console.recorded()
            var row = Parameters()
            row.append(text: "ended")
            console.program.database.answer("wallet_end", row)
            console.program.database.answer("operator_session_note")
            let done = try await console.post(Self.page + "/end", "reason=asked")
            #expect(done[.location] == Self.page)
        }
    }

    @Test("Phones are woken again")
    func push() async throws {
        try await withConsole { console in
            console.finds(Self.member())
            console.recorded()
            var row = Parameters()
            row.append(int64: 2)
            console.program.database.answer("wallet_console_wake", row)
            console.program.database.answer("operator_session_note")
            let answer = try await console.post(Self.page + "/push", "")
            #expect(answer[.location] == Self.page)
        }
    }

    @Test("Who may look changes nothing", arguments: ["points", "link", "push", "end"])
    func roles(_ what: String) async throws {
        try await withConsole("view") { console in
            let body = what == "points" ? "number=1&how=set" : ""
            let answer = try await console.post("\(Self.page)/\(what)", body)
            #expect(answer.failure == "operator_role_missing")
        }
    }

    @Test("Nobody, and what is no id, is not found")
    func unknown() async throws {
        try await withConsole { console in
            var row = Parameters()
            row.append(json: nil)
            console.program.database.answer("wallet_member_read", row)
            let nobody = try await console.get(Self.page)
            #expect(nobody.status == 404)
            let noID = try await console.get("/console/wallet/members/x")
            #expect(noID.status == 404)
        }
    }
}

/// The pages as a person who is signed in asks for them.
private struct Console {
    let program: ScriptedProgram

    private static let token = String(repeating: "A", count: 43)

    func get(_ target: String) async throws -> Answer { try await ask(.get, target, nil) }

    /// Sends a form with the word of its session, which stands on each page.
    func post(_ target: String, _ form: String) async throws -> Answer {
        signedIn()
        let page = try await program.ask(
            .get,
            "/console",
            host: ScriptedProgram.adminHost,
            cookies: [("__Host-operator", Console.token)]
        )
        let word = try #require(page.text(between: #"name="form" value=""#, "\""))
        return try await ask(.post, target, "form=\(word)" + (form.isEmpty ? "" : "&" + form))
    }

    private func ask(_ method: HTTPMethod, _ target: String, _ body: String?) async throws -> Answer {
        signedIn()
        return try await program.ask(
            method,
            target,
            host: ScriptedProgram.adminHost,
            fields: [(.acceptLanguage, "en"), (.origin, "https://console.example")],
            cookies: [("__Host-operator", Console.token)],
            body: body
        )
    }

    private func signedIn() {
        var row = Parameters()
        row.append(uuid: UUIDBytes(high: 1, low: 1))
        row.append(text: "Hanako")
        row.append(digest: Digest32([UInt8](repeating: 0, count: 32).span))
        row.append(text: nil)
        program.database.answer("operator_session_read", row)
    }

    func finds(_ member: String) {
        var row = Parameters()
        row.append(json: member)
        program.database.answer("wallet_member_read", row)
    }

    func recorded() {
        var opened = Parameters()
        opened.append(int64: 7)
        opened.append(uuid: UUIDBytes(high: 2, low: 2))
        program.database.answer("operator_begin", opened)
        var done = Parameters()
        done.append(bool: true)
        program.database.answer("operator_end", done)
    }

    static func listed(_ account: UUIDBytes, _ member: String) -> Parameters {
        var row = Parameters()
        row.append(uuid: account)
        row.append(json: member)
        return row
    }
}
