import SimulatorCore

/// A phone on a page: who has it, what the vendor knows of it, the app, and what can become of it.
struct PhoneCard {
    let device: SimulatedDevice
    /// What the vendor has for the developer, by environment.
    let bits: [(DeviceEnvironment, TwoBits?)]
    /// How many keys the vendor says were attested on it, by environment.
    let risks: [(DeviceEnvironment, Int)]
    /// Where the app asks, unless somebody says otherwise.
    let server: String
    let page: SimulatorPage

    private var language: PageLanguage { page.language }
    private var path: String { "/_sim/devices/\(device.number)" }

    var html: HTML {
        """
        <section class="phone" id="phone-\(String(device.number))">
        <h2>\(device.name) <small>\(device.owner)</small></h2>
        <table class="bits"><tr><th>Apple</th><th>bit0</th><th>bit1</th><th>\(language.text("更新", "Updated"))</th></tr>
        \(bits.map(row))</table>
        \(app)
        \(risk)
        <ul class="story">\(device.story.reversed().map { line -> HTML in "<li>\(line)</li>\n" })</ul>
        \(sale)</section>

        """
    }

    private func row(_ environment: DeviceEnvironment, _ bits: TwoBits?) -> HTML {
        guard let bits else {
            return """
                <tr><td>\(environment.rawValue)</td><td colspan="3" class="none">\
                \(language.text("未設定", "never set"))</td></tr>

                """
        }
        return """
            <tr><td>\(environment.rawValue)</td><td>\(bits.bit0 ? "1" : "0")</td><td>\(bits.bit1 ? "1" : "0")</td>\
            <td>\(bits.month)</td></tr>

            """
    }

    // MARK: App

    private var app: HTML {
        guard let app = device.app else {
            let none = language.text("アプリは入っていません。", "The app is not installed.")
            return "<p>\(none)</p>\n\(install)"
        }
        guard app.session != nil else { return "\(signIn)\(remove)" }
        let name = app.account.isEmpty ? language.text("名前のないアカウント", "an account without a name") : app.account
        return """
            <p>\(language.text("サインイン中", "Signed in")): <b>\(name)</b></p>
            \(claim)\(support)<details><summary>\(language.text("別のアカウント", "Another account"))</summary>\(signIn)</details>
            \(remove)
            """
    }

    private var install: HTML {
        let options = DeviceEnvironment.allCases.map { environment -> HTML in "<option>\(environment.rawValue)</option>"
        }
        return """
            <form class="wide" method="post" action="\(path)/install">
            <label>\(language.text("署名", "Signed for"))<select name="environment">\(options)</select></label>
            <button>\(language.text("アプリを入れる", "Install the app"))</button></form>

            """
    }

    private var remove: HTML {
        page.button(path + "/uninstall", language.text("アプリを削除", "Delete the app"))
    }

    private var signIn: HTML {
        """
        <form class="wide" method="post" action="\(path)/sign-in">
        <label>\(language.text("アカウント", "Account"))<input type="text" name="account" maxlength="60" \
        value="\(device.owner)"></label>
        <label>\(language.text("アプリのトークン", "Token of the app"))\
        <input type="text" name="token" required maxlength="500" autocomplete="off"></label>
        <label>\(language.text("アドレス", "Address"))<input type="url" name="server" \
        value="\(device.app?.session?.server ?? server)"></label>
        <button>\(language.text("サインイン", "Sign in"))</button></form>

        """
    }

    private var claim: HTML {
        """
        <form class="wide" method="post" action="\(path)/claim">
        <label>\(language.text("目的", "Purpose"))<input type="text" name="purpose" required maxlength="40" \
        value="free-trial"></label>
        <button>\(language.text("特典を受け取る", "Take the gift"))</button>
        <button formaction="\(path)/check">\(language.text("確認だけ", "Only ask"))</button></form>

        """
    }

    private var support: HTML {
        """
        <form class="wide" method="post" action="\(path)/reset">
        <label>\(language.text("サポートのコード", "Code of support"))<input type="text" name="code" required maxlength="40" \
        autocomplete="off"></label>
        <button>\(language.text("リセット", "Reset"))</button></form>

        """
    }

    // MARK: App Attest

    private var risk: HTML {
        let counts = risks.map { environment, metric -> HTML in
            "\(environment.rawValue): <b>\(String(metric))</b> "
        }
        let none: HTML = "\(language.text("なし", "none"))"
        return """
            <p class="risk">\(language.text("この端末で証明された鍵", "Keys attested on this phone")): \
            \(risks.isEmpty ? [none] : counts)</p>
            <form class="wide" method="post" action="\(path)/risk">
            <label>\(language.text("Apple が答える数", "The number that Apple says"))<input type="number" name="metric" \
            min="0" max="999999999" value="\(device.riskMetric.map { String($0) } ?? "")" \
            placeholder="\(language.text("実際の数", "as it is"))"></label>
            <button>\(language.text("変える", "Change"))</button></form>

            """
    }

    // MARK: Sale

    private var sale: HTML {
        let release = page.button(path + "/release", language.text("手放す前に解除", "Release before a sale"))
        return """
            \(device.app?.session == nil ? "" : release)\
            <form class="wide" method="post" action="\(path)/erase">
            <label>\(language.text("次の持ち主", "Next owner"))<input type="text" name="owner" maxlength="60"></label>
            <button>\(language.text("消去して譲る", "Erase and sell"))</button></form>

            """
    }

    static let css = """
        .phones { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); align-items: start; }
        .phone { padding: .2rem 1rem 1rem; background: var(--box); border: 1px solid var(--line); border-radius: 20px; }
        .phone h2 { margin: .8rem 0; } .phone small { color: var(--soft); font-weight: 400; }
        .phone form.wide { margin: .6rem 0; } .phone form.wide label { flex: 1 1 9rem; }
        .phone input, .phone select { background: var(--page); }
        .bits td, .bits th { padding: .2rem .4rem; } .none { color: var(--soft); }
        .story { padding-left: 1.2rem; } summary { min-height: 44px; padding: .5rem 0; cursor: pointer; }

        """
}
