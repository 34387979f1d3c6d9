import Pages
import Web

extension Frame {
    /// The page that says what a member's card is, and how it gets onto the phone.
    ///
    /// - Parameters:
    ///   - file: Answers with the card itself.
    ///   - code: Of the link, for a phone that is another machine than the one with this page.
    func linkPage(_ file: LinkTarget, _ code: QRCode?) -> Template<Never> {
        func text(_ words: Localized) -> String { words.text(in: language) }
        return document(
            Head(title: "\(text(LinkTexts.heading))"),
            """
            <section class="card hero">
            <h1>\(text(LinkTexts.heading))</h1>
            <p>\(text(LinkTexts.what))</p>
            <p class="actions"><a id="card" class="button button-main button-wide" rel="noreferrer" href="\(file)">\
            \(text(LinkTexts.fetch))</a></p>
            <p class="note">\(text(LinkTexts.keep))</p>
            </section>
            \(code.map(picture) ?? .empty)<section class="card">
            <h2>\(text(LinkTexts.how))</h2>
            <dl class="facts">
            \(Markup(each: LinkTexts.ways) { "<div><dt>\(text($0.device))</dt><dd>\(text($0.way))</dd></div>\n" })</dl>
            </section>
            """
        )
    }

    /// Black on white in the dark, too: readers take nothing else.
    private func picture(_ code: QRCode) -> Markup<Never> {
        func text(_ words: Localized) -> String { words.text(in: language) }
        let side = String(code.side)
        return """
            <section class="card">
            <h2>\(text(LinkTexts.scan))</h2>
            <p>\(text(LinkTexts.scanHow))</p>
            <svg id="code" viewBox="0 0 \(side) \(side)" width="220" height="220" role="img" aria-label="\(text(LinkTexts.code))">\
            <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path fill="#000" d="\(code.path)"/></svg>
            </section>

            """
    }
}

/// Texts of the page of a link.
private enum LinkTexts {
    static let heading = Localized("会員カード", "Your member card")
    static let what = Localized(
        "iPhoneのウォレットに入れて使う会員カードです。ポイントが変わると、カードの表示も自動で変わります。",
        "It goes into Wallet on your iPhone, and shows your points there: when they change, the card follows by itself."
    )
    static let fetch = Localized("カードを受け取る", "Get the card")
    static let keep = Localized(
        "このページのアドレスはカードの鍵です。ほかの人に渡さないでください。",
        "Whoever has the address of this page can install the card: keep it to yourself."
    )
    static let scan = Localized("iPhoneで読み取る", "Scan it with the iPhone")
    static let scanHow = Localized(
        "iPhoneのカメラでこのコードを読み取り、表示されたリンクをSafariで開きます。",
        "Point the camera of the iPhone at this code and open the link that it shows in Safari."
    )
    static let code = Localized("このページのリンクのQRコード", "QR code of the link of this page")
    static let how = Localized("カードの入れ方", "How it gets onto the phone")
    static let ways: [(device: Localized, way: Localized)] = [
        (
            Localized("iPhone", "iPhone"),
            Localized(
                "このリンクをSafariで開き、「追加」をタップします。ほかのアプリの中の画面では開けないことがあります。",
                "Open this link in Safari and tap Add. Windows inside other apps may not take a card."
            )
        ),
        (
            Localized("パソコン", "Computer"),
            Localized(
                "このページのQRコードをiPhoneで読み取るか、受け取ったファイルをメールやAirDropでiPhoneに送ります。",
                "Scan the QR code of this page with the iPhone, or get the file and send it there by mail or AirDrop."
            )
        ),
        (
            Localized("Android", "Android"),
            Localized("Apple ウォレット形式のカードに対応したアプリで開きます。", "Open the file in an app that takes cards for Apple Wallet.")
        ),
    ]
}
