import SimulatorCore

// The hosted pages: values in, HTML out. Every id and name is stable; everything works without script.

struct SignInPage: Sendable {
    let language: HostedLanguage
    let visitTag: String
    let buyers: [TestBuyer]
    /// Filled in already.
    let email: String
    var complaint: String?

    var content: HTML {
        let options = buyers.map { buyer in "<option value=\"\(buyer.email)\">" as HTML }
        let choices = buyers.map { buyer in
            """
            <li><button type="submit" name="buyer" value="\(buyer.email)" class="choice">\
            <strong>\(buyer.name)</strong><span>\(buyer.role(language))</span><span>\(buyer.email)</span></button></li>

            """ as HTML
        }
        return """
            \(HostedPart.complaint(complaint))<form id="signin-form" method="post" action="/ap/signin">
            \(HostedPart.tag(visitTag))<label for="email">\(language.text("Eメール", "E-mail"))</label>
            <input id="email" name="email" type="email" list="buyers" value="\(email)" autocomplete="off">
            <datalist id="buyers">\(options)</datalist>
            <label for="password">\(language.text("パスワード（「wrong」以外なら何でも可）", "Password (anything but “wrong”)"))</label>
            <input id="password" name="password" type="password" value="sandbox" autocomplete="off">
            \(HostedPart.button("signin", "action", "signin", language.text("ログイン", "Sign in"), isMain: true))\
            \(HostedPart.button("cancel", "action", "cancel", language.text("キャンセル", "Cancel")))</form>
            <h2>\(language.text("テスト用の購入者で続ける", "Continue as a test buyer"))</h2>
            <form id="buyer-form" method="post" action="/ap/signin">
            \(HostedPart.tag(visitTag))<ul class="choices">
            \(choices)</ul>
            </form>

            """
    }
}

/// The one-time code of a sign-in, and that of a bank.
struct CodePage: Sendable {
    let language: HostedLanguage
    let visitTag: String
    let place: HostedVisit.Place
    var complaint: String?
    var note: String?

    var content: HTML {
        let resend = HostedPart.button("resend", "action", "resend", language.text("再送信", "Resend"))
        return """
            \(HostedPart.complaint(complaint))\(HostedPart.note(note))<form id="code-form" method="post" action="\(place.rawValue)">
            \(HostedPart.tag(visitTag))<label for="code">\(language.text("6桁の確認コード（「000000」以外）", "Six-digit code (anything but 000000)"))</label>
            <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" value="">
            \(HostedPart.button("confirm", "action", "confirm", language.text("確認", "Confirm"), isMain: true))\(resend)\
            \(HostedPart.button("cancel", "action", "cancel", language.text("キャンセル", "Cancel")))</form>

            """
    }
}

struct ConsentPage: Sendable {
    let language: HostedLanguage
    let visitTag: String
    let storeName: String
    let scopes: Set<SimulatedSession.Scope>

    var content: HTML {
        let items = SimulatedSession.Scope.allCases.filter(scopes.contains).map { scope in
            "<li id=\"scope-\(scope.rawValue)\">\(scope.title(language))</li>\n" as HTML
        }
        let question = language.text("次の情報を販売事業者に提供します。", "This will be shared with the merchant:")
        return """
            <p><strong>\(storeName)</strong></p>
            <p>\(question)</p>
            <ul id="scopes">
            \(items)</ul>
            <form id="consent-form" method="post" action="/ap/consent">
            \(HostedPart.tag(visitTag))\
            \(HostedPart.button("agree", "action", "agree", language.text("同意して続行", "Agree and continue"), isMain: true))\
            \(HostedPart.button("cancel", "action", "cancel", language.text("キャンセル", "Cancel")))</form>

            """
    }
}

struct SelectPage: Sendable {
    struct AddressChoice: Sendable {
        let entry: TestBuyer.BookEntry
        let eligibility: DeliveryRules.Eligibility
    }

    let language: HostedLanguage
    let visitTag: String
    /// Empty where there is nothing to choose.
    let addresses: [AddressChoice]
    let addressID: String?
    let cards: [TestCard]
    let cardID: String?
    var total: Price?
    var complaint: String?

    var content: HTML {
        """
        \(HostedPart.complaint(complaint))<form id="select-form" method="post" action="/ap/select">
        \(HostedPart.tag(visitTag))\(addressList)\(cardList)\(totalLine)\
        \(HostedPart.button("continue", "action", "continue", language.text("続行", "Continue"), isMain: true))\
        \(HostedPart.button("cancel", "action", "cancel", language.text("キャンセル", "Cancel")))</form>

        """
    }

    private var addressList: HTML {
        guard !addresses.isEmpty else { return "" }
        let rows = addresses.map { choice in
            let id = choice.entry.id
            let isAllowed = choice.eligibility == .allowed
            let detail = isAllowed ? choice.entry.address.summary : reason(choice.eligibility)
            return HostedPart.radio(
                ("addressId", id, "address-" + id),
                (choice.entry.address.name, detail),
                isChecked: isAllowed && id == addressID,
                isDisabled: !isAllowed
            )
        }
        return """
            <fieldset id="addresses"><legend>\(language.text("お届け先", "Shipping address"))</legend>
            \(rows)</fieldset>

            """
    }

    private var cardList: HTML {
        guard !cards.isEmpty else { return "" }
        let rows = cards.map { card in
            let mark = card.behaviour == .success ? "" : " *"
            return HostedPart.radio(
                ("cardId", card.id, card.id),
                ("\(card.brand) ****\(card.lastDigits)\(mark)", card.behaviour.title(language)),
                isChecked: card.id == cardID
            )
        }
        return """
            <fieldset id="cards"><legend>\(language.text("お支払い方法", "Payment method"))</legend>
            \(rows)</fieldset>

            """
    }

    private var totalLine: HTML {
        guard let total else { return "" }
        return """
            <p id="total">\(language.text("合計", "Total")): <strong>\(total.amount) \(total.currency.rawValue)</strong></p>

            """
    }

    private func reason(_ eligibility: DeliveryRules.Eligibility) -> String {
        eligibility == .postOfficeBox
            ? language.text("私書箱には配送できません", "Post office boxes are not served")
            : language.text("この地域には配送できません", "This region is not served")
    }
}

extension TestCard.Behaviour {
    func title(_ language: HostedLanguage) -> String {
        switch self {
        case .success: language.text("承認されます", "is authorised")
        case .buyerCanceled: language.text("購入者がキャンセルします", "the buyer cancels")
        case .declined: language.text("拒否されます", "is declined")
        case .pending: language.text("30秒後に承認されます", "is authorised after 30 s")
        case .pendingDeclined: language.text("30秒後に拒否されます", "is declined after 30 s")
        }
    }
}

extension SimulatedSession.Scope {
    func title(_ language: HostedLanguage) -> String {
        switch self {
        case .name: language.text("お名前", "Name")
        case .email: language.text("Eメールアドレス", "E-mail address")
        case .phoneNumber: language.text("電話番号", "Phone number")
        case .billingAddress: language.text("請求先住所", "Billing address")
        case .postalCode: language.text("郵便番号", "Postal code")
        case .shippingAddress: language.text("お届け先住所", "Shipping address")
        case .primeStatus: language.text("Prime会員情報", "Prime membership")
        }
    }
}

/// Small parts that pages share.
enum HostedPart {
    static func complaint(_ text: String?) -> HTML {
        text.map { "<p id=\"complaint\" class=\"complaint\" role=\"alert\">\($0)</p>\n" } ?? ""
    }

    static func note(_ text: String?) -> HTML {
        text.map { "<p id=\"note\" class=\"note\">\($0)</p>\n" } ?? ""
    }

    static func tag(_ text: String) -> HTML {
        "<input type=\"hidden\" name=\"visit\" value=\"\(text)\">\n"
    }

    static func button(_ id: String, _ name: String, _ value: String, _ label: String, isMain: Bool = false) -> HTML {
        let style = isMain ? "main" : "other"
        return """
            <button id="\(id)" type="submit" name="\(name)" value="\(value)" class="\(style)">\(label)</button>

            """
    }

    static func radio(
        _ names: (name: String, value: String, id: String),
        _ texts: (title: String, detail: String),
        isChecked: Bool,
        isDisabled: Bool = false
    ) -> HTML {
        let state: HTML = isDisabled ? " disabled" : isChecked ? " checked" : ""
        return """
            <label class="option" for="\(names.id)"><input id="\(names.id)" type="radio" name="\(names.name)" \
            value="\(names.value)"\(state)><span><strong>\(texts.title)</strong><br>\(texts.detail)</span></label>

            """
    }
}
