import SimulatorCore

// What a buyer may choose, and what is shown to choose from.

extension AmazonPayModel {
    /// The buyer that a session belongs to already; `nil` where it has none yet.
    func owner(of visit: HostedVisit) -> TestBuyer? {
        session(of: visit)?.choice?.buyer
    }

    func session(of visit: HostedVisit) -> SimulatedSession? {
        switch visit.purpose {
        case .checkout: visit.sessionID.flatMap { engine.sessions[$0] }
        case .change(let id, _), .process(let id): engine.sessions[id]
        case .signIn: nil
        }
    }

    private func terms(of visit: HostedVisit) -> CheckoutTerms? {
        if case .checkout(let draft) = visit.purpose { draft.terms } else { session(of: visit)?.terms }
    }

    /// What a form chooses, or `nil` where it chooses nothing that is allowed; what a page does not offer stays as it was.
    func choice(_ form: [String: String], _ visit: HostedVisit, _ buyer: TestBuyer) -> SimulatedSession.Choice? {
        guard let terms = terms(of: visit) else { return nil }
        let before = session(of: visit)?.choice
        let offer = offer(visit, buyer)
        var card = before?.card
        if !offer.cards.isEmpty { card = offer.cards.first { $0.id == form["cardId"] } }
        guard let card else { return nil }
        var choice = SimulatedSession.Choice(buyer: buyer, address: before?.address ?? terms.mergedAddress, card: card)
        if !offer.addresses.isEmpty {
            let chosen = offer.addresses.first { $0.entry.id == form["addressId"] && $0.eligibility == .allowed }
            guard let chosen else { return nil }
            choice.address = chosen.entry.address
        }
        return choice
    }

    /// The addresses and cards that the select page of a visit offers.
    func offer(
        _ visit: HostedVisit,
        _ buyer: TestBuyer
    ) -> (addresses: [SelectPage.AddressChoice], cards: [TestCard]) {
        guard let terms = terms(of: visit) else { return ([], []) }
        let hasChoice = session(of: visit)?.choice != nil
        var (showsAddresses, showsCards) = (terms.productType != .payOnly && !terms.processesOrder, true)
        switch visit.purpose {
        case .checkout: break
        case .change(_, .address) where hasChoice: showsCards = !showsAddresses
        case .change(_, .payment) where hasChoice: showsAddresses = false
        case .change: break
        case .process, .signIn: showsAddresses = false
        }
        let addresses = buyer.addresses.map { entry in
            SelectPage.AddressChoice(entry: entry, eligibility: terms.delivery.eligibility(of: entry))
        }
        return (showsAddresses ? addresses : [], showsCards ? TestCard.all : [])
    }

    /// The page of a step.
    func show(
        _ place: HostedVisit.Place,
        _ visit: HostedVisit,
        complaint: String? = nil,
        note: String? = nil
    ) -> SimulatorAnswer {
        let language = visit.language
        let (title, id, content): (String, String, HTML) =
            switch place {
            case .signIn: (language.text("ログイン", "Sign in"), "page-signin", signInPage(visit, complaint))
            case .code, .bank:
                (
                    place == .code
                        ? language.text("本人確認", "One-time code") : language.text("カード会社の本人認証", "Bank verification"),
                    place == .code ? "page-mfa" : "page-3ds",
                    codePage(visit, place, complaint, note)
                )
            case .consent: (language.text("情報の提供", "Sharing your data"), "page-consent", consentPage(visit))
            case .select, .processing:
                (language.text("お届け先とお支払い", "Address and payment"), "page-select", selectPage(visit, complaint))
            }
        let urls = session(of: visit)?.urls ?? visit.draftURLs
        let frame = HostedFrame(
            language: language,
            title: title,
            id: id,
            appSchemes: urls.appSchemes
        )
        return frame.answer(complaint == nil ? 200 : 422, content)
    }

    private func signInPage(_ visit: HostedVisit, _ complaint: String?) -> HTML {
        let owner = owner(of: visit)
        let buyers = owner.map { [$0] } ?? configuration.buyers
        let email = buyers.first?.email ?? ""
        let page = SignInPage(
            language: visit.language,
            visitTag: visit.tag,
            buyers: buyers,
            email: email,
            complaint: complaint
        )
        return page.content
    }

    private func codePage(
        _ visit: HostedVisit,
        _ place: HostedVisit.Place,
        _ complaint: String?,
        _ note: String?
    ) -> HTML {
        CodePage(language: visit.language, visitTag: visit.tag, place: place, complaint: complaint, note: note).content
    }

    private func consentPage(_ visit: HostedVisit) -> HTML {
        var storeName = visit.caller.merchant.id
        var scopes = terms(of: visit)?.scopes ?? []
        switch visit.purpose {
        case .checkout(let draft): storeName = draft.metadata.storeName ?? storeName
        case .signIn(let draft): scopes = draft.scopes
        case .change, .process: break
        }
        return ConsentPage(
            language: visit.language,
            visitTag: visit.tag,
            storeName: storeName,
            scopes: scopes
        ).content
    }

    private func selectPage(_ visit: HostedVisit, _ complaint: String?) -> HTML {
        guard let buyer = visit.buyer else { return "" }
        let offer = offer(visit, buyer)
        let before = session(of: visit)?.choice
        let chosen = offer.addresses.first { $0.entry.address == before?.address && $0.eligibility == .allowed }
        let first = offer.addresses.first { $0.eligibility == .allowed }
        var total = session(of: visit)?.payment.chargeAmount
        if case .checkout(let draft) = visit.purpose { total = draft.payment.chargeAmount }
        return SelectPage(
            language: visit.language,
            visitTag: visit.tag,
            addresses: offer.addresses,
            addressID: (chosen ?? first)?.entry.id,
            cards: offer.cards,
            cardID: before?.card.id ?? offer.cards.first?.id,
            total: total,
            complaint: complaint
        ).content
    }
}

extension HostedVisit {
    var draftURLs: ReturnURLs {
        switch purpose {
        case .checkout(let draft): draft.urls
        case .signIn(let draft): ReturnURLs(review: draft.returnURL, cancel: draft.cancelURL)
        case .change, .process: ReturnURLs()
        }
    }
}
