import Accounts
import Cryptography
import HTTPClient
import HTTPCore
package import Operations
import Operators
import Postgres
import Primitives
package import ServerCore
import ServiceAPI
package import Settings
import StrictJSON
import Web
import Webhooks

/// Notes that merchants leave for buyers, who may reply: a feature with one of everything.
package struct Notes: Feature, FeatureProcess {
    private let keep: Duration
    private let stampURL: String
    /// Replies of an address.
    private let replies = AddressRateLimit(perMinute: 10)
    private var origin = ""
    private var keyring: Keyring?

    package static let card = FeatureCard(
        "notes",
        needs: [ServiceFeature.self, AccountsFeature.self, WebhookDelivery.self],
        commands: [
            FeatureCommand(of: Notes.self, "notes", "count the notes") { _, input, database in
                let count = try await database.connected { try await $1.read(NoteStatement.count()).first() }
                input.console.print("\(count)")
                return 0
            }
        ],
        statements: .own(NoteStatement.all, sealed: [.noteReply]),
        failures: [.noteReplied],
        cookies: [NotesPart.cookie],
        slots: [
            Scope.notesWrite, WebhookEventType.noteWritten, EventSubscription.notesCounted, AccountData.notes,
            OperatorMenuEntry.notes, AppScope.notes,
        ]
    )

    package init(_ settings: inout SettingReader) {
        keep = settings.duration(
            "notes.keep",
            60...31_536_000,
            .seconds(720 * 3_600),
            "how long a note is kept behind its month"
        )
        stampURL = settings.text("notes.stamp_url", "", "where notes are stamped; empty: there are no notes")
    }

    package var state: FeatureState { stampURL.isEmpty ? .off(set: ["notes.stamp_url"]) : .on }

    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard keep < .seconds(86_400) else { return [] }
        return [Finding("N01", .warning, "notes.keep", "Notes are gone within a day.", remedy: "Keep them longer.")]
    }

    package func start(_ process: ProcessContext) -> Notes {
        var shared = self
        shared.origin = process.web.text
        shared.keyring = process.keyring
        return shared
    }

    package var retentions: [Retention] { [Retention("shop_note", keep: keep)] }

    package func open(_ loop: LoopContext) throws -> NotesPart {
        let part = try NotesPart(loop, stamps: stampURL + "/stamp", origin: origin, replies, keyring)
        try loop.part(ServiceFeature.self).serve(part)
        return part
    }

    package func probe(_ context: ProbeContext) async -> [Finding] {
        do {
            let request = OutboundRequest(method: "GET", url: stampURL + "/stamp")
            let stamp = String(decoding: try await CurlClient(context.reactor).send(request).body, as: UTF8.self)
            return [Finding("N02", .note, "notes.stamp_url", "The stamp is \(stamp).")]
        } catch {
            return [Finding("N02", .error, "notes.stamp_url", "Nothing answers: \(error).")]
        }
    }
}

/// What is sent to the database.
enum NoteStatement {
    static let all = [
        write.statement, read.statement, reply.statement, counted.statement, count.statement, export.statement,
        erase.statement,
    ]

    /// Claim, note, event and answer are one commit.
    static let write = TypedStatement<Void, UUIDBytes, UUIDBytes, String, IdempotencyClaim, [UInt8]>(
        name: "note_write",
        sql: """
            WITH \(ClaimSQL.claim(first: 4, webviewSession: "NULL::uuid", status: "201", answer: "$7")), n AS (
                INSERT INTO shop_note SELECT $1, $2, $3 WHERE EXISTS (SELECT FROM i) RETURNING note_id, board)
            SELECT event_announce('board', n.board, 'note.written', json_build_object('note', n.note_id)) FROM n
            """
    )
    static let read = TypedStatement<String, UUIDBytes>(
        name: "note_read",
        sql: "SELECT text FROM shop_note WHERE note_id = $1"
    )
    static let reply = TypedStatement<Void, UUIDBytes, [UInt8]>(
        name: "note_reply",
        sql: "UPDATE shop_note SET reply = $2 WHERE note_id = $1 AND reply IS NULL RETURNING 1"
    )
    static let counted = TypedStatement<Void, UUIDBytes, Int64>(
        name: "note_counted",
        sql: """
            INSERT INTO note_count AS c VALUES ($1, $2, 1)
            ON CONFLICT (board) DO UPDATE SET last = excluded.last, notes = c.notes + 1 WHERE c.last = excluded.last - 1
            """
    )
    static let count = TypedStatement<Int>(
        name: "note_count",
        sql: "SELECT coalesce(sum(notes), 0)::bigint FROM note_count"
    )
}

extension NoteStatement {
    /// The notes on a board that is an account's.
    static let export = TypedStatement<String, UUIDBytes>(
        name: "note_export",
        sql: "SELECT text FROM shop_note WHERE board = $1 AND text <> ''"
    )
    static let erase = TypedStatement<Void, UUIDBytes>(
        name: "note_erase",
        sql: "UPDATE shop_note SET text = '', reply = NULL WHERE board = $1 AND text <> '' RETURNING 1"
    )
}

extension AccountData {
    /// A board may be an account: its notes are the person's.
    static let notes = AccountData(
        "notes",
        erase: { database, account in
            let erased = try await database.work(NoteStatement.erase(account)).count
            return AccountErasure(erased > 0 ? ["notes": erased] : [:])
        },
        export: { database, account in
            let texts = try await database.read(NoteStatement.export(account))
            return texts.count == 0 ? .null : .array(try texts.all().map(JSONValue.string))
        }
    )
}

extension OperatorMenuEntry {
    static let notes = OperatorMenuEntry("/console/notes", Localized("メモ", "Notes"))
}

extension SealedColumn {
    static let noteReply = SealedColumn("shop_note", key: [.uuid("note_id")], "reply", purpose: "note")
}

extension Scope {
    static let notesWrite = Scope("notes:write")
}

extension AppScope {
    static let notes = AppScope("notes")
}

extension RouteDescription {
    private static let notes = Group("notes", "notes for buyers")

    static let writeNote = RouteDescription(
        .post,
        "/v1/notes/{board}",
        "writeNote",
        notes,
        .notesWrite,
        "leave a note",
        writing
    )

    static let readOwnNotes = RouteDescription(
        .get,
        "/app/v1/notes",
        "readOwnNotes",
        notes,
        .notes,
        "read the notes for the account",
        Shape(
            .ok,
            .object([.required("notes", .list(.text(1...4_100), 0...100_000))]),
            AnswerExample("Notes", "notes", ["notes": ["Tea is ready"]])
        )
    )

    private static var writing: Shape {
        let note = Schema.object([.required("id", .matching(SchemaPattern.uuid))])
        let example = AnswerExample("Note", "a new note", ["id": "01900000-0000-7000-8000-000000000001"])
        var shape = Shape(.created, note, example)
        shape.body = .object([.required("text", .printable(1...4_000))])
        shape.example = #"{"text":"Tea is ready"}"#
        shape.bodyLimit = 16_384
        return shape
    }
}

extension WebhookEventType {
    static let noteWritten = WebhookEventType("note.written")
}

extension EventSubscription {
    static let notesCounted = EventSubscription("notes.count", to: [.noteWritten])
}

extension FailureCode {
    static let noteReplied = FailureCode(
        "note_replied",
        .conflict,
        "The note has a reply.",
        page: FailureNotice(
            headline: Localized("返信済みです", "There is a reply"),
            detail: Localized("このメモには返信があります。", "This note has a reply already.")
        )
    )
}
