import SimulatorCore

// What a form does at each step of a visit.

extension AmazonPayModel {
    mutating func act(
        _ form: [String: String],
        at place: HostedVisit.Place,
        _ visit: HostedVisit
    ) throws(HostedError) -> SimulatorAnswer {
        if form["action"] == "cancel" { return cancel(visit, at: place) }
        switch place {
        case .signIn: return try signIn(form, visit)
        case .code: return enterCode(form, visit)
        case .consent: return agree(form, visit)
        case .select: return try select(form, visit)
        case .bank: return try enterBankCode(form, visit)
        case .processing: throw HostedError(.methodNotAllowed)
        }
    }

    private mutating func signIn(
        _ form: [String: String],
        _ visit: HostedVisit
    ) throws(HostedError) -> SimulatorAnswer {
        let language = visit.language
        guard form["buyer"] != nil || form["password"] != "wrong" else {
            return show(.signIn, visit, complaint: language.text("パスワードが違います。", "The password is wrong."))
        }
        let email = form["buyer"] ?? form["email"] ?? ""
        guard let buyer = configuration.buyers.first(where: { $0.email == email }) else {
            return show(.signIn, visit, complaint: language.text("アカウントが見つかりません。", "There is no such account."))
        }
        if let owner = owner(of: visit), owner != buyer { throw HostedError(.anotherBuyer, wayBack: wayBack(visit)) }
        var visit = visit
        visit.buyer = buyer
        visit.isCodePassed = !(buyer.asksForCode || switches.askCode)
        pages.keep(visit)
        return proceed(visit)
    }

    private mutating func enterCode(_ form: [String: String], _ visit: HostedVisit) -> SimulatorAnswer {
        let language = visit.language
        if form["action"] == "resend" {
            return show(.code, visit, note: language.text("コードを再送信しました。", "The code was sent again."))
        }
        guard AmazonPayModel.isRightCode(form["code"]) else {
            return show(.code, visit, complaint: language.text("コードが違います。", "The code is wrong."))
        }
        var visit = visit
        visit.isCodePassed = true
        pages.keep(visit)
        return proceed(visit)
    }

    private mutating func agree(_ form: [String: String], _ visit: HostedVisit) -> SimulatorAnswer {
        guard let buyer = visit.buyer, form["action"] == "agree" else { return show(nextPlace(visit), visit) }
        pages.consent(buyer, to: visit.caller.merchant)
        return proceed(visit)
    }

    private mutating func select(
        _ form: [String: String],
        _ visit: HostedVisit
    ) throws(HostedError) -> SimulatorAnswer {
        guard let buyer = visit.buyer, visit.isCodePassed else { return go(to: nextPlace(visit), visit) }
        guard let choice = choice(form, visit, buyer) else {
            let complaint = visit.language.text("お届け先とお支払い方法を選択してください。", "Choose an address and a payment method.")
            return show(.select, visit, complaint: complaint)
        }
        do {
            switch visit.purpose {
            case .checkout(let draft): return try conclude(draft, choice, visit)
            case .change(let id, _):
                try engine.associate(choice, with: id)
                return returnToReview(id, visit)
            case .process(let id):
                try engine.associate(choice, with: id)
                return go(to: .processing, visit)
            case .signIn: return proceed(visit)
            }
        } catch {
            throw HostedError(error, wayBack: wayBack(visit))
        }
    }

    /// Makes the session of a visit that came from the button, or changes the one it made before.
    private mutating func conclude(
        _ draft: SessionDraft,
        _ choice: SimulatedSession.Choice,
        _ visit: HostedVisit
    ) throws(APIError) -> SimulatorAnswer {
        var visit = visit
        let id: String
        if let made = visit.sessionID {
            id = made
        } else {
            id = try engine.createSession(draft, for: visit.caller).id
        }
        try engine.associate(choice, with: id)
        visit.sessionID = id
        if draft.terms.processesOrder { visit.purpose = .process(sessionID: id) }
        pages.keep(visit)
        return draft.terms.processesOrder ? go(to: .processing, visit) : returnToReview(id, visit)
    }

    private mutating func enterBankCode(
        _ form: [String: String],
        _ visit: HostedVisit
    ) throws(HostedError) -> SimulatorAnswer {
        let language = visit.language
        guard case .process = visit.purpose else { throw HostedError(.visitNotFound) }
        if form["action"] == "resend" {
            return show(.bank, visit, note: language.text("コードを再送信しました。", "The code was sent again."))
        }
        guard AmazonPayModel.isRightCode(form["code"]) else {
            return show(.bank, visit, complaint: language.text("コードが違います。", "The code is wrong."))
        }
        var visit = visit
        visit.isBankPassed = true
        pages.keep(visit)
        return go(to: .processing, visit)
    }

    /// The buyer gives up: nothing is lost at the change pages, the payment is at the processing pages.
    private mutating func cancel(_ visit: HostedVisit, at place: HostedVisit.Place) -> SimulatorAnswer {
        switch visit.purpose {
        case .checkout(let draft):
            guard let cancel = draft.urls.cancel else {
                return leave(to: draft.urls.review ?? draft.urls.result ?? "", nil, visit.language)
            }
            let id = switches.appendCancelID ? visit.sessionID : nil
            return leave(to: cancel, id, visit.language)
        case .signIn(let draft): return leave(to: draft.cancelURL ?? draft.returnURL, nil, visit.language)
        case .change(let id, _): return returnToReview(id, visit)
        case .process(let id):
            guard visit.isSignedIn, owner(of: visit) == visit.buyer else {
                return leave(to: wayBack(visit) ?? "", nil, visit.language)
            }
            engine.cancelSession(id, place == .bank ? .declined : .buyerCanceled)
            return returnToResult(id, visit.language)
        }
    }

    private static func isRightCode(_ code: String?) -> Bool {
        guard let code, code.utf8.count == 6, code != "000000" else { return false }
        return code.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
