import FeatureTestKit
import HTTPCore
import Operations
import Postgres
import PostgresTestKit
import Primitives
import Settings
import TestKit
import Testing

@testable import Operators

@Suite("The staff's own pages")
struct OperatorPagesTests {
    private static let other = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002)

    private static func session(_ id: UUIDBytes) -> Parameters {
        var row = Parameters()
        row.append(uuid: id)
        row.append(timestamp: WallTime(seconds: 1_773_453_566))
        row.append(timestamp: WallTime(seconds: 1_773_453_626))
        row.append(text: "203.0.113.0/24")
        return row
    }

    private static func decision(_ number: Int64, isCutOff: Bool = false, refusal: String? = nil) -> Parameters {
        var row = Parameters()
        row.append(int64: number)
        row.append(timestamp: WallTime(seconds: 1_773_453_566))
        row.append(timestamp: isCutOff ? nil : WallTime(seconds: 1_773_453_567))
        row.append(text: "<i>Somebody</i>")
        row.append(text: "board write")
        row.append(text: "target-\(number)")
        row.append(text: isCutOff ? nil : "asked \"for\"")
        row.append(text: refusal)
        return row
    }

    @Test("The start page leads to what the person may see")
    func start() async throws {
        try await StaffProgram.run { staff in
            staff.signedIn(StaffProgram.viewer, key: StaffProgram.viewerKey)
            let answer = try await staff.ask(.get, "/console")
            #expect(answer.status == 200)
            #expect(answer.body.contains("may look<"))
            #expect(answer.body.contains(#"<a href="/console/board">"#))
            #expect(!answer.body.contains("/console/board/secrets"))
        }
    }

    @Test("A person sees the own sessions alone, and ends one of them, or all others")
    func sessions() async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            staff.program.database.answer(
                "operator_session_list",
                Self.session(StaffProgram.session),
                Self.session(Self.other)
            )
            let page = try await staff.ask(.get, "/console/sessions")
            #expect(page.body.contains("203.0.113.0/24"))
            #expect(page.body.contains("2026-03-14 01:59 UTC"))
            #expect(page.body.contains(#"value="\#(Self.other)""#))
            #expect(!page.body.contains(#"value="\#(StaffProgram.session)""#))
            for (value, statement) in [
                ("\(Self.other)", "operator_session_end"), ("others", "operator_session_end_others"),
            ] {
                staff.signedIn()
                staff.recorded()
                staff.program.database.answer(statement)
                staff.program.database.answer("operator_session_note")
                let body = "form=\(StaffProgram.word)&session=\(value)"
                let answer = try await staff.ask(.post, "/console/sessions/end", body: body)
                #expect(answer[.location] == "/console/sessions")
            }
            let asked = staff.program.database.asked
            let ended = try #require(asked.first { $0.name == "operator_session_end" })
            #expect(try ended.parameters.text(0, 1) == StaffProgram.name)
            #expect(try asked.last { $0.name == "operator_session_list" }?.parameters.text(0, 0) == StaffProgram.name)
        }
    }

    @Test(
        "Signing out deletes the session, clears the cookie, and says so",
        arguments: [StaffProgram.name, StaffProgram.viewer]
    )
    func signOut(_ name: String) async throws {
        try await StaffProgram.run { staff in
            staff.signedIn(name, key: name == StaffProgram.name ? StaffProgram.key : StaffProgram.viewerKey)
            staff.recorded()
            staff.program.database.answer("operator_session_close")
            let answer = try await staff.ask(.post, "/console/sign-out", body: "form=\(StaffProgram.word)")
            #expect(answer.status == 303)
            #expect(answer.clears(StaffProgram.cookie))
            let closed = try #require(staff.program.database.asked.first { $0.name == "operator_session_close" })
            #expect(try closed.parameters.digest(0, 0) == OperatorToken(StaffProgram.token.utf8.span)?.hash)
            let page = try await staff.ask(.get, try #require(answer[.location]), token: nil)
            #expect(page.body.contains("You are signed out."))
        }
    }

    @Test("A session is not closed where its end cannot be recorded")
    func signOutFails() async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            staff.program.database.fail("operator_begin", .unavailable)
            let answer = try await staff.ask(.post, "/console/sign-out", body: "form=\(StaffProgram.word)")
            #expect(answer.status == 503)
            #expect(!answer.clears(StaffProgram.cookie))
        }
    }

    @Test("Decisions are listed newest first, by person, page by page")
    func decisions() async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            let rows = (0..<51).map { index -> Parameters in
                Self.decision(Int64(500 - index), isCutOff: index == 1, refusal: index == 2 ? "out_of_range" : nil)
            }
            staff.program.database.answer("operator_audit", rows: rows)
            let first = try await staff.ask(.get, "/console/decisions")
            #expect(first.body.contains("target-500"))
            #expect(first.body.contains("target-451"))
            #expect(!first.body.contains("target-450"))
            #expect(first.body.contains("&lt;i&gt;Somebody&lt;/i&gt;"))
            #expect(first.body.contains("asked &quot;for&quot;"))
            #expect(first.body.contains("not finished, or cut off"))
            #expect(first.body.contains("refused, nothing changed"))
            #expect(first.body.contains(#"href="/console/decisions?before=451""#))
            staff.signedIn()
            staff.program.database.answer("operator_audit_of")
            let person = "A%20%3Cb%3E%26"
            let next = try await staff.ask(.get, "/console/decisions?person=\(person)&before=451")
            #expect(next.body.contains("There is nothing here."))
            #expect(next.body.contains(#"value="A &lt;b&gt;&amp;""#))
            #expect(next.body.contains(#"href="/console/decisions?person=A%20%3cb%3e%26""#))
            let asked = try #require(staff.program.database.asked.last { $0.name == "operator_audit_of" })
            #expect(try asked.parameters.text(0, 0) == "A <b>&")
            #expect(try asked.parameters.int64(0, 1) == 451)
        }
    }

    @Test(
        "What is no page of a list is refused",
        arguments: [
            "before=0", "before=-1", "before=x", "before=99999999999999999999", "before=1&before=2", "person=%00",
        ]
    )
    func wrongPages(_ query: String) async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            let answer = try await staff.ask(.get, "/console/decisions?" + query)
            #expect(answer.status == 400)
            #expect(answer.failure == "invalid_request")
        }
    }
}

@Suite("The command for keys of the staff")
struct OperatorsCommandTests {
    private func task(_ words: String...) throws -> OperatorsCommand.Task {
        let options = [CommandOption("role", "ROLE", "")]
        return try OperatorsCommand.Task(CommandLineArguments(["operators"] + words, options: options))
    }

    @Test("A key is for a name and a role, `view` unless another is named")
    func tasks() throws {
        #expect(try task("list") == .list)
        #expect(try task("key", "Hanako Yamada") == .key(name: "Hanako Yamada", role: .view))
        #expect(try task("key", "A", "--role", "change") == .key(name: "A", role: .change))
    }

    @Test(
        "Anything else is wrong use",
        arguments: [
            [], ["key"], ["key", ""], ["key", "a\u{7}"], ["key", "A", "--role", "root"], ["list", "--role", "view"],
            ["drop"],
        ]
    )
    func wrongUse(_ words: [String]) throws {
        let options = [CommandOption("role", "ROLE", "")]
        let arguments = try CommandLineArguments(["operators"] + words, options: options)
        #expect(throws: ConfigurationError.self) { try OperatorsCommand.Task(arguments) }
    }
}
