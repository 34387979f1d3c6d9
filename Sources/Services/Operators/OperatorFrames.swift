import HTTPCore
import Pages
import Primitives
import ServerCore
import Web

extension StaticAsset {
    /// The style sheet of the staff's pages, beside the one of every page.
    static let operatorStyles = StaticAsset("css/operators.css")
}

/// The shop's frame as the staff sees it: with a menu, and who is signed in.
final class OperatorFrames {
    private let frames: EachLanguage<Frame>
    private let menu: [OperatorMenuEntry]
    private let headers: HeaderPolicy

    init(_ shop: EachLanguage<Frame>, _ menu: [OperatorMenuEntry], _ headers: HeaderPolicy) {
        frames = EachLanguage { language in
            Frame(
                language,
                shopName: shop[language].shopName,
                assets: shop[language].assets,
                notice: nil,
                footer: Wording(OperatorTexts.footer.text(in: language)),
                links: []
            )
        }
        self.menu = menu
        self.headers = headers
    }

    /// The whole document of a page.
    ///
    /// - Parameter notice: What is said beside the session's own, which it has from its last change.
    func answer(
        _ page: OperatorPage,
        to request: HTTPRequest,
        _ session: OperatorSession?,
        notice other: String? = nil
    ) -> HTTPResponse {
        let language = Language(preferredBy: request)
        let document = frames[language].document(
            Head<Never>(
                title: "\(page.title)",
                width: session == nil ? .narrow : .wide,
                styles: [.operatorStyles],
                navigation: session.map { navigation(request, $0, language) } ?? .empty
            ),
            """
            <h1 id="content" tabindex="-1">\(page.title)</h1>
            \(notice(session?.notice ?? other))\(problem(page.problem))\(page.content)
            """
        )
        var response = HTTPResponse(page.status, block: headers.clearPage, body: .bytes(document.bytes))
        _ = response.add(.contentSecurityPolicy, ContentSecurityPolicy.form)
        return response
    }

    /// The page of a refusal.
    func refusal(_ failure: Failure, of request: HTTPRequest, session: OperatorSession?) -> HTTPResponse {
        let language = Language(preferredBy: request)
        let notice = failure.operatorNotice
        let page = OperatorPage(
            notice.headline.text(in: language),
            status: failure.code.status,
            """
            <section class="card" data-error="\(failure.code.name)">
            <p>\(notice.detail.text(in: language))</p>
            <p class="note">\(OperatorTexts.requestNumber.text(in: language)) <code>\(request.requestID)</code></p>
            <p><a href="\(LinkTarget.start)">\(OperatorTexts.toStart.text(in: language))</a></p>
            </section>
            """
        )
        var response = answer(page, to: request, session)
        if let seconds = failure.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        return response
    }

    /// Sends a browser on, with GET.
    func redirect(to target: LinkTarget) -> HTTPResponse {
        var response = HTTPResponse(.seeOther, block: headers.downgrade)
        _ = response.add(.location, target.text)
        return response
    }

    private func notice(_ text: String?) -> Markup<Never> {
        guard let text else { return .empty }
        return """
            <p class="notice done" role="status">\(text)</p>

            """
    }

    private func problem(_ text: String?) -> Markup<Never> {
        guard let text else { return .empty }
        return """
            <p class="notice problem" role="alert">\(text)</p>

            """
    }

    private func navigation(_ request: HTTPRequest, _ session: OperatorSession, _ language: Language) -> Markup<Never> {
        let path = request.path.octets
        let entries = menu.filter { session.role.includes($0.role) }
        let items = Markup<Never>(each: entries) { entry in
            let own = entry.path.text
            let isHere = path == own.octets || (own.octets != "/console" && path.starts(with: "\(own)/".octets))
            let mark: Markup<Never> = isHere ? #" aria-current="page""# : ""
            return #"<li><a href="\#(entry.path)"\#(mark)>\#(entry.title.text(in: language))</a></li>"#
        }
        return """
            <a class="skip" href="#content">\(OperatorTexts.skip.text(in: language))</a>
            <div class="staff">
            <nav aria-label="\(OperatorTexts.menu.text(in: language))"><ul class="menu">\(items)</ul></nav>
            <form class="person" method="post" action="\(LinkTarget(own: "/console/sign-out"))">
            <input type="hidden" name="\(OperatorAccess.wordField)" value="\(session.token.formWord)">
            <span>\(session.name)</span>
            <button class="button button-quiet" type="submit">\(OperatorTexts.signOut.text(in: language))</button>
            </form>
            </div>

            """
    }
}
