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
}

/// What a page gives its frame.
struct Head<Slot: Sendable> {
    /// A script of the page.
    enum Script {
        /// A file of our own, run in order when the document is there.
        case file(StaticAsset)
        /// The provider's script, run whenever it arrives, so that a slow host does not hold ours up.
        case provider
    }

    let title: Markup<Slot>
    var width = Frame.Width.narrow
    var step: Frame.Step?
    /// What the present step is called here, where it is not its usual name.
    var stepName: Wording?
    /// The value of `data-error`, where the page is about an error.
    var error: Markup<Slot>?
    var scripts: [Script] = []
    /// The gap for the nonce; pages with scripts have one.
    var nonce = Markup<Slot>.empty
}

extension Frame {
    /// A whole document around the content of a page.
    ///
    /// - Parameters:
    ///   - head: What the page gives its frame.
    ///   - content: What stands in `main`.
    /// - Returns: The compiled document.
    func document<Slot>(_ head: Head<Slot>, _ content: Markup<Slot>) -> Template<Slot> {
        Template(
            """
            <!DOCTYPE html>
            <html lang="\(texts.language.rawValue)"\(errorMark(head))>
            <head>
            <meta charset="utf-8">
            <title>\(head.title) | \(site.shopName)</title>
            \(metadata())
            <link rel="icon" type="\(assets.iconType)" href="\(assets[.mark])">
            <link rel="stylesheet" href="\(assets[.styles])">
            \(shopStyles())\(Markup(each: head.scripts) { script($0, nonce: head.nonce) })</head>
            <body>
            \(top(head))<main class="\(head.width == .wide ? "main main-wide" : "main")">
            \(content)
            </main>
            <footer class="foot"><p>\(texts.frame.footer)</p>\(policies())</footer>
            </body>
            </html>

            """
        )
    }

    /// What every document says about itself to browsers and robots.
    func metadata<Slot>() -> Markup<Slot> {
        """
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
        <meta name="robots" content="noindex, nofollow">
        <meta name="color-scheme" content="light dark">
        <meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
        <meta name="theme-color" content="#1d2327" media="(prefers-color-scheme: dark)">
        <meta name="format-detection" content="telephone=no">
        """
    }

    private func shopStyles<Slot>() -> Markup<Slot> {
        guard let styles = assets.shopStyles else { return .empty }
        return """
            <link rel="stylesheet" href="\(styles)">

            """
    }

    private func policies<Slot>() -> Markup<Slot> {
        let links = ShopTerms.Policy.allCases.compactMap { policy in
            site.terms.policies[policy].map { (name: texts.frame.policy(policy), target: $0) }
        }
        guard !links.isEmpty else { return .empty }
        let items = Markup<Slot>(each: links) { #"<li><a rel="noreferrer" href="\#($0.target)">\#($0.name)</a></li>"# }
        return """

            <ul class="policies">\(items)</ul>
            """
    }

    private func errorMark<Slot>(_ head: Head<Slot>) -> Markup<Slot> {
        guard let error = head.error else { return .empty }
        return #" data-error="\#(error)""#
    }

    private func script<Slot>(_ script: Head<Slot>.Script, nonce: Markup<Slot>) -> Markup<Slot> {
        switch script {
        case .file(let asset):
            """
            <script nonce="\(nonce)" src="\(assets[asset])" defer></script>

            """
        case .provider:
            """
            <script nonce="\(nonce)" src="\(site.checkoutScript)" async></script>

            """
        }
    }

    private func top<Slot>(_ head: Head<Slot>) -> Markup<Slot> {
        """
        <header>
        <div class="top">
        \(demonstration())<p class="brand"><img class="brand-mark" src="\(assets[.mark])" alt="" width="32" height="32">\
        <span>\(site.shopName)</span></p>
        </div>
        \(steps(head))</header>

        """
    }

    private func demonstration<Slot>() -> Markup<Slot> {
        guard site.isDemonstration else { return .empty }
        return """
            <p class="demo">\(texts.frame.demonstration)</p>

            """
    }

    private func steps<Slot>(_ head: Head<Slot>) -> Markup<Slot> {
        guard let step = head.step else { return .empty }
        let names = [texts.frame.stepCart, texts.frame.stepPayment, texts.frame.stepConfirm, texts.frame.stepDone]
        let items = Markup<Slot>(each: names.enumerated()) { index, name in
            if index == step.rawValue {
                return #"<li class="step step-now" aria-current="step">\#(head.stepName ?? name)</li>"#
            }
            return index < step.rawValue
                ? #"<li class="step step-past">\#(name)</li>"# : #"<li class="step">\#(name)</li>"#
        }
        return """
            <ol class="steps" aria-label="\(texts.frame.steps)">\(items)</ol>

            """
    }
}
