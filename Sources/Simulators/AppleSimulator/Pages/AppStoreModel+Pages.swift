import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

// What a person sees below `/_sim`: a device that buys, and what became of it.

extension AppStoreModel {
    /// Answers a tester: a person with a page, a program with JSON.
    mutating func answerTester(_ request: SimulatorRequest) -> SimulatorAnswer {
        do throws(ControlError) {
            try checkTester(request)
            if let page = try page(request) { return page }
        } catch {
            return refusal(error, request)
        }
        return control(request)
    }

    private mutating func page(_ request: SimulatorRequest) throws(ControlError) -> SimulatorAnswer? {
        if request.method == "GET", request.path.octets == "/_sim/style.css" {
            let fields = SimulatorPage.fields("text/css; charset=utf-8")
            return SimulatorAnswer(200, fields, body: Array((SimulatorPage.css + Self.css).utf8))
        }
        guard request.isOfBrowser else { return nil }
        if request.method == "GET", ["/_sim", "/_sim/"].contains(request.path) { return try show(request) }
        guard request.method == "POST", request.isForm else { return nil }
        let form = try StoreForm(request)
        let answer = control(form.request)
        guard answer.status == 200 else {
            let text = (try? JSONParser.parse(answer.body))?["error"]?.text ?? ""
            throw ControlError(answer.status, text)
        }
        return SimulatorAnswer(303, [("location", form.view.path), ("cache-control", "no-store")])
    }

    /// What follows an order: the device for a program, its page for a person.
    mutating func answer(after order: DeviceOrder, _ request: SimulatorRequest) -> SimulatorAnswer {
        var view = DeviceView()
        switch order {
        case .submit(let id): view = (try? purchase(id)).map { DeviceView(of: $0) } ?? view
        case .balance(let asked): view = asked
        }
        guard !request.isOfBrowser else {
            return SimulatorAnswer(303, [("location", view.path), ("cache-control", "no-store")])
        }
        let query = view.path.octets.parts(between: UInt8(ascii: "?")).last ?? ""
        return control(SimulatorRequest("GET", "/_sim/device?" + query, mayControl: request.mayControl))
    }

    /// What a tester sees of a refusal.
    func refusal(_ error: ControlError, _ request: SimulatorRequest) -> SimulatorAnswer {
        guard request.isOfBrowser else { return .json(error.status, ["error": .string(error.message)]) }
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let page = SimulatorPage.ofStore(language, language.text("できませんでした", "That did not work"))
        return page.answer(
            error.status,
            """
            <p class="complaint" id="complaint">\(error.message)</p>
            <p><a href="/_sim">\(language.text("端末に戻る", "Back to the device"))</a></p>

            """
        )
    }

    private mutating func show(_ request: SimulatorRequest) throws(ControlError) -> SimulatorAnswer {
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let view = DeviceView(query: request.query)
        let page = SimulatorPage.ofStore(language, language.text("App Store の端末", "A device with the App Store"))
        let bought = (state.stores[view.environment]?.purchases ?? []).filter {
            $0.customer.octets == view.customer.octets
        }
        let isSignedIn = state.apps[view.key] != nil
        var rows: [HTML] = []
        for purchase in bought.suffix(Self.shownPurchases).reversed() {
            rows.append(PurchaseRow(purchase: purchase, view: view, page: page, isSignedIn: isSignedIn).html)
        }
        let notifications = state.outbox.all.suffix(Self.shownNotifications).reversed().map { item -> HTML in
            let last = item.attempts.last.map { $0.result.rawValue } ?? language.text("未送信", "not sent")
            let cells: [HTML] = [
                "\(String(item.number))", "\(item.type)", "\(item.transaction ?? "")", "\(String(item.attempts.count))",
                "\(last)",
            ]
            return CardTable.row(cells, Self.notificationColumns, language)
        }
        let text = try latestText(of: bought)
        return page.answer(
            200,
            """
            \(deviceForm(view, page))
            <h2>\(language.text("購入", "Buy"))</h2>
            \(buyForm(view, page))
            <h2>\(language.text("取引", "Transactions"))</h2>
            \(CardTable.html("transactions", PurchaseRow.columns, rows, language))
            \(text)<h2>\(language.text("アプリのサーバー", "The app's server"))</h2>
            \(appForm(view, page))
            <h2>\(language.text("サーバーへの通知", "Notifications to the server"))</h2>
            <p>\(state.outbox.urls[view.environment] ?? language.text("送り先がありません。", "There is no address."))</p>
            \(CardTable.html("notifications", Self.notificationColumns, Array(notifications), language))
            <p class="facts">\(language.text("時刻", "Time")): \(CalendarDate(now).extendedText) · \
            \(language.text("APIの要求", "Requests to the API")): \(String(calls.count))</p>

            """
        )
    }

    private static let notificationColumns = [
        ("#", "#"), ("種類", "Type"), ("ID", "ID"), ("回数", "Tries"), ("結果", "Result"),
    ]
    private static let shownPurchases = 100
    private static let shownNotifications = 20

    private func deviceForm(_ view: DeviceView, _ page: SimulatorPage) -> HTML {
        let language = page.language
        let options = StoreEnvironment.allCases.map { environment -> HTML in
            environment == view.environment
                ? "<option selected>\(environment.rawValue)</option>" : "<option>\(environment.rawValue)</option>"
        }
        return """
            <form class="wide" method="get" action="/_sim">
            <label>\(language.text("顧客", "Customer"))<input type="text" name="customer" value="\(view.customer)"></label>
            <label>\(language.text("環境", "Environment"))<select name="environment">\(options)</select></label>
            <button>\(language.text("表示", "Show"))</button></form>
            """
    }

    private func buyForm(_ view: DeviceView, _ page: SimulatorPage) -> HTML {
        let language = page.language
        let product = state.stores[view.environment]?.purchases.last?.product ?? Self.usualProduct
        return """
            <form class="wide" method="post" action="/_sim/purchases">\(view.hidden)
            <label>\(language.text("商品ID", "Product id"))\
            <input type="text" name="product" required maxlength="200" value="\(product)"></label>
            <label class="short">\(language.text("数量", "Quantity"))\
            <input type="number" name="quantity" min="1" max="10" value="1"></label>
            <label>\(language.text("アカウントのトークン", "App account token"))\
            <input type="text" name="appAccountToken" maxlength="60" autocomplete="off"></label>
            <label class="check"><input type="checkbox" name="askToBuy" value="true">\
            \(language.text("承認と購入のリクエスト", "Ask to Buy"))</label>
            <button>\(language.text("購入", "Buy"))</button></form>
            """
    }

    private func appForm(_ view: DeviceView, _ page: SimulatorPage) -> HTML {
        let language = page.language
        let app = state.apps[view.key]
        let balance = app?.balance.map { String($0) } ?? "–"
        let lines = (app?.lines ?? []).reversed().map { line -> HTML in "<li><code>\(line)</code></li>\n" }
        let ask = page.button("/_sim/device/balance", language.text("残高を確認", "Ask for the balance"), view.pairs)
        let known: HTML = """
            <p>\(language.text("残高", "Balance")): <b id="balance">\(balance)</b> \(ask)</p>
            <ul id="answers">\(lines)</ul>

            """
        return """
            \(app == nil ? "" : known)<form class="wide" method="post" action="/_sim/device/app">\(view.hidden)
            <label>\(language.text("アドレス", "Address"))\
            <input type="url" name="server" value="\(app?.server ?? configuration.appServer)"></label>
            <label>\(language.text("アプリのトークン", "Token of the app"))\
            <input type="text" name="token" required maxlength="500" autocomplete="off"></label>
            <button>\(language.text("サインイン", "Sign in"))</button></form>
            """
    }

    private static let usualProduct = "com.example.sallyport.ticket.1"

    /// What the app would send to its server of the latest purchase.
    private mutating func latestText(of bought: [Purchase]) throws(ControlError) -> HTML {
        guard let latest = bought.last(where: \.isPaid) else { return "" }
        let text: String
        do throws(CryptographyError) {
            text = try self.text(of: latest, device: true)
        } catch { throw .signing(error) }
        return "<details><summary>\(latest.id): JWS</summary><p id=\"signed-text\"><code>\(text)</code></p></details>\n"
    }

    private static let css = """
        form.wide label.short { flex: 0 1 6rem; }
        form.wide label.check { flex: 0 1 12rem; min-height: 44px; }
        .refunded td { color: var(--soft); }
        #signed-text { overflow-wrap: anywhere; }
        .cards { overflow-wrap: break-word; }
        @media (max-width: 52rem) {
          .cards, .cards tbody, .cards tr { display: block; }
          .cards tr:first-child { display: none; }
          .cards tr { margin-bottom: .6rem; padding: .3rem .8rem; background: var(--box); border: 1px solid var(--line); border-radius: 10px; }
          .cards td { display: flex; flex-wrap: wrap; gap: 0 .6rem; padding: .2rem 0; border: 0; white-space: normal; overflow-wrap: anywhere; }
          .cards td::before { content: attr(data-label); flex: 0 0 6rem; color: var(--soft); }
          .cards td:empty { display: none; }
        }

        """
}

extension SimulatorPage {
    /// A page of the store.
    fileprivate static func ofStore(_ language: PageLanguage, _ title: String) -> SimulatorPage {
        SimulatorPage(
            language: language,
            title: title,
            banner: language.text(
                "シミュレーターです。本物の App Store ではありません。",
                "Simulator: this is no real App Store, and nothing is charged."
            ),
            name: "App Store simulator"
        )
    }
}

extension DeviceView {
    /// What a form sends along, so that the page goes on with this device.
    fileprivate var pairs: [(String, String)] {
        [("viewCustomer", customer), ("viewEnvironment", environment.rawValue)]
    }

    /// The same in a form.
    fileprivate var hidden: HTML {
        """
        <input type="hidden" name="viewCustomer" value="\(customer)">\
        <input type="hidden" name="viewEnvironment" value="\(environment.rawValue)">
        """
    }
}

/// A table that is a card for each row where there is no room for its columns.
private enum CardTable {
    /// A table of rows.
    ///
    /// - Parameter columns: Their names, in Japanese and English.
    static func html(
        _ id: String,
        _ columns: [(String, String)],
        _ rows: [HTML],
        _ language: PageLanguage
    ) -> HTML {
        let names = columns.map { name -> HTML in "<th>\(language.text(name.0, name.1))</th>" }
        return "<table class=\"cards\" id=\"\(id)\">\n<tr>\(names)</tr>\n\(rows)</table>"
    }

    /// A row; each cell says its column's name, for a card.
    static func row(
        _ cells: [HTML],
        _ columns: [(String, String)],
        _ language: PageLanguage,
        class name: String = ""
    ) -> HTML {
        let cells = zip(columns, cells).map { column, cell -> HTML in
            "<td data-label=\"\(language.text(column.0, column.1))\">\(cell)</td>"
        }
        return "<tr class=\"\(name)\">\(cells)</tr>\n"
    }
}

/// A purchase in the table of a page, with what can become of it.
private struct PurchaseRow {
    let purchase: Purchase
    let view: DeviceView
    let page: SimulatorPage
    /// Whether there is a server to hand it in at.
    let isSignedIn: Bool

    private var language: PageLanguage { page.language }

    static let columns = [("ID", "ID"), ("商品", "Product"), ("数量", "Quantity"), ("状態", "State"), ("操作", "Actions")]

    var html: HTML {
        let cells: [HTML] = [
            "\(purchase.id)", "\(purchase.product)", "\(String(purchase.quantity))", "\(stateName)", "\(actions)",
        ]
        let name = purchase.revocation == nil ? "paid" : "refunded"
        return CardTable.row(cells, Self.columns, language, class: name)
    }

    private var stateName: String {
        if let revocation = purchase.revocation {
            let share = String(revocation.percentage / 1_000)
            return language.text("返金 \(share)%", "refunded \(share)%")
        }
        switch purchase.state {
        case .pending: return language.text("承認待ち", "waits for approval")
        case .rejected: return language.text("不承認", "not approved")
        case .purchased:
            if purchase.isRefundRequested { return language.text("返金の申請中", "refund requested") }
            return purchase.isFinished ? language.text("完了", "finished") : language.text("未完了", "unfinished")
        }
    }

    private var actions: [HTML] {
        if purchase.state == .pending {
            return [button(.approve, "承認", "Approve"), button(.reject, "不承認", "Reject")]
        }
        guard purchase.isPaid else { return [] }
        if purchase.revocation != nil { return [button(.reverseRefund, "返金の取り消し", "Reverse the refund")] }
        var list: [HTML] = purchase.isFinished ? [] : [button(.finish, "完了", "Finish")]
        if isSignedIn {
            let action = "/_sim/purchases/\(purchase.id)/submit"
            list.append(page.button(action, language.text("サーバーに送信", "Hand in"), view.pairs))
        }
        list += [
            button(.refund, "返金", "Refund"),
            button(.refund, "半額の返金", "Refund half", [("percentage", "50000")]),
        ]
        if purchase.isRefundRequested { return list + [button(.declineRefund, "返金を断る", "Decline the refund")] }
        list.append(button(.requestConsumption, "返金を申請", "Request a refund"))
        guard purchase.kind == .subscription else { return list }
        return list + [button(.renew, "更新", "Renew"), button(.expire, "終了", "Expire")]
    }

    private func button(
        _ step: PurchaseStep,
        _ japanese: String,
        _ english: String,
        _ more: [(String, String)] = []
    ) -> HTML {
        let action = "/_sim/purchases/\(purchase.id)/\(step.rawValue)"
        return page.button(action, language.text(japanese, english), view.pairs + more)
    }
}
