import Cryptography
import EventIO
import HTTPCore
import Pages
import Postgres
import Primitives
import ServerCore
import Telemetry
import Web

/// What pages of the staff go through on a loop: sign-in, role, form word, frame, refusals.
///
/// Offered on the loop; a feature whose part has pages finds it there.
package final class OperatorAccess {
    private let process: OperatorProcess
    private let loop: LoopContext
    let frames: OperatorFrames

    /// Bytes that a form has at most.
    package static let bodyLimit = 16_384
    /// The path of the start page; all others stand below it.
    package static let root = "/console"
    /// The field of a form that shows the word of its session.
    static let wordField = "form"

    init(_ process: OperatorProcess, _ loop: LoopContext, _ frames: OperatorFrames) {
        self.process = process
        self.loop = loop
        self.frames = frames
    }

    /// Answers with a page.
    func page(
        _ request: HTTPRequest,
        for role: OperatorRole,
        _ body: (OperatorRequest) async throws -> OperatorPage
    ) async throws(Failure) -> HTTPResponse {
        _ = try origin(of: request)
        guard let session = try await session(of: request) else { return signIn(request) }
        do {
            try demand(role, of: session)
            return frames.answer(try await body(asked(request, session, nil)), to: request, session)
        } catch {
            return refusal(Failure(error), request, session)
        }
    }

    /// Answers a form.
    func change(
        _ request: HTTPRequest,
        for role: OperatorRole,
        _ fields: [String],
        _ body: (OperatorRequest) async throws -> OperatorAnswer
    ) async throws(Failure) -> HTTPResponse {
        try request.requireSameOrigin(as: try origin(of: request))
        guard let session = try await session(of: request) else { return signIn(request) }
        do {
            let form = try request.form(fields + [OperatorAccess.wordField])
            guard session.token.admits(form[OperatorAccess.wordField]) else { throw Failure(.operatorFormExpired) }
            try demand(role, of: session)
            switch try await body(asked(request, session, form)) {
            case .page(let page): return frames.answer(page, to: request, session)
            case .done(let target, let notice):
                await show(notice, session)
                return frames.redirect(to: target)
            case .signedOut:
                var response = frames.redirect(to: .operators("/console/sign-in", query: ["signed": "out"]))
                process.cookie.clear(on: &response)
                return response
            }
        } catch {
            return refusal(Failure(error), request, session)
        }
    }

    /// The origin of our pages that a request belongs to.
    ///
    /// - Throws: `not_found` for another host.
    func origin(of request: HTTPRequest) throws(Failure) -> String {
        guard let origin = process.listener.ownOrigin(of: request) else { throw Failure(.notFound, "another host") }
        return origin
    }

    /// The session of a request; `nil` where there is none, it has ended, or the person has lost the key that opened it.
    func session(of request: HTTPRequest) async throws(Failure) -> OperatorSession? {
        guard let token = try process.cookie.token(request) else { return nil }
        let call = OperatorStatement.read(token.hash, process.times.idle, process.times.absolute)
        let found: OperatorStatement.Found?
        do throws(StoreError) {
            found = try await loop.database.work(call).single()
        } catch {
            throw Failure(error)
        }
        guard let found, let member = process.people.member(named: found.name), member.hash == found.key else {
            return nil
        }
        return OperatorSession(
            id: found.id,
            name: member.name,
            role: member.role,
            notice: found.notice,
            token: token
        )
    }

    /// Has the next page of a session say something, once.
    ///
    /// What it is about is done: where it cannot be stored, the next page says nothing.
    private func show(_ notice: String, _ session: OperatorSession) async {
        do throws(StoreError) {
            _ = try await loop.database.work(OperatorStatement.note(session.token.hash, notice))
        } catch {
            loop.logger.warning("operators.notice_lost", [LogField("detail", error.debugDescription)])
        }
    }

    private func demand(_ role: OperatorRole, of session: OperatorSession) throws(Failure) {
        guard session.role.includes(role) else { throw Failure(.operatorRoleMissing) }
    }

    private func asked(_ request: HTTPRequest, _ session: OperatorSession, _ form: FormFields?) -> OperatorRequest {
        OperatorRequest(http: request, session: session, language: Language(preferredBy: request), fields: form)
    }

    /// Sends whoever is not signed in to the page for it; from there a page that was asked for is found again.
    private func signIn(_ request: HTTPRequest) -> HTTPResponse {
        let isPage = request.method == .get || request.method == .head
        let wanted = isPage ? OperatorReturn(request.query.map { "\(request.path)?\($0)" } ?? request.path) : nil
        var response = frames.redirect(to: OperatorReturn.signIn(wanted))
        if request.count(.cookie) > 0 { process.cookie.clear(on: &response) }
        return response
    }

    private func refusal(_ failure: Failure, _ request: HTTPRequest, _ session: OperatorSession) -> HTTPResponse {
        loop.refusals.note(failure, of: request)
        return frames.refusal(failure, of: request, session: session)
    }
}

/// The page to which a sign-in leads: one of the staff's own, never another address.
struct OperatorReturn {
    let target: LinkTarget

    /// The greatest length.
    private static let limit = 512

    /// The page of a text; `nil` for anything else.
    init?(_ text: String) {
        let path = text.octets.parts(between: UInt8(ascii: "?"), limit: 1)[0].octets
        guard text.utf8.count <= OperatorReturn.limit, !path.utf8.elementsEqual("/console/sign-in".utf8),
            path == OperatorAccess.root.octets || path.starts(with: "/console/"),
            let target = LinkTarget(text)
        else { return nil }
        self.target = target
    }

    /// The address of the sign-in that leads to a page.
    static func signIn(_ wanted: OperatorReturn?) -> LinkTarget {
        guard let wanted, wanted.target != .start else { return .signIn }
        return .operators("/console/sign-in", query: ["next": wanted.target.text])
    }
}
