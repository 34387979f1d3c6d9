/// What surrounds every page of one language: the head, the shop's name, the steps, the footer.
struct Frame: Sendable {
    let texts: Texts
    let site: PageSite
    let assets: StaticAssets

    /// Where in the purchase a page stands.
    enum Step: Int {
        case cart
        case payment
        case confirm
        case done
    }

    /// How wide the page's content runs on a large screen.
    enum Width {
        case narrow
        case wide
    }

    /// The names of the steps, in order.
    var stepNames: [Wording] {
        [texts.frame.stepCart, texts.frame.stepPayment, texts.frame.stepConfirm, texts.frame.stepDone]
    }
}

/// What a page tells its frame.
struct Head<Slot: Sendable> {
    /// A script of the page.
    enum Script {
        /// A file of our own, run in order when the document is there.
        case file(StaticAsset)
        /// The provider's script, run whenever it arrives, so that a slow host does not hold ours up.
        case provider
    }

    /// What stands in `data-error`.
    enum Mark {
        case none
        case code(PageErrorCode)
        case slot(Slot)
    }

    let title: Wording
    var width = Frame.Width.narrow
    var step: Frame.Step?
    var mark = Mark.none
    var scripts: [Script] = []
    /// The gap for the nonce; pages with scripts have one.
    var nonce: Slot?
}

extension TemplateBuilder {
    /// Writes a whole document around the content of a page.
    ///
    /// - Parameters:
    ///   - frame: Of the page's language.
    ///   - head: What the page tells its frame.
    ///   - content: Writes what stands in `main`.
    mutating func document(_ frame: Frame, _ head: Head<Slot>, content: (inout Self) -> Void) {
        html("<!DOCTYPE html>\n<html lang=\"")
        constant.text(frame.texts.language.rawValue)
        html("\"")
        errorMark(head.mark)
        html(">\n<head>\n<meta charset=\"utf-8\">\n<title>")
        text(head.title)
        html(" | ")
        constant.text(frame.site.shopName)
        html("</title>\n")
        metadata()
        html("<link rel=\"icon\" type=\"image/svg+xml\" href=\"")
        constant.link(frame.assets[.mark])
        html("\">\n<link rel=\"stylesheet\" href=\"")
        constant.link(frame.assets[.styles])
        html("\">\n")
        for script in head.scripts { self.script(script, frame, nonce: head.nonce) }
        html("</head>\n<body>\n")
        top(frame, head.step)
        html(head.width == .wide ? "<main class=\"main main-wide\">\n" : "<main class=\"main\">\n")
        content(&self)
        html("</main>\n<footer class=\"foot\"><p>")
        text(frame.texts.frame.footer)
        html("</p></footer>\n</body>\n</html>\n")
    }

    /// Writes what every document says about itself to browsers and robots.
    mutating func metadata() {
        html(
            """
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <meta name="robots" content="noindex, nofollow">
            <meta name="color-scheme" content="light dark">
            <meta name="theme-color" content="#f5f4f0" media="(prefers-color-scheme: light)">
            <meta name="theme-color" content="#14181b" media="(prefers-color-scheme: dark)">
            <meta name="format-detection" content="telephone=no">

            """
        )
    }

    private mutating func errorMark(_ mark: Head<Slot>.Mark) {
        switch mark {
        case .none: return
        case .code(let code):
            html(" data-error=\"")
            constant.text(code.rawValue)
        case .slot(let slot):
            html(" data-error=\"")
            self.slot(slot)
        }
        html("\"")
    }

    private mutating func script(_ script: Head<Slot>.Script, _ frame: Frame, nonce: Slot?) {
        html("<script nonce=\"")
        if let nonce { slot(nonce) }
        html("\" src=\"")
        switch script {
        case .file(let asset):
            constant.link(frame.assets[asset])
            html("\" defer></script>\n")
        case .provider:
            constant.link(frame.site.checkoutScript)
            html("\" async></script>\n")
        }
    }

    private mutating func top(_ frame: Frame, _ step: Frame.Step?) {
        if frame.site.isDemonstration {
            html("<p class=\"demo\">")
            text(frame.texts.frame.demonstration)
            html("</p>\n")
        }
        html("<header class=\"top\"><p class=\"brand\"><img class=\"brand-mark\" src=\"")
        constant.link(frame.assets[.mark])
        html("\" alt=\"\" width=\"32\" height=\"32\"><span>")
        constant.text(frame.site.shopName)
        html("</span></p></header>\n")
        guard let step else { return }
        html("<ol class=\"steps\" aria-label=\"")
        text(frame.texts.frame.steps)
        html("\">\n")
        for (index, name) in frame.stepNames.enumerated() {
            html(Self.stepStart(index, current: step.rawValue))
            text(name)
            html("</li>\n")
        }
        html("</ol>\n")
    }

    private static func stepStart(_ index: Int, current: Int) -> HTML {
        if index == current { return "<li class=\"step step-now\" aria-current=\"step\">" }
        return index < current ? "<li class=\"step step-past\">" : "<li class=\"step\">"
    }
}
