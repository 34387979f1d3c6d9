import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import TestKit
import Testing

@testable import Operators

@Suite("Sign-in of the staff")
struct OperatorSignInTests {
    @Test("Name and key open a session, whose token the database has as a hash alone")
    func opens() async throws {
        try await StaffProgram.run { staff in
            staff.recorded()
            staff.program.database.answer("operator_session_open")
            let answer = try await staff.ask(.post, "/console/sign-in", token: nil, body: StaffProgram.signIn())
            #expect(answer.status == 303)
            #expect(answer[.location] == "/console")
            let cookie = try #require(answer.cookie(StaffProgram.cookie))
            let token = try #require(cookie.split(separator: ";").first.map(String.init))
            #expect(cookie == "\(token); Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200")
            let sent = try #require(staff.program.database.asked.first { $0.name == "operator_session_open" })
            #expect(try sent.parameters.digest(0, 0) == OperatorToken(token.utf8.span)?.hash)
            // Written down before the session is there.
            #expect(staff.program.database.names == ["operator_begin", "operator_session_open", "operator_end"])
        }
    }

    @Test(
        "A wrong key, a name that nobody has, and nothing at all are refused alike, without a statement",
        arguments: [
            StaffProgram.signIn(StaffProgram.name, StaffProgram.viewerKey), StaffProgram.signIn("Nobody"),
            StaffProgram.signIn(StaffProgram.name, ""), "", StaffProgram.signIn(String(repeating: "x", count: 5_000)),
            StaffProgram.signIn("", StaffProgram.key),
            StaffProgram.signIn(StaffProgram.name, StaffProgram.key + " "),
        ]
    )
    func refuses(_ body: String) async throws {
        try await StaffProgram.run { staff in
            let answer = try await staff.ask(.post, "/console/sign-in", token: nil, body: body)
            let usual = try await staff.ask(.post, "/console/sign-in", token: nil, body: StaffProgram.signIn("N", "k"))
            #expect(answer.status == 403)
            #expect(answer.failure == "operator_sign_in_refused")
            #expect(answer.body == usual.body)
            #expect(answer.cookie(StaffProgram.cookie) == nil)
            // What was typed stands nowhere, since it may be a key in the wrong place.
            #expect(!staff.program.log.lines.contains { $0.contains(StaffProgram.key) })
        }
    }

    @Test("After so many that fail, guesses wait, from the address and by the name; the right key does not")
    func limits() async throws {
        try await StaffProgram.run(["operators.attempts": "3"]) { staff in
            func guess(_ name: String, from address: UInt8) async throws -> Answer {
                try await staff.ask(
                    .post,
                    "/console/sign-in",
                    token: nil,
                    from: PeerAddress(ipv4: 0xCB00_7100 + UInt32(address) << 8),
                    body: StaffProgram.signIn(name, "k")
                )
            }
            for number in 0..<3 {
                let answer = try await guess("N\(number)", from: 1)
                #expect(answer.status == 403)
            }
            let limited = try await guess("N9", from: 1)
            #expect(limited.status == 429)
            #expect(limited[.retryAfter] != nil)
            #expect(limited.failure == "rate_limited")
            // One name from many addresses.
            for number in 2..<5 {
                let answer = try await guess(StaffProgram.name, from: UInt8(number))
                #expect(answer.status == 403)
            }
            let byName = try await guess(StaffProgram.name, from: 9)
            #expect(byName.status == 429)
            staff.recorded()
            staff.program.database.answer("operator_session_open")
            let right = try await staff.ask(
                .post,
                "/console/sign-in",
                token: nil,
                from: PeerAddress(ipv4: 0xCB00_7100 + 1 << 8),
                body: StaffProgram.signIn()
            )
            #expect(right.status == 303)
        }
    }

    @Test("Signing in leads to the page that was asked for")
    func leadsBack() async throws {
        try await StaffProgram.run { staff in
            let refused = try await staff.ask(.get, "/console/board?q=a%20b", token: nil)
            #expect(refused.status == 303)
            let form = try #require(refused[.location])
            #expect(form == "/console/sign-in?next=%2fconsole%2fboard%3fq%3da%2520b")
            let page = try await staff.ask(.get, form, token: nil)
            #expect(page.text(between: #"name="next" value=""#, "\"") == "/console/board?q=a%20b")
            staff.recorded()
            staff.program.database.answer("operator_session_open")
            let body = StaffProgram.signIn(next: "/console/board?q=a%20b")
            let answer = try await staff.ask(.post, "/console/sign-in", token: nil, body: body)
            #expect(answer[.location] == "/console/board?q=a%20b")
        }
    }

    @Test(
        arguments: [
            "https://evil.example/console/", "//evil.example", "/\\evil.example", "/metrics", "/console/sign-in",
            "/console/sign-in?next=/x", "/console/ Set-Cookie", "/consolex", "javascript:alert(1)",
            "/console/" + String(repeating: "a", count: 600),
        ]
    )
    func `leads to no other address`(_ next: String) async throws {
        try await StaffProgram.run { staff in
            staff.recorded()
            staff.program.database.answer("operator_session_open")
            let answer = try await staff.ask(
                .post,
                "/console/sign-in",
                token: nil,
                body: StaffProgram.signIn(next: next)
            )
            #expect(answer[.location] == "/console")
        }
    }

    @Test(
        arguments: [
            [(HTTPFieldName.origin, "https://evil.example")], [(.origin, "null")],
            [(.origin, "http://console.example")],
            [(.secFetchSite, "cross-site")], [(.secFetchSite, "same-site")],
        ]
    )
    func `of another site signs nobody in`(_ fields: [(HTTPFieldName, String)]) async throws {
        try await StaffProgram.run { staff in
            let answer = try await staff.ask(
                .post,
                "/console/sign-in",
                fields: fields,
                token: nil,
                body: StaffProgram.signIn()
            )
            #expect(answer.status == 403)
            #expect(answer.failure == "csrf_rejected")
        }
    }

    @Test("Nothing of it is on the public hosts", arguments: ["/console", "/console/sign-in", "/console/board"])
    func isNotPublic(_ path: String) async throws {
        try await StaffProgram.run { staff in
            for host in [ScriptedProgram.host, ScriptedProgram.linkHost] {
                let page = try await staff.program.ask(.get, path, host: host)
                let form = try await staff.program.ask(.post, path, host: host, body: "")
                #expect([page.status, form.status] == [404, 404])
            }
        }
    }
}
