import EventIO
import FeatureTestKit
import HTTPCore
import Operators
import Pages
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import StrictJSON
import TestKit
import Testing
import Web

@testable import Wallet

@Suite("Management pages of members")
struct ConsolePageTests {
    private static let account = "01900000-0000-7000-8000-000000000001"

    /// A member as the database describes one, with everything that somebody outside has chosen in it hostile.
    private static func member(_ changes: [String: JSONValue] = [:]) throws -> JSONValue {
        let text = #"""
            {"object":"wallet_member","accountId":"\#(account)","externalId":"M-1\"><script>","name":"<b>花子</b>","points":1200,
            "createdAt":"2026-11-01T09:00:00Z","state":"removed","passes":[{"passType":"pass.example.card",
            "serialNumber":"A0","template":"card","state":"removed","version":9,"devices":0,"createdAt":"2026-11-01T09:00:00Z",
            "modifiedAt":"2026-11-02T09:00:00Z","linkOpenedAt":"2026-11-01T10:00:00Z","fetchedAt":"2026-11-02T10:00:00Z",
            "fetchedVersion":7,"phones":[{"device":"0a1b2c3d","registeredAt":"2026-11-01T10:01:00Z","seenAt":"2026-11-03T10:01:00Z",
            "pushedAt":"2026-11-03T10:00:30Z","pushStatus":429,"pushReason":"<u>TooManyRequests</u>"}],
            "history":[{"at":"2026-11-04T10:00:00Z","kind":"unregistered","device":"0a1b2c3d"},
            {"at":"2026-11-03T10:00:00Z","kind":"updated","detail":{"old":"<i>1</i>","new":1200}},
            {"at":"2026-11-03T09:00:00Z","kind":"a_new_kind","detail":null}],
            "errors":[{"at":"2026-11-03T10:00:00Z","kind":"get","device":"0a1b2c3d","message":"</td><script>alert(1)</script>"}]}]}
            """#
        guard case .object(var members) = try JSONParser.parse(Array(text.utf8)) else { return .null }
        for (name, value) in changes {
            members.removeAll { $0.name == name }
            members.append(JSONMember(name, value))
        }
        return .object(members)
    }

    /// What a page shows to a person.
    private func shown(
        _ page: @escaping @Sendable (OperatorRequest) throws -> OperatorPage,
        role: String = "change",
        language: String = "en"
    ) async throws -> Answer {
        let path = try ProcessFolder.makeFolder("console") + "/keys"
        let key = Digest32Hex.zero
        try Files.write(path, Array("\(role) \(key) Hanako\n".utf8), mode: 0o600)
        let answer = Answers()
        try await ScriptedProgram.run(
            FeatureSet([OperatorPages.self, Shown.self]),
            ["operators.keys_file": path]
        ) { program in
            var row = Parameters()
            row.append(uuid: UUIDBytes(high: 1, low: 1))
            row.append(text: "Hanako")
            row.append(digest: Digest32Hex.digest)
            row.append(text: nil)
            program.database.answer("operator_session_read", row)
            program.offered(Shown.Part.Holder.self)?.page = page
            answer.value = try await program.ask(
                .get,
                "/console/shown",
                host: ScriptedProgram.adminHost,
                fields: [(.acceptLanguage, language)],
                cookies: [("__Host-operator", String(repeating: "A", count: 43))]
            )
        }
        return try #require(answer.value)
    }

    @Test("A member's page says what is known, escapes what others have chosen, and shows no secret")
    func member() async throws {
        let member = try #require(MemberView(try Self.member()))
        let answer = try await shown { $0.memberPage(member) }
        #expect(answer.status == 200)
        #expect(!answer.body.contains("<script"))
        #expect(!answer.body.contains("<b>花子"))
        #expect(!answer.body.contains("<i>1"))
        for text in [
            "&lt;b&gt;花子&lt;/b&gt;", "M-1&quot;&gt;&lt;script&gt;", "removed", "a phone has 7 of 9",
            "automatic updates are off", "0a1b2c3d", "phone unregistered", "a_new_kind",
            "429 &lt;u&gt;TooManyRequests&lt;/u&gt;", "2026-11-03 10:00 UTC",
            "old &lt;i&gt;1&lt;/i&gt;, new 1200",
            "&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "2026-11-02 10:00 UTC",
            #"action="/console/wallet/members/\#(Self.account)/points""#,
            #"href="/console/wallet/members/\#(Self.account)/end""#,
        ] {
            #expect(answer.body.contains(text), "\(text)")
        }
    }

    @Test("Who may look, and whoever looks at a membership that has ended, sees no form")
    func noForms() async throws {
        let open = try #require(MemberView(try Self.member()))
        let over = try #require(MemberView(try Self.member(["endedAt": "2026-11-05T09:00:00Z", "name": .null])))
        let view = try await shown({ $0.memberPage(open) }, role: "view")
        let ended = try await shown { $0.memberPage(over) }
        for answer in [view, ended] {
            #expect(!answer.body.contains("/points"))
            #expect(!answer.body.contains("/end"))
        }
        // Behind the end the name is gone: the shop's own number stands in its place.
        #expect(ended.headline == "M-1&quot;&gt;&lt;script&gt;")
    }

    @Test("The list leads to each member, keeps its query in its links, and says when nobody is found")
    func list() async throws {
        let member = try #require(MemberView(try Self.member()))
        let query = try ConsoleQuery(words: "花 \"&", state: "removed", after: Self.account)
        let answer = try await shown { $0.memberList([member], query, next: member.account) }
        #expect(answer.body.contains(#"<a href="/console/wallet/members/\#(Self.account)">&lt;b&gt;花子&lt;/b&gt;</a>"#))
        #expect(answer.body.contains(#"<option value="removed" selected>removed</option>"#))
        #expect(answer.body.contains(#"value="花 &quot;&amp;""#))
        let first = "/console/wallet?q=%e8%8a%b1%20%22%26&amp;state=removed"
        #expect(answer.body.contains(#"href="\#(first)""#))
        #expect(answer.body.contains(#"href="\#(first)&amp;after=\#(Self.account)""#))
        let none = try ConsoleQuery(words: nil, state: nil, after: nil)
        let empty = try await shown({ $0.memberList([], none, next: nil) }, language: "ja")
        #expect(empty.headline == "ウォレット会員")
        #expect(empty.body.contains("該当するものはありません。"))
        #expect(!empty.body.contains("class=\"paging\""))
    }

    @Test(
        "What is no query of a list is refused",
        arguments: [
            ["a\u{0}", nil, nil], [nil, "gone", nil], [nil, "Removed", nil], [nil, nil, "x"],
            [String(repeating: "x", count: 401), nil, nil],
        ]
    )
    func wrongQueries(_ parts: [String?]) {
        #expect(throws: Failure.self) { try ConsoleQuery(words: parts[0], state: parts[1], after: parts[2]) }
    }

    @Test("Points are a whole number from 0 to 999999999; what is taken off is negative")
    func points() {
        #expect(PointsForm.number("0", how: "set").map { [$0.number, $0.isSum ? 1 : 0] } == [0, 0])
        #expect(PointsForm.number("999999999", how: "add").map { [$0.number, $0.isSum ? 1 : 0] } == [999_999_999, 1])
        #expect(PointsForm.number("5", how: "subtract").map { [$0.number, $0.isSum ? 1 : 0] } == [-5, 1])
        for text in [nil, "", "-1", "+1", "1.0", "1e3", " 1", "1000000000", "99999999999999999999", "１２"] {
            #expect(PointsForm.number(text, how: "set") == nil, "\(text ?? "nil")")
        }
        #expect(PointsForm.number("1", how: nil) == nil)
        #expect(PointsForm.number("1", how: "multiply") == nil)
    }

    @Test("The end of a membership asks for a reason first")
    func end() async throws {
        let member = try #require(MemberView(try Self.member()))
        let answer = try await shown { $0.endPage(member) }
        #expect(answer.body.contains(#"name="reason""#))
        #expect(answer.body.contains("required"))
        #expect(answer.body.contains(#"method="post" action="/console/wallet/members/\#(Self.account)/end""#))
        #expect(answer.body.contains("This cannot be undone."))
    }

    @Test("A new link stands on the page alone, with what it opens")
    func link() async throws {
        let member = try #require(MemberView(try Self.member()))
        let url = "https://shop.example/wallet/\(Self.account)?k=abc&x"
        let answer = try await shown { $0.memberPage(member, link: url) }
        #expect(answer.body.contains("<code>https://shop.example/wallet/\(Self.account)?k=abc&amp;x</code>"))
        #expect(answer.body.contains("give it to the member alone"))
    }

    @Test(
        "What is no member of ours is none",
        arguments: ["{}", "[]", #"{"accountId":"x","externalId":"m","points":1}"#]
    )
    func noMember(_ text: String) throws {
        #expect(MemberView(try JSONParser.parse(Array(text.utf8))) == nil)
    }
}

private enum Digest32Hex {
    static let zero = String(repeating: "00", count: 32)
    static var digest: Digest32? { Digest32([UInt8](repeating: 0, count: 32).span) }
}

private final class Answers: @unchecked Sendable {
    var value: Answer?
}

/// A feature with one page, which a test gives it.
private struct Shown: Feature, FeatureProcess {
    static let card = FeatureCard("shown")

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) -> Shown { self }

    func open(_ loop: LoopContext) -> Part { Part(loop) }

    final class Part: OperatorPagePart {
        final class Holder {
            var page: ((OperatorRequest) throws -> OperatorPage)?
        }

        let access: OperatorAccess?
        private let holder = Holder()

        init(_ loop: LoopContext) {
            access = loop.offered(OperatorAccess.self)
            loop.offer(holder)
        }

        static let routes: [RouteGroup<Part>] = [.operators([.page("/console/shown", "a page", Part.show)])]

        private func show(_ request: OperatorRequest) async throws -> OperatorPage {
            guard let page = holder.page else { throw Failure(.notFound) }
            return try page(request)
        }
    }
}
