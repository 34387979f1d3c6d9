import Cryptography
import OpenID
import Primitives
import SimulatorCore

// The authorization endpoint: who the user is, what the user does, and the answer to the client.

extension LoginModel {
    /// Answers a browser that a client has sent.
    mutating func authorize(_ face: ProviderFace, _ request: SimulatorRequest) -> SimulatorAnswer {
        let isPosted = request.method.octets == "POST"
        let text = isPosted ? String(decoding: request.body, as: UTF8.self) : request.query
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let query: AuthorizationQuery
        do throws(AuthorizationQuery.Refusal) {
            query = try AuthorizationQuery(face, text) { client($0) }
        } catch {
            return LoginPages(language, face).refusal(error)
        }
        if let problem = query.problem { return answer(query, error: problem.error, problem.description) }
        if !state.pilots.isEmpty { return follow(state.pilots.removeFirst(), query) }
        let session = request.cookie(LoginPages.cookie).flatMap { state.sessions[$0] }
        let isFresh = session.map { self.isFresh($0, query) } ?? false
        if query.prompts.contains("none") {
            guard let session, isFresh else { return answer(query, error: "login_required", "prompt=none") }
            guard state.grants.hasConsent(session.user, query.client.id) else {
                return answer(query, error: "consent_required", "prompt=none")
            }
            return grant(query, to: session)
        }
        if let session, isFresh, query.prompts.isEmpty, state.grants.hasConsent(session.user, query.client.id) {
            return grant(query, to: session)
        }
        let id = mint.token()
        state.pending[id] = query
        let pages = LoginPages(language, face)
        let known = query.prompts.contains("select_account") ? nil : isFresh ? session?.user : nil
        return known.map { pages.consent(id, query, $0) } ?? pages.login(id, isWrong: false)
    }

    /// Takes a step on a page: a user logs in, agrees or declines.
    mutating func step(_ face: ProviderFace, _ request: SimulatorRequest) -> SimulatorAnswer {
        let pages = LoginPages(PageLanguage(acceptLanguage: request.first("accept-language")), face)
        guard request.method.octets == "POST", let form = LoginForm(request.body), let query = state.pending[form.id]
        else { return pages.over() }
        switch form.step {
        case .login(let user, let password):
            guard SimulatedUser.all.contains(where: { $0.name.octets == user.octets }), password.octets != "wrong"
            else {
                return pages.login(form.id, isWrong: true)
            }
            let cookie = mint.token()
            state.sessions[cookie] = BrowserSession(user: user, loggedInAt: now.seconds)
            var answer = pages.consent(form.id, query, user)
            answer.fields.append(.init(name: "set-cookie", value: pages.setCookie(cookie)))
            return answer
        case .agree:
            guard let session = request.cookie(LoginPages.cookie).flatMap({ state.sessions[$0] }) else {
                return pages.login(form.id, isWrong: false)
            }
            state.pending[form.id] = nil
            return grant(query, to: session)
        case .decline:
            state.pending[form.id] = nil
            return decline(query, pages)
        }
    }

    /// What a user does for whom a tester has decided.
    private mutating func follow(_ pilot: Pilot, _ query: AuthorizationQuery) -> SimulatorAnswer {
        switch pilot.action {
        case .agree: grant(query, to: BrowserSession(user: pilot.user, loggedInAt: now.seconds))
        case .decline: decline(query, LoginPages(.english, query.face))
        case .cancel: answer(query, error: query.face.declined, "cancelled")
        }
    }

    private mutating func decline(_ query: AuthorizationQuery, _ pages: LoginPages) -> SimulatorAnswer {
        guard query.face.knowsBail else { return answer(query, error: query.face.declined, "declined") }
        return query.bails ? deliver([], query) : pages.top()
    }

    private func isFresh(_ session: BrowserSession, _ query: AuthorizationQuery) -> Bool {
        guard !query.prompts.contains("login") else { return false }
        return query.maximumAge.map { now.seconds - session.loggedInAt <= $0 } ?? true
    }

    /// The answer of a user who agrees.
    private mutating func grant(_ query: AuthorizationQuery, to session: BrowserSession) -> SimulatorAnswer {
        let grant = LoginGrant(
            face: query.face.name,
            client: query.client.id,
            redirect: query.redirect,
            user: session.user,
            scopes: query.scopes,
            nonce: query.nonce,
            challenge: query.challenge,
            loggedInAt: query.maximumAge.map { _ in session.loggedInAt },
            wantsRefresh: query.wantsRefresh
        )
        let code = String(mint.token().prefix(8))
        state.grants.add(code: code, grant, until: now.seconds + 600)
        var members: [(String, String)] = []
        if query.type.contains(.code) { members.append(("code", code)) }
        var access: String?
        if query.type.contains(.token) {
            let token = mint.token() + mint.token()
            state.grants.add(access: token, refresh: nil, of: code, grant, at: now.seconds)
            members += [("access_token", token), ("token_type", "Bearer"), ("expires_in", "3600")]
            access = token
        }
        if query.type.contains(.idToken) {
            let flaw = takeFlaw(.front)
            guard let token = idToken(grant, flaw, code: query.type.contains(.code) ? code : nil, access: access) else {
                return answer(query, error: "server_error", "no key")
            }
            members.append(("id_token", token))
        }
        if query.face.forcesFormPost, query.mode == .form { members.append(("user", #"{"name":{"firstName":"F"}}"#)) }
        return deliver(members, query)
    }

    private mutating func answer(
        _ query: AuthorizationQuery,
        error: String,
        _ description: String
    ) -> SimulatorAnswer {
        deliver([("error", error), ("error_description", description), ("error_code", "1000")], query)
    }

    /// Sends the browser back to the client, with the flaw that a tester wants.
    private mutating func deliver(_ members: [(String, String)], _ query: AuthorizationQuery) -> SimulatorAnswer {
        var members = members + (query.state.map { [("state", $0)] } ?? [])
        if state.switches.namesIssuer { members.append(("iss", issuer(query.face))) }
        let flaw = takeFlaw(.authorization)
        switch flaw {
        case .stateDropped: members.removeAll { $0.0 == "state" }
        case .stateChanged: members = members.map { $0.0 == "state" ? ($0.0, $0.1 + "x") : $0 }
        case .stateTwice: members += members.filter { $0.0 == "state" }
        case .stateEmpty: members = members.map { $0.0 == "state" ? ($0.0, "") : $0 }
        case .issuerWrong: members = members.filter { $0.0 != "iss" } + [("iss", "https://other.example")]
        case .codeMissing: members.removeAll { $0.0 == "code" }
        case .errorAndCode: members.append(("error", "access_denied"))
        default: break
        }
        let parts = members.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }
        let text = parts.joined(separator: flaw == .emptyPart ? "&&" : "&")
        var mode = query.mode
        if flaw == .wrongChannel { mode = mode == .query ? .fragment : .query }
        switch mode {
        case .form: return LoginPages(.english, query.face).formPost(query.redirect, members)
        case .fragment: return LoginPages.redirect(query.redirect + "#" + text)
        case .query:
            let mark = query.redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            return LoginPages.redirect(query.redirect + mark + text)
        }
    }

    /// An ID token for a grant.
    func idToken(
        _ grant: LoginGrant,
        _ flaw: TokenFlaw?,
        code: String?,
        access: String?,
        bySecret: Bool = false
    ) -> String? {
        guard let face = ProviderFace.all.first(where: { $0.name.octets == grant.face.octets }),
            let client = client(grant.client),
            let user = SimulatedUser.all.first(where: { $0.name.octets == grant.user.octets })
        else { return nil }
        var maker = IDTokenMaker(face: face, issuer: issuer(face), keys: state.keys, now: now.seconds, flaw: flaw)
        if bySecret { maker.secret = client.secret }
        return try? maker.make(
            IDTokenMaker.Subject(
                client: client,
                user: user,
                nonce: grant.nonce,
                loggedInAt: grant.loggedInAt,
                accessToken: access,
                code: code
            )
        )
    }
}
