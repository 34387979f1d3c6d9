import Cryptography
import EventIO
import HTTPCore
package import Operations
import Pages
import Postgres
import Primitives
import ServerCore
import StrictJSON
import Telemetry
package import Web

/// The staff's own pages on one loop: sign-in, start, sessions, record of decisions.
package final class OperatorPart: OperatorPagePart {
    private let process: OperatorProcess
    private let loop: LoopContext
    private let staff: OperatorAccess
    private var lines = LogBudgets<OperatorSignInLimits.Outcome>(perSecond: 5)

    /// Its own pages are always served.
    package var access: OperatorAccess? { staff }

    init(_ process: OperatorProcess, _ loop: LoopContext) throws {
        self.process = process
        self.loop = loop
        let frames = OperatorFrames(try loop.demanded(EachLanguage<Frame>.self), process.menu, loop.headers)
        staff = OperatorAccess(process, loop, frames)
        loop.offer(staff)
        loop.offer(SignInPaths([OperatorAccess.root, OperatorAccess.root + "/", "/static/"]))
    }

    package static let routes: [RouteGroup<OperatorPart>] = [
        RouteGroup(
            on: .admin,
            .operators,
            prefix: "/console/",
            bodyLimit: OperatorAccess.bodyLimit,
            [
                Route(.get, "/console/sign-in", "the staff's sign-in", OperatorPart.signInPage),
                Route(.post, "/console/sign-in", "sign in with name and key", OperatorPart.signIn),
            ]
        ),
        .operators([
            .page("/console", "the staff's start page", OperatorPart.start),
            .change("/console/sign-out", "end this session", role: .view, fields: [], OperatorPart.signOut),
            .page("/console/sessions", "own sessions", OperatorPart.sessions),
            .change("/console/sessions/end", "end a session", role: .view, fields: ["session"], OperatorPart.end),
            .page("/console/decisions", "record of decisions", OperatorPart.decisions),
        ]),
    ]

    package func mount(_ routes: inout Routes) throws(RouteError) {
        try routes.use(OperatorRefusals(staff.frames, loop.refusals), as: .operators, on: .admin)
        for group in OperatorPart.routes { try routes.mount(group, on: self) }
        // The files of the shop's pages are on the public hosts alone.
        let files = process.process.assets.files.map { file in
            let type = HTTPField(.contentType, file.contentType).map { [$0] } ?? []
            let answer = FixedAnswer(file.bytes, block: loop.headers.clearAsset.adding(type))
            return Route<OperatorPart>(.get, RoutePattern(file.urlPath), "a static file", .fixed { _ in answer })
        }
        try routes.mount(RouteGroup(on: .admin, .operators, files), on: self)
    }

    package func schedule(_ jobs: JobSchedule) {
        jobs.upkeep?
            .add { [database = loop.database, times = process.times, logger = loop.logger] in
                do throws(StoreError) {
                    return try await database.work(OperatorStatement.prune(times.idle, times.absolute)).affectedCount
                        == 500
                } catch {
                    logger.warning("operators.prune_failed", [LogField("detail", error.debugDescription)])
                    return false
                }
            }
    }
}

// MARK: - Sign-in

extension OperatorPart {
    private func signInPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try staff.origin(of: request)
        let next = try request.parameter("next").flatMap(OperatorReturn.init)
        let isSignedOut = try request.parameter("signed").map { $0.octets == "out" } ?? false
        return form(request, next, notice: isSignedOut ? OperatorTexts.signedOut : nil)
    }

    private func form(
        _ request: HTTPRequest,
        _ next: OperatorReturn?,
        notice: Localized? = nil,
        problem: Failure? = nil
    ) -> HTTPResponse {
        let language = Language(preferredBy: request)
        func text(_ localized: Localized) -> String { localized.text(in: language) }
        let wanted: Markup<Never> =
            next.map { #"<input type="hidden" name="next" value="\#($0.target)">"# as Markup<Never> } ?? ""
        let page = OperatorPage(
            text(OperatorTexts.signIn),
            problem: problem.map { text($0.operatorNotice.detail) },
            status: problem?.code.status ?? .ok,
            """
            <section class="card"\(problem.map { #" data-error="\#($0.code.name)""# as Markup<Never> } ?? "")>
            <form class="fields" method="post" action="\(LinkTarget.signIn)">
            \(wanted)<div class="field"><label for="name">\(text(OperatorTexts.name))</label>
            <input id="name" name="name" autocomplete="username" autocapitalize="none" maxlength="100" required></div>
            <div class="field"><label for="key">\(text(OperatorTexts.key))</label>
            <input id="key" name="key" type="password" autocomplete="current-password" maxlength="100" required \
            aria-describedby="key-hint">
            <p class="note" id="key-hint">\(text(OperatorTexts.keyHint))</p></div>
            <p class="choices"><button class="button button-main" type="submit">\(text(OperatorTexts.signIn))</button></p>
            </form>
            </section>
            """
        )
        return staff.frames.answer(page, to: request, nil, notice: notice.map(text))
    }

    private func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.requireSameOrigin(as: try staff.origin(of: request))
        let fields = try request.form(["name", "key", "next"])
        let next = fields["next"].flatMap(OperatorReturn.init)
        let name = fields["name"] ?? ""
        do throws(Failure) {
            guard let member = process.people.member(named: name, showing: fields["key"] ?? "") else {
                try process.limits.refuse(request.peer.keys, name: name, at: loop.reactor.now)
                note(.refused, request, process.people.member(named: name))
                throw Failure(.operatorSignInRefused)
            }
            return try await open(member, next, request)
        } catch {
            guard error.code == .operatorSignInRefused || error.code == .rateLimited else { throw error }
            var response = form(request, next, problem: error)
            if let seconds = error.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
            return response
        }
    }

    /// A new token for each sign-in: one that a browser has before opens nothing.
    private func open(
        _ member: OperatorRoster.Member,
        _ next: OperatorReturn?,
        _ request: HTTPRequest
    ) async throws(Failure) -> HTTPResponse {
        let token = OperatorToken.make(random: loop.reactor.random)
        let id = UUIDBytes(version7At: SystemClock().now(), random: loop.reactor.random)
        let decision = OperatorTrail.Decision(command: "console sign-in", target: id.description)
        try await record(decision, by: member.name) { () async throws(StoreError) in
            let call = OperatorStatement.open(token.hash, id, member.name, member.hash, request.peer.truncated)
            _ = try await self.loop.database.work(call)
        }
        process.limits.note(.accepted)
        note(.accepted, request, member)
        var response = staff.frames.redirect(to: next?.target ?? .start)
        process.cookie.set(token, on: &response)
        return response
    }

    /// Writes a decision down, carries it out, and completes the record.
    private func record(
        _ decision: OperatorTrail.Decision,
        by name: String,
        _ body: () async throws(StoreError) -> Void
    ) async throws(Failure) {
        guard let trail = OperatorTrail(name: name) else { throw Failure(.internalError, "a name that no trail takes") }
        try await Failure.mapErrors {
            try await trail.record(decision, self.loop.database, body, after: { _ in ["done": .bool(true)] })
        }
    }

    /// Only names that are in the file are logged: somebody may have typed the key in their place.
    private func note(_ outcome: OperatorSignInLimits.Outcome, _ request: HTTPRequest, _ member: OperatorRoster.Member?)
    {
        guard let unwritten = lines.take(outcome, at: loop.reactor.now) else { return }
        let fields = [
            LogField("outcome", outcome.rawValue), LogField("operator", member?.name ?? "unknown"),
            LogField("network", request.peer.truncated), LogField("unwritten", unwritten),
        ]
        loop.logger.log(outcome == .accepted ? .info : .warning, "operators.sign_in", fields)
    }

    private func signOut(_ request: OperatorRequest) async throws -> OperatorAnswer {
        let decision = OperatorTrail.Decision(command: "console sign-out", target: request.session.id.description)
        try await record(decision, by: request.session.name) { () async throws(StoreError) in
            _ = try await self.loop.database.work(OperatorStatement.close(request.session.token.hash))
        }
        return .signedOut
    }
}

// MARK: - Pages

extension OperatorPart {
    private func start(_ request: OperatorRequest) async throws -> OperatorPage {
        let places = process.menu.filter { $0.path != .start && request.session.role.includes($0.role) }
        let links = Markup<Never>(each: places) { entry in
            #"<li><a href="\#(entry.path)">\#(request.text(entry.title))</a></li>"#
        }
        let role = request.mayChange ? OperatorTexts.roleChange : OperatorTexts.roleView
        let facts = [
            OperatorFact(OperatorTexts.person, "\(request.session.name)"),
            OperatorFact(OperatorTexts.role, "\(request.text(role))"),
        ]
        return OperatorPage(
            request.text(OperatorTexts.start),
            """
            <section class="card">
            \(request.facts(facts))
            </section>
            <section class="card"><ul class="places">\(links)</ul></section>
            """
        )
    }

    private func sessions(_ request: OperatorRequest) async throws -> OperatorPage {
        let call = OperatorStatement.list(request.session.name, process.times.idle, process.times.absolute)
        let found = try await loop.database.read(call).all()
        let rows = found.map { session -> [Markup<Never>] in
            let isOwn = session.id == request.session.id
            let end: Markup<Never> =
                isOwn ? "\(request.text(OperatorTexts.thisSession))" : ending(request, session.id.description)
            return [request.time(session.opened), request.time(session.seen), "\(session.network)", end]
        }
        let headings = [OperatorTexts.opened, OperatorTexts.seen, OperatorTexts.network, OperatorTexts.action]
        let others: Markup<Never> = found.count > 1 ? ending(request, "others") : ""
        return OperatorPage(
            request.text(OperatorTexts.sessions),
            "\(request.table(OperatorTexts.sessions, headings, rows))\(others)"
        )
    }

    private func ending(_ request: OperatorRequest, _ session: String) -> Markup<Never> {
        let title = session.octets == "others" ? OperatorTexts.endOthers : OperatorTexts.endSession
        return request.form(
            LinkTarget(own: "/console/sessions/end"),
            """
            <input type="hidden" name="session" value="\(session)">
            <button class="button" type="submit">\(request.text(title))</button>
            """
        )
    }

    private func end(_ request: OperatorRequest) async throws -> OperatorAnswer {
        let wanted = try request.required("session")
        let (name, own) = (request.session.name, request.session.id)
        if wanted.octets == "others" {
            let decision = OperatorTrail.Decision(command: "console end-sessions", target: own.description)
            try await record(decision, by: name) { () async throws(StoreError) in
                _ = try await self.loop.database.work(OperatorStatement.endOthers(name, own))
            }
            return .done(.sessions, request.text(OperatorTexts.othersEnded))
        }
        guard let session = UUIDBytes(wanted) else { throw Failure(.invalidRequest, "session is no id") }
        let decision = OperatorTrail.Decision(command: "console end-session", target: session.description)
        try await record(decision, by: name) { () async throws(StoreError) in
            _ = try await self.loop.database.work(OperatorStatement.end(session, name))
        }
        return .done(.sessions, request.text(OperatorTexts.sessionEnded))
    }

    private static let pageLength = 50

    private func decisions(_ request: OperatorRequest) async throws -> OperatorPage {
        let name = try request.http.parameter("person") ?? ""
        guard name.utf8.count <= 400, !name.utf8.contains(0) else {
            throw Failure(.invalidRequest, "person is no name")
        }
        let before = try request.http.parameter("before")
        let number = try before.map { text throws(Failure) in
            guard let number = Int64(text), number > 0 else { throw Failure(.invalidRequest, "before is no number") }
            return number
        }
        let limit = OperatorPart.pageLength + 1
        let call =
            name.isEmpty
            ? OperatorStatement.audit(number ?? .max, limit) : OperatorStatement.auditOf(name, number ?? .max, limit)
        let found = try await loop.database.read(call).all()
        let rows = found.prefix(OperatorPart.pageLength).map { decision -> [Markup<Never>] in
            let done = decision.refusal == nil ? OperatorTexts.carriedOut : OperatorTexts.refused
            let result = decision.ended == nil ? OperatorTexts.cutOff : done
            return [
                request.time(decision.at), "\(decision.name)", "\(decision.command)",
                "<code>\(decision.target)</code>", "\(decision.reason ?? "")", "\(request.text(result))",
            ]
        }
        func page(_ before: String) -> LinkTarget {
            .operators("/console/decisions", query: ["person": name, "before": before])
        }
        let isLonger = found.count > OperatorPart.pageLength
        let last = rows.isEmpty ? nil : found[rows.count - 1].number
        let next = isLonger ? last.map { page(String($0)) } : nil
        let headings = [
            OperatorTexts.time, OperatorTexts.person, OperatorTexts.action, OperatorTexts.target, OperatorTexts.reason,
            OperatorTexts.result,
        ]
        return OperatorPage(
            request.text(OperatorTexts.decisions),
            """
            \(request.search(.decisions, "person", OperatorTexts.person, value: name))
            \(request.table(OperatorTexts.decisions, headings, Array(rows)))
            \(request.paging(first: before == nil ? nil : page(""), next: next))
            """
        )
    }
}

extension OperatorMenuEntry {
    /// Of this feature.
    static let own = [
        OperatorMenuEntry("/console", OperatorTexts.start),
        OperatorMenuEntry("/console/decisions", OperatorTexts.decisions),
        OperatorMenuEntry("/console/sessions", OperatorTexts.sessions),
    ]
}
