import HTTPCore
import SimulatorCore

/// A page request with its parameters read.
struct PageRequest: Sendable {
    let request: SimulatorRequest
    let route: HostedRoute
    /// Of the query of a GET, of the form of a POST; a name that came twice is absent.
    let parameters: [String: String]

    init(_ request: SimulatorRequest, _ route: HostedRoute) throws(HostedError) {
        self.request = request
        self.route = route
        let text = request.method == "POST" ? request.body : Array(request.query.utf8)
        do {
            let read = try HTTPParameters(text.span)
            var parameters: [String: String] = [:]
            for name in Set(read.names) { parameters[name] = try read.value(name) }
            self.parameters = parameters
        } catch {
            throw HostedError(.invalidRequest, [("message", "The parameters of the request cannot be read.")])
        }
    }

    var language: HostedLanguage { HostedLanguage(acceptLanguage: request.first("accept-language")) }
}

extension AmazonPayModel {
    mutating func receivePage(_ request: SimulatorRequest) -> AmazonPayStep {
        let name = HostedRoute(rawValue: request.path)?.name ?? "Unknown"
        let fault = faults.take(name, byNameOnly: true, account: nil)
        if let delay = fault?.delay, delay > .zero {
            return .pause(delay, AmazonPayPause(request: request, fault: fault, stage: .entrance))
        }
        return enterPage(request, fault)
    }

    mutating func enterPage(_ request: SimulatorRequest, _ fault: Fault?) -> AmazonPayStep {
        switch fault?.kind {
        case .resetBefore: return .answer(SimulatorAnswer(0), .nothing)
        case .htmlBody(let status): return .answer(.gatewayPage(status ?? 502))
        case .refusal(let status, let reason) where reason != APIReason.softDeclined.rawValue:
            let language = HostedLanguage(acceptLanguage: request.first("accept-language"))
            var answer = HostedError(.unavailable, reason.map { [("reasonCode", $0)] } ?? []).answer(language)
            answer.status = status
            return .answer(answer)
        case .resetAfter: return .answer(page(request, nil), .nothing)
        case .truncateBody: return .answer(page(request, nil), .half)
        case .slowBody(let pause): return .answer(page(request, nil), .slow(pause))
        case nil, .some(.none), .refusal, .badJSON, .wrongContentType: return .answer(page(request, fault))
        }
    }

    /// The answer to a page request.
    private mutating func page(_ request: SimulatorRequest, _ fault: Fault?) -> SimulatorAnswer {
        do throws(HostedError) {
            guard let route = HostedRoute(rawValue: request.path) else { throw HostedError(.pageNotFound) }
            let isHead = request.method == "HEAD" && route.methods.contains("GET")
            guard isHead || route.methods.contains(request.method) else { throw HostedError(.methodNotAllowed) }
            if let file = HostedFiles.answer(route) { return file }
            // A HEAD must not have the effect that some of these pages have.
            if isHead { return SimulatorAnswer(200, HostedFrame.fields("default-src 'none'")) }
            if let redirect = redirectToSecondHost(request, route) { return redirect }
            return try answer(PageRequest(request, route), fault)
        } catch {
            return error.answer(HostedLanguage(acceptLanguage: request.first("accept-language")))
        }
    }

    private mutating func answer(_ page: PageRequest, _ fault: Fault?) throws(HostedError) -> SimulatorAnswer {
        switch page.route {
        case .start: return try startCheckout(page)
        case .enter: return try enter(page)
        case .leave: return try leave(page)
        case .processing: return try process(page, softlyDeclined: fault != nil)
        case .error:
            let code = page.parameters["code"].flatMap(HostedError.Code.init)
            throw HostedError(code ?? .pageNotFound)
        case .signOut: return SimulatorAnswer(204, [("set-cookie", "\(HostedPageState.cookie)=; Path=/; Max-Age=0")])
        case .select where page.request.method == "GET" && page.parameters["amazonCheckoutSessionId"] != nil:
            return try enterChange(page)
        default:
            guard let place = page.route.place else { throw HostedError(.pageNotFound) }
            return try answer(page, at: place)
        }
    }

    /// A step of the visit that the browser's cookie names.
    private mutating func answer(
        _ page: PageRequest,
        at place: HostedVisit.Place
    ) throws(HostedError) -> SimulatorAnswer {
        let visit = try visit(of: page)
        let pending = nextPlace(visit)
        do {
            if page.request.method == "POST" {
                // Going back in the browser to an earlier question is fine, skipping one is not.
                guard place.rank <= pending.rank else { return go(to: pending, visit) }
                return try act(page.parameters, at: place, visit)
            }
            guard place.rank == pending.rank else { return go(to: pending, visit) }
            if let form = autopilotForm(at: place, visit) { return try act(form, at: place, visit) }
            return show(place, visit)
        } catch {
            return error.answer(visit.language)
        }
    }

    private func visit(of page: PageRequest) throws(HostedError) -> HostedVisit {
        let visit = try knownVisit(page.request.cookie(HostedPageState.cookie))
        if let tag = page.parameters["visit"], tag != visit.tag { throw HostedError(.anotherCheckout) }
        return visit
    }

    func knownVisit(_ id: String?) throws(HostedError) -> HostedVisit {
        guard let visit = pages.visit(id) else { throw HostedError(.visitNotFound) }
        return visit
    }

    /// The step that a visit has to take next.
    func nextPlace(_ visit: HostedVisit) -> HostedVisit.Place {
        guard let buyer = visit.buyer else { return .signIn }
        guard visit.isCodePassed else { return .code }
        switch visit.purpose {
        case .checkout: return pages.hasConsented(buyer, to: visit.caller.merchant) ? .select : .consent
        case .change: return .select
        case .process: return .processing
        case .signIn: return .consent
        }
    }

    /// Goes on after a step: to the next one, or back to the merchant where the buyer only signs in.
    mutating func proceed(_ visit: HostedVisit) -> SimulatorAnswer {
        guard case .signIn(let draft) = visit.purpose, let buyer = visit.buyer, visit.isSignedIn,
            pages.hasConsented(buyer, to: visit.caller.merchant)
        else { return go(to: nextPlace(visit), visit) }
        let token = engine.signIn(buyer, draft.scopes, for: visit.caller)
        return leave(to: draft.returnURL, adding: ("buyerToken", token), visit.language)
    }

    /// Sends the browser to a step.
    func go(
        to place: HostedVisit.Place,
        _ visit: HostedVisit,
        setsCookieOn request: SimulatorRequest? = nil
    )
        -> SimulatorAnswer
    {
        var location = place.rawValue
        if place == .processing || place == .bank, case .process(let id) = visit.purpose {
            location += "?amazonCheckoutSessionId=" + id
        }
        var fields = HostedFrame.fields("default-src 'none'") + [("location", location)]
        if let request { fields.append(HostedPageState.cookieField(visit, request)) }
        return SimulatorAnswer(303, fields)
    }
}

extension HostedPageState {
    /// The cookie that names a browser's visit; cookies do not know ports, so it must not be called like anybody else's.
    static let cookie = "sim_hosted"

    static func cookieField(_ visit: HostedVisit, _ request: SimulatorRequest) -> (String, String) {
        let secure = request.isSecure ? "; Secure" : ""
        return ("set-cookie", "\(cookie)=\(visit.id); Path=/\(secure); HttpOnly; SameSite=Lax")
    }
}

extension HostedVisit {
    /// Stands in the forms, so that a page of an older visit is not taken for one of the present visit.
    var tag: String { String(id.prefix(8)) }
}
