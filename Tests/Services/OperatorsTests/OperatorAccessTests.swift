import EventIO
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import TestKit
import Testing

@testable import Operators

@Suite("Pages of the staff")
struct OperatorAccessTests {
    @Test("A page of a feature has the menu, the person, no script, and texts escaped")
    func page() async throws {
        try await StaffProgram.run { staff in
            staff.signedIn(notice: "Done: <x>")
            let answer = try await staff.ask(.get, "/console/board")
            #expect(answer.status == 200)
            #expect(answer.headline == "Board")
            #expect(answer[.contentSecurityPolicy]?.contains("script-src") == false)
            #expect(answer[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
            #expect(answer[.cacheControl] == "no-store")
            // The listener speaks plain HTTP: only who ends the TLS can claim transport security.
            #expect(answer[.strictTransportSecurity] == nil)
            #expect(!answer.body.contains("<script"))
            #expect(answer.body.contains("Hanako &lt;b&gt;&amp;&quot;Yamada"))
            #expect(answer.body.contains(#"<p class="notice done" role="status">Done: &lt;x&gt;</p>"#))
            #expect(answer.body.contains(#"<a href="/console/board" aria-current="page">Board</a>"#))
            #expect(answer.body.contains(#"<a href="/console/decisions">Decisions</a>"#))
        }
    }

    @Test("Each page is in Japanese unless the browser asks for another language")
    func languages() async throws {
        try await StaffProgram.run { staff in
            for (language, title) in [("", "掲示板"), ("ja", "掲示板"), ("en", "Board"), ("fr", "Board")] {
                staff.signedIn()
                let fields = language.isEmpty ? [] : [(HTTPFieldName.acceptLanguage, language)]
                #expect(try await staff.ask(.get, "/console/board", fields: fields).headline == title)
            }
            let page = try await staff.ask(.get, "/console/sign-in", fields: [], token: nil)
            #expect(page.headline == "サインイン")
        }
    }

    @Test(
        arguments: ["ended", "removed", "another key"]
    )
    func `with a session that has ended a page leads to the sign-in and the cookie goes`(_ why: String) async throws {
        try await StaffProgram.run { staff in
            switch why {
            case "ended": staff.program.database.answer("operator_session_read")
            case "removed": staff.signedIn("Somebody else")
            default: staff.signedIn(key: "sok_old")
            }
            let answer = try await staff.ask(.get, "/console/board")
            #expect(answer.status == 303)
            #expect(answer[.location]?.hasPrefix("/console/sign-in") == true)
            #expect(answer.clears(StaffProgram.cookie))
        }
    }

    @Test("A cookie of another form is refused without a look into the database", arguments: ["", "x", "t t", "%00"])
    func spoiltCookie(_ token: String) async throws {
        try await StaffProgram.run { staff in
            let answer = try await staff.ask(.get, "/console/board", token: token)
            #expect(answer.status == 303 || answer.status == 400)
            #expect(staff.program.database.asked.isEmpty)
        }
    }

    @Test("A change is recorded under the person's name and said once on the next page")
    func change() async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            staff.recorded()
            staff.program.database.answer("operator_session_note")
            let body = "form=\(StaffProgram.word)&text=Tea&reason=asked%20for"
            let answer = try await staff.ask(.post, "/console/board/write", body: body)
            #expect(answer.status == 303)
            #expect(answer[.location] == "/console/board")
            let asked = staff.program.database.asked
            try #require(asked.count == 4)
            #expect(
                asked.map(\.name)
                    == ["operator_session_read", "operator_begin", "operator_end", "operator_session_note"]
            )
            #expect(try asked[1].parameters.text(0, 0) == StaffProgram.name)
            #expect(try asked[1].parameters.text(0, 3) == "asked for")
            #expect(try asked[3].parameters.text(0, 1) == "Written: Tea")
        }
    }

    @Test(
        arguments: ["", "form=&", "form=x&", "form=\(String(repeating: "A", count: 43))&"]
    )
    func `without the session's word changes nothing`(_ word: String) async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            let answer = try await staff.ask(.post, "/console/board/write", body: word + "text=Tea&reason=x")
            #expect(answer.status == 403)
            #expect(answer.failure == "operator_form_expired")
        }
    }

    @Test("A form of another site changes nothing, though it knew the word")
    func otherSite() async throws {
        try await StaffProgram.run { staff in
            let answer = try await staff.ask(
                .post,
                "/console/board/write",
                fields: [(.origin, "https://shop.example")],
                body: "form=\(StaffProgram.word)&text=Tea&reason=x"
            )
            #expect(answer.status == 403)
            #expect(answer.failure == "csrf_rejected")
        }
    }

    @Test func `for who may look is none with changes, and no change is carried out`() async throws {
        try await StaffProgram.run { staff in
            func signedIn() { staff.signedIn(StaffProgram.viewer, key: StaffProgram.viewerKey) }
            signedIn()
            let page = try await staff.ask(.get, "/console/board")
            #expect(page.status == 200)
            #expect(!page.body.contains("/console/board/secrets"))
            signedIn()
            #expect(try await staff.ask(.get, "/console/board/secrets").failure == "operator_role_missing")
            signedIn()
            let body = "form=\(StaffProgram.word)&text=Tea&reason=x"
            let answer = try await staff.ask(.post, "/console/board/write", body: body)
            #expect(answer.status == 403)
            #expect(answer.failure == "operator_role_missing")
        }
    }

    @Test(
        "What is wrong with a form is said in the frame of the session",
        arguments: [
            ("text=&reason=x", "invalid_request"), ("text=Tea", "operator_reason_invalid"),
            ("text=Tea&reason=%e2%80%ae", "operator_reason_invalid"), ("text=Tea&reason=x&other=1", "invalid_request"),
            ("text=Tea&text=Tea&reason=x", "invalid_request"),
            ("text=Tea&reason=" + String(repeating: "x", count: 201), "operator_reason_invalid"),
        ]
    )
    func wrongForms(_ body: String, _ code: String) async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            let answer = try await staff.ask(.post, "/console/board/write", body: "form=\(StaffProgram.word)&" + body)
            #expect(answer.status == 400)
            #expect(answer.failure == code)
            #expect(answer.body.contains("Sign out"))
            #expect(!answer.body.contains("cart"))
        }
    }

    @Test("Unknown paths, methods and a content that is too large are refused in the house's look")
    func unknown() async throws {
        try await StaffProgram.run { staff in
            let unknown = try await staff.ask(.get, "/console/nothing", token: nil)
            #expect(unknown.status == 404)
            #expect(unknown.failure == "not_found")
            #expect(unknown.body.contains("operators."))
            let method = try await staff.ask(.put, "/console/board", token: nil)
            #expect(method.status == 405)
            #expect(method[.allow] == "GET, HEAD")
            let large = try await staff.ask(
                .post,
                "/console/board/write",
                body: String(repeating: "x", count: OperatorAccess.bodyLimit + 1)
            )
            #expect(large.status == 413)
            #expect(large.failure == "payload_too_large")
        }
    }

    @Test("A database that is away is said, and nothing is written")
    func unavailable() async throws {
        try await StaffProgram.run { staff in
            staff.program.database.fail("operator_session_read", .unavailable)
            let answer = try await staff.ask(.get, "/console/board")
            #expect(answer.status == 503)
        }
    }

    @Test("A change whose record cannot be written does not take place")
    func recordFirst() async throws {
        try await StaffProgram.run { staff in
            staff.signedIn()
            staff.program.database.fail("operator_begin", .unavailable)
            let body = "form=\(StaffProgram.word)&text=Tea&reason=x"
            let refused = try await staff.ask(.post, "/console/board/write", body: body)
            #expect(refused.status == 503)
            staff.signedIn()
            let board = try await staff.ask(.get, "/console/board")
            #expect(board.body.contains("There is nothing here."))
        }
    }

    @Test("Style sheets and pictures are on the listener itself")
    func files() async throws {
        try await StaffProgram.run { staff in
            let page = try await staff.ask(.get, "/console/sign-in", token: nil)
            let path = try #require(page.text(between: #"<link rel="stylesheet" href=""#, "\""))
            let sheet = try await staff.ask(.get, path, token: nil)
            #expect(sheet.status == 200)
            #expect(sheet[.contentType] == "text/css; charset=utf-8")
        }
    }
}
