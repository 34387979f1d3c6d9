import Primitives
import SimulatorCore
import StrictJSON

// What a person sees below `/_sim`: the phones, and each with its cards.

extension PushModel {
    /// Answers a person; `nil` where the request is a program's.
    ///
    /// - Parameter request: To the control interface, of somebody who may use it.
    mutating func page(_ request: SimulatorRequest) -> SimulatorAnswer? {
        let path = request.path.octets.parts(between: UInt8(ascii: "/"), keepingEmpty: false)
        guard path.first?.octets == "_sim" else { return nil }
        let rest = Array(path.dropFirst())
        if request.method == "POST", rest.count == 1, rest[0].octets == "phones", request.isOfBrowser {
            guard phones.count < 100 else { return page(ControlError(409, "There are 100 phones already."), request) }
            return PushModel.redirect(to: "/_sim/phones/\(addPhone())")
        }
        guard request.method == "GET" else { return nil }
        if rest.count == 1, rest[0].octets == "style.css" { return PushModel.file("text/css", SimulatorPage.phoneCSS) }
        if rest.count >= 3, rest[0].octets == "phones", let phone = Int(rest[1]).flatMap({ phones[$0] }) {
            return file(Array(rest.dropFirst(2)), of: phone, request)
        }
        guard request.isOfBrowser else { return nil }
        switch rest.count {
        case 0: return list(request)
        case 1 where rest[0].octets == "phones": return list(request)
        case 2 where rest[0].octets == "phones":
            guard let phone = Int(rest[1]).flatMap({ phones[$0] }) else {
                return page(ControlError(404, "There is no such phone."), request)
            }
            return show(phone, request)
        default: return nil
        }
    }

    /// What a person sees of a refusal.
    func page(_ error: ControlError, _ request: SimulatorRequest) -> SimulatorAnswer {
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let page = SimulatorPage(language: language, title: language.text("できませんでした", "That did not work"))
        return page.answer(
            error.status,
            """
            <p class="complaint" id="complaint">\(error.message)</p>
            <p><a href="/_sim">\(language.text("端末の一覧", "All phones"))</a></p>

            """
        )
    }

    /// What follows an order: the phone, for a program; its page, for a person.
    func answer(after order: PhoneOrder, _ request: SimulatorRequest) -> SimulatorAnswer {
        guard request.isOfBrowser else { return .json(200, phones[order.phone]?.json ?? ["status": "ok"]) }
        return PushModel.redirect(to: phones[order.phone] == nil ? "/_sim" : "/_sim/phones/\(order.phone)")
    }

    private static func redirect(to path: String) -> SimulatorAnswer {
        SimulatorAnswer(303, [("location", path), ("cache-control", "no-store")])
    }

    private static func file(_ type: String, _ text: String) -> SimulatorAnswer {
        SimulatorAnswer(200, SimulatorPage.fields(type + "; charset=utf-8"), body: Array(text.utf8))
    }

    /// The style of a phone's page, and pictures of its cards.
    private func file(_ path: [String], of phone: Phone, _ request: SimulatorRequest) -> SimulatorAnswer? {
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        if path.count == 1, path[0].octets == "style.css" {
            return PushModel.file("text/css", pictures(of: phone, language).map(\.css).joined())
        }
        guard path.count == 3, path[0].octets == "cards", let index = Int(path[1]), phone.cards.indices.contains(index)
        else { return nil }
        let card = phone.cards[index]
        if path[2].octets == "pass.pkpass" {
            let fields = SimulatorPage.fields("application/vnd.apple.pkpass")
            return SimulatorAnswer(200, fields, body: card.archive)
        }
        guard let name = CardPicture.images.first(where: { path[2].octets == "\($0).png".octets }),
            let bytes = card.image(name, in: language.ofPasses)
        else { return nil }
        return SimulatorAnswer(200, SimulatorPage.fields("image/png"), body: bytes)
    }

    private func pictures(of phone: Phone, _ language: PageLanguage) -> [CardPicture] {
        phone.cards.enumerated().map { index, card in
            CardPicture(card: card, index: index, path: "/_sim/phones/\(phone.number)", language: language)
        }
    }

    // MARK: Pages

    private func list(_ request: SimulatorRequest) -> SimulatorAnswer {
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let page = SimulatorPage(language: language, title: language.text("端末", "Phones"))
        let rows = phones.values.sorted { $0.number < $1.number }.prefix(PushModel.shownPhones).map { phone -> HTML in
            let state = phone.isOnline ? language.text("オンライン", "online") : language.text("オフライン", "offline")
            return """
                <tr><td><a href="/_sim/phones/\(String(phone.number))">\(language.text("端末", "Phone")) \
                \(String(phone.number))</a></td><td>\(state)</td><td>\(String(phone.cards.count))</td></tr>

                """
        }
        let more: HTML =
            phones.count > rows.count
            ? "<p>\(language.text("ほか", "and")) \(String(phones.count - rows.count))</p>\n" : ""
        return page.answer(
            200,
            """
            <div class="table"><table id="phones">
            <tr><th>\(language.text("端末", "Phone"))</th><th>\(language.text("状態", "State"))</th>\
            <th>\(language.text("カード", "Cards"))</th></tr>
            \(rows)</table></div>
            \(more)\(page.button("/_sim/phones", language.text("端末を増やす", "New phone")))
            <p>\(language.text("プッシュの要求", "Requests to the push service")): \(String(calls.count))</p>

            """
        )
    }

    private static let shownPhones = 200

    private func show(_ phone: Phone, _ request: SimulatorRequest) -> SimulatorAnswer {
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let path = "/_sim/phones/\(phone.number)"
        let isWatched = request.query.octets == "watch"
        let page = SimulatorPage(
            language: language,
            title: language.text("端末 ", "Phone ") + String(phone.number),
            style: path + "/style.css",
            isWatched: isWatched
        )
        let watch: HTML =
            isWatched
            ? "<a href=\"\(path)\">\(language.text("自動更新をやめる", "Stop reloading"))</a>"
            : "<a href=\"\(path)?watch\">\(language.text("2秒ごとに更新", "Reload every two seconds"))</a>"
        let slots = pictures(of: phone, language).map { slot($0, page, path) }
        let none: HTML = "<p>\(language.text("カードがありません。", "There is no card yet."))</p>"
        return page.answer(
            200,
            """
            <p><a href="/_sim">\(language.text("端末の一覧", "All phones"))</a> · \(watch)</p>
            <form class="wide" method="post" action="\(path)/add"><label>\
            \(language.text("リンクからカードを追加", "Add a card from this link"))\
            <input type="url" name="url" required maxlength="2048" autocomplete="off"></label>\
            <button>\(language.text("追加", "Add"))</button></form>
            <h2>\(language.text("カード", "Cards"))</h2>
            <div class="cards" id="cards">\(slots.isEmpty ? [none] : slots)</div>
            <h2>\(language.text("操作", "Actions"))</h2>
            \(actions(of: phone, page, path))
            <h2>\(language.text("経過", "Time line"))</h2>
            \(PushModel.timeline(of: phone, language))
            <h2>\(language.text("サーバーに送ったログ", "Lines in the log of the server"))</h2>
            \(PushModel.lines(of: phone, language))
            <p class="facts">\(language.text("端末ID", "Device")): <code>\(phone.device)</code><br>\
            \(language.text("プッシュトークン", "Push token")): <code>\(phone.pushToken)</code></p>

            """
        )
    }

    private func slot(_ picture: CardPicture, _ page: SimulatorPage, _ path: String) -> HTML {
        let card = picture.card
        let language = picture.language
        let state =
            card.webService == nil
            ? language.text("更新なし", "never updated")
            : card.isRegistered ? language.text("登録済み", "registered") : language.text("未登録", "not registered")
        let remove = page.button(
            path + "/remove",
            language.text("カードを削除", "Remove the card"),
            [("type", card.type), ("serial", card.serial)]
        )
        return """
            <div class="slot">\(picture.html)<p>\(state) · <code>\(card.serial)</code> · \
            <a href="\(path)/cards/\(String(picture.index))/pass.pkpass">.pkpass</a></p>\(remove)</div>

            """
    }

    private func actions(of phone: Phone, _ page: SimulatorPage, _ path: String) -> HTML {
        let language = page.language
        let net =
            phone.isOnline
            ? page.button(path + "/offline", language.text("オフラインにする", "Go offline"))
            : page.button(path + "/online", language.text("オンラインにする", "Go online"))
        let updates =
            phone.getsUpdates
            ? page.button(path + "/updates", language.text("自動更新を切る", "Automatic updates off"), [("on", "false")])
            : page.button(path + "/updates", language.text("自動更新を入れる", "Automatic updates on"), [("on", "true")])
        let wipes = [
            page.button(path + "/wipe", language.text("消去 (誰も知らない)", "Wipe, nobody knows")),
            page.button(
                path + "/wipe",
                language.text("消去 (プッシュは410)", "Wipe, pushes get 410"),
                [("unregistered", "true")]
            ),
        ]
        return """
            \(page.button(path + "/wake", language.text("更新を確認", "Ask for changes")))\(net)\(updates)\
            \(page.button(path + "/token", language.text("新しいプッシュトークン", "New push token")))\(wipes)\
            \(page.button(path + "/discard", language.text("端末を捨てる", "Discard the phone")))
            """
    }

    /// The latest first; what follows a push has the time since then.
    private static func timeline(of phone: Phone, _ language: PageLanguage) -> HTML {
        var pushedAt: WallTime?
        let rows = phone.events.map { event -> HTML in
            if event.kind == .pushed { pushedAt = event.at }
            var since = ""
            if let start = pushedAt, [.listed, .fetched, .shown].contains(event.kind) {
                since = "+\((event.at.microseconds - start.microseconds) / 1_000) ms"
            }
            return """
                <tr class="\(event.kind.rawValue)"><td>\(Phone.text(of: event.at))</td><td>\(since)</td>\
                <td>\(event.kind.name(in: language))</td><td>\(language.text(event.text))</td><td><code>\(event.serial)</code></td></tr>

                """
        }
        return "<div class=\"table\"><table id=\"timeline\">\n\(rows.reversed())</table></div>"
    }

    private static func lines(of phone: Phone, _ language: PageLanguage) -> HTML {
        guard !phone.lines.isEmpty else { return "<p>\(language.text("ありません。", "None."))</p>" }
        let items = phone.lines.reversed().map { line -> HTML in "<li><code>\(line)</code></li>\n" }
        return "<ul id=\"lines\">\n\(items)</ul>"
    }
}

extension Phone.Event.Kind {
    /// For people.
    fileprivate func name(in language: PageLanguage) -> String {
        switch self {
        case .added: language.text("追加", "added")
        case .refused: language.text("拒否", "refused")
        case .registered: language.text("登録", "registered")
        case .unregistered: language.text("登録解除", "unregistered")
        case .removed: language.text("削除", "removed")
        case .pushed: language.text("プッシュ", "push")
        case .stored: language.text("保留", "stored")
        case .listed: language.text("一覧", "list")
        case .fetched: language.text("取得", "get")
        case .shown: language.text("表示", "shown")
        case .failed: language.text("失敗", "failed")
        case .wiped: language.text("消去", "wiped")
        }
    }
}
