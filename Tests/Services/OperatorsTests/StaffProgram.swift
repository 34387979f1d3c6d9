import EventIO
import FeatureTestKit
import HTTPCore
import Pages
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import StrictJSON
import TestKit
import Web

@testable import Operators

/// The staff's pages with a feature that has one of everything, over a scripted database.
struct StaffProgram {
    let program: ScriptedProgram
    let keysPath: String

    static let name = "Hanako <b>&\"Yamada"
    static let viewer = "閲覧 太郎"
    static let key = "sok_" + String(repeating: "A", count: 43)
    static let viewerKey = "sok_" + String(repeating: "B", count: 43)
    static let cookie = "__Host-operator"
    static let token = String(repeating: "t", count: 42) + "A"
    static let session = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)

    /// The lines of a file of keys.
    static let keys = """
        # The staff.
        \(OperatorRoster.Member(name: name, role: .change, hash: OperatorKey.hash(of: key)).line)
        \(OperatorRoster.Member(name: viewer, role: .view, hash: OperatorKey.hash(of: viewerKey)).line)

        """

    /// Runs a body with the pages.
    static func run(
        _ settings: [String: String] = [:],
        _ body: @escaping @Sendable (StaffProgram) async throws -> Void
    ) async throws {
        let path = try ProcessFolder.makeFolder("operators") + "/keys"
        try Files.write(path, Array(keys.utf8), mode: 0o600)
        let all = ["operators.keys_file": path].merging(settings) { $1 }
        try await ScriptedProgram.run(FeatureSet([OperatorPages.self, Board.self]), all) { program in
            try await body(StaffProgram(program: program, keysPath: path))
        }
    }

    /// Asks the administration listener as a browser on one of its pages does.
    func ask(
        _ method: HTTPMethod,
        _ target: String,
        fields: [(HTTPFieldName, String)] = [(.origin, "https://console.example"), (.acceptLanguage, "en")],
        token: String? = StaffProgram.token,
        from peer: PeerAddress = .unknown,
        body: String? = nil
    ) async throws -> Answer {
        try await program.ask(
            method,
            target,
            host: ScriptedProgram.adminHost,
            fields: fields,
            cookies: token.map { [(StaffProgram.cookie, $0)] } ?? [],
            from: peer,
            body: body
        )
    }

    /// Has the next request find a session.
    func signedIn(_ name: String = StaffProgram.name, key: String = StaffProgram.key, notice: String? = nil) {
        var row = Parameters()
        row.append(uuid: StaffProgram.session)
        row.append(text: name)
        row.append(digest: OperatorKey.hash(of: key))
        row.append(text: notice)
        program.database.answer("operator_session_read", row)
    }

    /// Has the next decision be recorded.
    func recorded(isCompleted: Bool = true) {
        var opened = Parameters()
        opened.append(int64: 7)
        opened.append(uuid: StaffProgram.session)
        program.database.answer("operator_begin", opened)
        guard isCompleted else { return }
        var done = Parameters()
        done.append(bool: true)
        program.database.answer("operator_end", done)
    }

    /// What a form of the session shows.
    static var word: String { OperatorToken(token.utf8.span)?.formWord ?? "" }

    /// What the sign-in form sends.
    static func signIn(_ name: String = name, _ key: String = key, next: String = "") -> String {
        "name=\(escaped(name))&key=\(escaped(key))&next=\(escaped(next))"
    }

    /// A text as a form has it.
    static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + Hex.encode([$0]) }.joined()
    }
}

/// A feature with a page that everybody sees, one for those who may change things, and a form.
struct Board: Feature, FeatureProcess {
    static let card = FeatureCard(
        "board",
        slots: [
            OperatorMenuEntry("/console/board", Localized("掲示板", "Board")),
            OperatorMenuEntry("/console/board/secrets", Localized("秘密", "Secrets"), role: .change),
        ]
    )

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) -> Board { self }

    func open(_ loop: LoopContext) -> Part { Part(loop) }

    final class Part: OperatorPagePart {
        private let loop: LoopContext
        let access: OperatorAccess?
        private(set) var texts: [String] = []

        init(_ loop: LoopContext) {
            self.loop = loop
            access = loop.offered(OperatorAccess.self)
        }

        static let routes: [RouteGroup<Part>] = [
            .operators([
                .page("/console/board", "the board", Part.show),
                .page("/console/board/secrets", "its secrets", role: .change, Part.show),
                .change("/console/board/write", "write on it", fields: ["text", "reason"], Part.write),
            ])
        ]

        private func show(_ request: OperatorRequest) async throws -> OperatorPage {
            OperatorPage(
                request.text(Localized("掲示板", "Board")),
                """
                \(request.search(.operators("/console/board"), "q", Localized("検索語", "Words"), value: "a\"b"))
                \(request.table(Localized("掲示", "Notes"), [Localized("文", "Text")], texts.map { ["\($0)"] }))
                """
            )
        }

        private func write(_ request: OperatorRequest) async throws -> OperatorAnswer {
            let (text, trail) = (try request.required("text"), try request.demandedTrail())
            let decision = OperatorTrail.Decision(command: "board write", target: "board")
            try await trail.record(decision, loop.database, { self.texts.append(text) }, after: { _ in ["done": true] })
            return .done(.operators("/console/board"), "Written: \(text)")
        }
    }
}
