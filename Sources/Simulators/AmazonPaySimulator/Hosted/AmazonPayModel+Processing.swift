import SimulatorCore

// The processing page, the change pages, and the ways back to the merchant.

extension AmazonPayModel {
    /// The processing page: the buyer's last one, and where the money is held.
    ///
    /// With `softlyDeclined` the bank wants another card this time.
    mutating func process(_ page: PageRequest, softlyDeclined: Bool) throws(HostedError) -> SimulatorAnswer {
        let session = try knownSession(page)
        let language = pages.visit(page.request.cookie(HostedPageState.cookie))?.language ?? page.language
        switch session.state {
        case .completed, .open(.some): return returnToResult(session.id, language)
        case .canceled(let reason):
            let code: HostedError.Code = reason == .expired ? .sessionExpired : .sessionCanceled
            throw HostedError(code, [("reason", reason.rawValue)], wayBack: resultURL(session))
        case .open(nil): break
        }
        guard session.constraints.isEmpty else {
            let missing = session.constraints.map(\.rawValue).joined(separator: " ")
            throw HostedError(.sessionNotReady, [("constraints", missing)], wayBack: session.urls.review)
        }
        guard var visit = signedInVisit(page, session) else {
            return try open(page, session, .process(sessionID: session.id))
        }
        visit.purpose = .process(sessionID: session.id)
        pages.keep(visit)
        if switches.askBank, !visit.isBankPassed { return go(to: .bank, visit) }
        if softlyDeclined { return go(to: .select, visit) }
        return conclude(session, visit)
    }

    private mutating func conclude(_ session: SimulatedSession, _ visit: HostedVisit) -> SimulatorAnswer {
        switch engine.process(session.id) {
        case .held, .canceled: return returnToResult(session.id, visit.language)
        case .cardNotAllowed:
            let complaint = visit.language.text(
                "このお支払い方法はここでは使えません。別の方法を選択してください。",
                "This payment method cannot be used here (PaymentMethodNotAllowed). Choose another one."
            )
            return show(.select, visit, complaint: complaint)
        case .incomplete, .wasCanceled, nil:
            return HostedError(.sessionNotReady, wayBack: session.urls.review).answer(visit.language)
        }
    }

    /// The select page of a change button.
    mutating func enterChange(_ page: PageRequest) throws(HostedError) -> SimulatorAnswer {
        let session = try knownSession(page)
        guard let action = page.parameters["changeAction"].flatMap(HostedVisit.ChangeAction.init) else {
            throw HostedError(.invalidParameterValue, [("message", "changeAction is unknown.")])
        }
        switch session.state {
        case .open(nil): break
        case .open, .completed: throw HostedError(.alreadyProcessed, wayBack: resultURL(session))
        case .canceled(let reason):
            let code: HostedError.Code = reason == .expired ? .sessionExpired : .sessionCanceled
            throw HostedError(code, [("reason", reason.rawValue)], wayBack: session.urls.review)
        }
        guard var visit = signedInVisit(page, session) else {
            return try open(page, session, .change(sessionID: session.id, action))
        }
        visit.purpose = .change(sessionID: session.id, action)
        visit.sessionID = session.id
        visit.autopilot = pages.takeNextBuyer()
        pages.keep(visit)
        return go(to: .select, visit)
    }

    /// The visit of a browser whose buyer is that of a session.
    private func signedInVisit(_ page: PageRequest, _ session: SimulatedSession) -> HostedVisit? {
        guard let visit = pages.visit(page.request.cookie(HostedPageState.cookie)), visit.isSignedIn,
            visit.caller.merchant.id == session.merchantID, visit.buyer == session.choice?.buyer
        else { return nil }
        return visit
    }

    /// Opens a visit for a browser that came by a link.
    private mutating func open(
        _ page: PageRequest,
        _ session: SimulatedSession,
        _ purpose: HostedVisit.Purpose
    ) throws(HostedError) -> SimulatorAnswer {
        guard let merchant = configuration.merchants.first(where: { $0.id == session.merchantID }) else {
            throw HostedError(.unknownMerchant)
        }
        let caller = Caller(merchant: merchant, environment: session.environment)
        let visit = pages.open(caller, page.language, purpose)
        return go(to: .signIn, visit, setsCookieOn: page.request)
    }

    private func knownSession(_ page: PageRequest) throws(HostedError) -> SimulatedSession {
        guard let id = page.parameters["amazonCheckoutSessionId"], let session = engine.sessions[id] else {
            throw HostedError(.sessionNotFound)
        }
        return session
    }

    // MARK: Ways back

    mutating func returnToReview(_ id: String, _ visit: HostedVisit) -> SimulatorAnswer {
        guard let review = engine.sessions[id]?.urls.review else {
            return HostedError(.sessionNotReady).answer(visit.language)
        }
        return leave(to: review, id, visit.language)
    }

    mutating func returnToResult(_ id: String, _ language: HostedLanguage) -> SimulatorAnswer {
        guard let result = engine.sessions[id]?.urls.result else {
            return HostedError(.sessionNotReady).answer(language)
        }
        return leave(to: result, switches.omitResultID ? nil : id, language)
    }

    /// Sends the browser to a URL that the merchant has signed.
    mutating func leave(to url: String, _ sessionID: String?, _ language: HostedLanguage) -> SimulatorAnswer {
        leave(to: url, adding: sessionID.map { ("amazonCheckoutSessionId", $0) }, language)
    }

    mutating func leave(
        to url: String,
        adding parameter: (name: String, value: String)?,
        _ language: HostedLanguage
    ) -> SimulatorAnswer {
        guard let url = WebURL(url, acceptsApps: true) else {
            return HostedError(.invalidParameterValue).answer(language)
        }
        let target = parameter.map { url.appending($0.name, $0.value) } ?? url.text
        return departure(to: target, language)
            ?? HandOff(language: language, redirect: switches.redirect).answer(to: target)
    }

    /// Where an error page of a visit can lead.
    func wayBack(_ visit: HostedVisit) -> String? {
        let urls = session(of: visit)?.urls ?? visit.draftURLs
        return urls.error ?? urls.review ?? urls.result
    }

    private func resultURL(_ session: SimulatedSession) -> String? {
        guard let url = (session.urls.result ?? session.urls.review).flatMap({ WebURL($0, acceptsApps: true) })
        else { return nil }
        return url.appending("amazonCheckoutSessionId", session.id)
    }
}
