import Primitives
import SimulatorCore

/// The pages of a simulated provider: plain forms that work without a script.
struct LoginPages {
    private let language: PageLanguage
    private let face: ProviderFace

    /// Holds who is logged in at the provider.
    static let cookie = "simulated_login"

    init(_ language: PageLanguage, _ face: ProviderFace) {
        (self.language, self.face) = (language, face)
    }

    func setCookie(_ value: String) -> String { "\(Self.cookie)=\(value); Path=/; HttpOnly; SameSite=Lax" }

    /// Sends a browser on; nobody keeps the address.
    static func redirect(_ url: String) -> SimulatorAnswer {
        SimulatorAnswer(302, [("location", url), ("cache-control", "no-store"), ("referrer-policy", "no-referrer")])
    }

    func login(_ id: String, isWrong: Bool) -> SimulatorAnswer {
        let complaint: HTML =
            isWrong
            ? "<p class=\"complaint\" id=\"complaint\">\(language.text("パスワードが違います。", "The password is wrong."))</p>\n"
            : ""
        let users = SimulatedUser.all.map { user -> HTML in
            "<option value=\"\(user.name)\">\(user.name)</option>"
        }
        return page(
            200,
            language.text("ログイン", "Log in"),
            """
            \(complaint)<form class="wide" method="post" action="\(face.base)/step">
            <input type="hidden" name="request" value="\(id)">
            <label>\(language.text("ユーザー", "User"))<select name="user">\(users)</select></label>
            <label>\(language.text("パスワード（wrong は失敗）", "Password (wrong fails)"))<input type="text" \
            name="password" value="password"></label>
            <button name="action" value="login">\(language.text("ログイン", "Log in"))</button></form>

            """
        )
    }

    func consent(_ id: String, _ query: AuthorizationQuery, _ user: String) -> SimulatorAnswer {
        let scopes = query.scopes.map { scope -> HTML in "<li>\(scope)</li>" }
        return page(
            200,
            language.text("同意", "Consent"),
            """
            <p><strong id="user">\(user)</strong> · <span id="client">\(query.client.id)</span></p>
            <ul id="scopes">\(scopes)</ul>
            <form method="post" action="\(face.base)/step"><input type="hidden" name="request" value="\(id)">
            <button name="action" value="agree">\(language.text("同意する", "Agree"))</button>
            <button name="action" value="decline">\(language.text("同意しない", "Do not agree"))</button></form>

            """
        )
    }

    /// Stands for the provider's own first page, from which nobody gets back to the client.
    func top() -> SimulatorAnswer {
        page(200, language.text("トップページ", "The provider's first page"), "<p id=\"top\">\(face.name)</p>\n")
    }

    func over() -> SimulatorAnswer {
        page(400, language.text("できませんでした", "That did not work"), complaint("no such request"))
    }

    /// Where there is no client to answer to.
    func refusal(_ reason: AuthorizationQuery.Refusal) -> SimulatorAnswer {
        let word =
            switch reason {
            case .malformed: "malformed request"
            case .client: "unknown client_id"
            case .redirect: "unknown redirect_uri"
            }
        return page(400, language.text("できませんでした", "That did not work"), complaint(word))
    }

    private func complaint(_ word: String) -> HTML { "<p class=\"complaint\" id=\"complaint\">\(word)</p>\n" }

    /// A page that posts the answer to the client; without a script by a button.
    func formPost(_ target: String, _ members: [(String, String)]) -> SimulatorAnswer {
        let inputs = members.map { name, value -> HTML in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        let content: HTML = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>\(face.name)</title></head>
            <body><form id="answer" method="post" action="\(target)">\(inputs)<button>Continue</button></form>
            <script src="/_sim/post.js"></script></body></html>

            """
        let fields = [
            ("content-type", "text/html; charset=utf-8"), ("cache-control", "no-store"),
            ("content-security-policy", "default-src 'none'; script-src 'self'"), ("referrer-policy", "no-referrer"),
        ]
        return SimulatorAnswer(200, fields, body: content.bytes)
    }

    /// The script of that page.
    static let postScript = "document.getElementById(\"answer\").submit();\n"

    private func page(_ status: Int, _ title: String, _ content: HTML) -> SimulatorAnswer {
        SimulatorPage(
            language: language,
            title: title,
            banner: language.text(
                "シミュレーターです。本物のログインではありません。",
                "Simulator: this is no real login, and these are no real users."
            ),
            name: face.name + " simulator"
        )
        .answer(status, content)
    }
}
