import Accounts
import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import Operations
package import Operators
import Pages
import Postgres
import Primitives
import ServerCore
package import ServiceAPI
import StrictJSON
package import Web
import Webhooks

/// Notes on one loop.
package final class NotesPart: OperatorPagePart, ServiceRouted {
    static let cookie = "__Host-note"

    /// `nil` where the shop's staff has no pages.
    package let access: OperatorAccess?
    private let loop: LoopContext
    private let frames: EachLanguage<Frame>
    private let stamps: any HTTPExchange
    private let stampURL: String
    private let origin: String
    private let replies: AddressRateLimit
    /// `nil` where there are no keys to seal replies under.
    private let seal: KeyringSeal?

    init(
        _ loop: LoopContext,
        stamps url: String,
        origin: String,
        _ replies: AddressRateLimit,
        _ keyring: Keyring?
    ) throws {
        seal = try keyring.map { try KeyringSeal($0, purpose: SealedColumn.noteReply.purpose) }
        self.loop = loop
        access = loop.offered(OperatorAccess.self)
        self.origin = origin
        self.replies = replies
        var purpose = OutboundPurpose("stamps")
        purpose.breaker = CircuitBreaker.Policy()
        stamps = loop.client(purpose)
        stampURL = url
        frames = try loop.demanded(EachLanguage<Frame>.self)
        try loop.part(WebhookDelivery.self).handle(.notesCounted) { [database = loop.database] event in
            _ = try await database.work(NoteStatement.counted(event.subject.id, event.sequence))
        }
    }

    /// What buyers and the shop's staff ask for.
    package static let routes: [RouteGroup<NotesPart>] = [
        .operators([.page("/console/notes", "how many notes there are", NotesPart.overview)]),
        RouteGroup(
            on: .web,
            .page,
            [
                Route(.get, "/notes/{note}", "a note", NotesPart.show),
                Route(.post, "/notes/{note}", "reply to it", bodyLimit: 1_024, NotesPart.reply)
                    .guarded { part, request throws(Failure) in
                        try request.requireSameOrigin(as: part.origin)
                        try part.replies.take(request.peer.keys, at: part.loop.reactor.now)
                    },
            ]
        ),
    ]

    /// What merchants' programs and apps ask for.
    package static let serviceRoutes = [
        ServiceRoute<NotesPart>(.writeNote) { call throws(Failure) in try await call.part.write(call) },
        ServiceRoute(.readOwnNotes) { call throws(Failure) in
            let (part, account) = (call.part, try call.account)
            let texts = try await Failure.mapErrors {
                try await part.loop.database.read(NoteStatement.export(account)).all()
            }
            return ServiceAnswer(.ok, ["notes": .array(texts.map(JSONValue.string))])
        },
    ]

    private func overview(_ request: OperatorRequest) async throws -> OperatorPage {
        let count = try await loop.database.read(NoteStatement.count()).first()
        return OperatorPage(request.text(OperatorMenuEntry.notes.title), "<p>\(String(count))</p>")
    }

    private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (note, text) = try await found(request)
        let wasSeen = try request.cookie(NotesPart.cookie) { UUIDBytes($0.text) } == note
        let seen = Localized("このメモはすでにご覧になっています。", "You have read this note before.")
        let heading = Localized("お店からのメモ", "A note from the shop")
        let paragraphs = [Localized(text, text)] + (wasSeen ? [seen] : [])
        var response = frames.answer(heading, paragraphs, to: request, loop.headers)
        let cookie = SetCookie(NotesPart.cookie, note.description, sameSite: .lax, maxAge: 3_600)
        if let cookie { response.set(cookie) }
        return response
    }

    private func reply(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (note, _) = try await found(request)
        let text = try request.form(["text"]).required("text")
        guard let seal else { throw Failure(.unavailable, "no keys to seal a reply under") }
        let sealed = try seal.seal(Array(text.utf8), of: [note.description], random: loop.reactor.random)
        // A reply that has begun is written although its sender hangs up.
        let rows = try await loop.shield.runToCompletion { () async throws in
            try await self.loop.database.write(NoteStatement.reply(note, sealed), key: note)
        }
        guard rows.count == 1 else { throw Failure(.noteReplied) }
        return HTTPResponse(.noContent, block: loop.headers.plain)
    }

    private func write(_ call: ServiceCall<NotesPart>) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let text = try Failure.cleaned(
            Failure.reading { () throws(JSONRefusal) in try body.text("text") },
            "text",
            1...4_000
        )
        let rest = body
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        let (board, claim, stamp) = (try call.id(), try call.claim(), try await stamp())
        let note = UUIDBytes(version7At: call.now, random: loop.reactor.random)
        let answer = ServiceAnswer(.created, ["id": .string(note.description)])
        let statement = NoteStatement.write(note, board, text + " (\(stamp))", claim, answer.body)
        let written = try await Failure.mapErrors {
            try await loop.database.write(statement, key: claim.lockKey).count == 1
        }
        return written ? answer : try await call.replay(of: claim)
    }

    /// The stamp of the office, which is asked before anything is written.
    private func stamp() async throws(Failure) -> String {
        do throws(HTTPExchangeError) {
            let answer = try await stamps.send(OutboundRequest(method: "GET", url: stampURL))
            return String(decoding: answer.body, as: UTF8.self)
        } catch {
            throw Failure(.unavailable, error.description, retryAfter: 1)
        }
    }

    private func found(_ request: HTTPRequest) async throws -> (note: UUIDBytes, text: String) {
        guard let note = UUIDBytes(request.capture(0)) else { throw Failure(.notFound) }
        let rows = try await loop.database.read(NoteStatement.read(note))
        guard let text = try rows.single() else { throw Failure(.notFound) }
        return (note, text)
    }
}
