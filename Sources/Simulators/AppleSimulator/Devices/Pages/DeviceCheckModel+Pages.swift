import Primitives
import SimulatorCore
import StrictJSON

// What a person sees below `/_sim`: phones with an app, who has them, and what the vendor knows of them.

extension DeviceCheckModel {
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
        let isRead = request.method.octets == "GET"
        if isRead, request.path.octets == "/_sim/style.css" {
            let fields = SimulatorPage.fields("text/css; charset=utf-8")
            return SimulatorAnswer(200, fields, body: Array((SimulatorPage.css + PhoneCard.css).utf8))
        }
        guard request.isOfBrowser else { return nil }
        if isRead, ["/_sim", "/_sim/"].contains(request.path) { return show(request) }
        guard request.method.octets == "POST", request.isForm else { return nil }
        let call = SimulatorRequest(
            "POST",
            request.path,
            fields: request.fields.filter { $0.name.octets != "content-type" },
            body: try PhoneForm(request).request.bytes,
            mayControl: request.mayControl
        )
        let answer = control(call)
        let json = try? JSONParser.parse(answer.body)
        guard answer.status == 200 else { throw ControlError(answer.status, json?["error"]?.text ?? "") }
        return seeOther(json?["device"]?.integer)
    }

    /// Back to the page, where a phone stands on it.
    private func seeOther(_ device: Int?) -> SimulatorAnswer {
        let place = "/_sim" + (device.map { "#phone-\($0)" } ?? "")
        return SimulatorAnswer(303, [("location", place), ("cache-control", "no-store")])
    }

    /// What follows an order: the phone for a program, the page for a person.
    func answer(after order: PhoneOrder, _ request: SimulatorRequest) -> SimulatorAnswer {
        request.isOfBrowser ? seeOther(order.device) : .json(200, json(order.device))
    }

    /// What a tester sees of a refusal.
    func refusal(_ error: ControlError, _ request: SimulatorRequest) -> SimulatorAnswer {
        guard request.isOfBrowser else { return .json(error.status, ["error": .string(error.message)]) }
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let page = SimulatorPage.ofPhones(language, language.text("できませんでした", "That did not work"))
        return page.answer(
            error.status,
            """
            <p class="complaint" id="complaint">\(error.message)</p>
            <p><a href="/_sim">\(language.text("端末に戻る", "Back to the phones"))</a></p>

            """
        )
    }

    private func show(_ request: SimulatorRequest) -> SimulatorAnswer {
        let language = PageLanguage(acceptLanguage: request.first("accept-language"))
        let page = SimulatorPage.ofPhones(language, language.text("DeviceCheck の端末", "Phones with DeviceCheck"))
        let cards = state.devices.suffix(Self.shownPhones).map { device in
            PhoneCard(
                device: device,
                bits: bits(of: device),
                risks: risks(of: device),
                server: configuration.appServer,
                page: page
            )
            .html
        }
        return page.answer(
            200,
            """
            <p>\(language.text(
                "ビットは端末のものです。アプリを削除しても、端末を消去して譲っても残ります。",
                "The bits are the phone's: they stay where the app is deleted, and where the phone is erased and sold."
            ))</p>
            <div class="phones">\(cards)</div>
            <h2>\(language.text("新しい端末", "A new phone"))</h2>
            \(newPhone(language))
            <p class="facts">\(language.text("時刻", "Time")): \(CalendarDate(now).extendedText) · \
            \(language.text("Apple への要求", "Requests to Apple")): <span id="requests">\(String(calls.count))</span></p>

            """
        )
    }

    private static let shownPhones = 50

    /// What the vendor has about a phone for the developer, by environment.
    private func bits(of device: SimulatedDevice) -> [(DeviceEnvironment, TwoBits?)] {
        DeviceEnvironment.allCases.map { environment in
            let team = configuration.team.octets
            return (environment, state.bits[TwoBitsKey(device: device.number, team: team, environment: environment)])
        }
    }

    private func risks(of device: SimulatedDevice) -> [(DeviceEnvironment, Int)] {
        DeviceEnvironment.allCases.compactMap { environment in
            device.risk(in: environment, at: now).map { (environment, $0) }
        }
    }

    private func newPhone(_ language: PageLanguage) -> HTML {
        let letter = state.devices.count < 26 ? String(UnicodeScalar(UInt8(65 + state.devices.count))) : ""
        let people = language.text("花子 太郎 次郎", "Hana Taro Jiro").octets.parts(between: UInt8(ascii: " "))
        let owner = people[state.devices.count % people.count]
        return """
            <form class="wide" method="post" action="/_sim/devices">
            <label>\(language.text("名前", "Name"))<input type="text" name="name" required maxlength="60" \
            value="\(language.text("端末", "Phone")) \(letter)"></label>
            <label>\(language.text("持ち主", "Owner"))<input type="text" name="owner" required maxlength="60" \
            value="\(owner)"></label>
            <label>\(language.text("DeviceCheck", "DeviceCheck"))<select name="supported">\
            <option value="true">\(language.text("使える", "supported"))</option>\
            <option value="false">\(language.text("使えない", "not supported"))</option></select></label>
            <button>\(language.text("作る", "Make"))</button></form>

            """
    }
}

extension SimulatorPage {
    /// A page of phones.
    fileprivate static func ofPhones(_ language: PageLanguage, _ title: String) -> SimulatorPage {
        SimulatorPage(
            language: language,
            title: title,
            banner: language.text(
                "シミュレーターです。本物の DeviceCheck ではありません。",
                "Simulator: this is no real DeviceCheck, and these are no real phones."
            ),
            name: "DeviceCheck simulator"
        )
    }
}
