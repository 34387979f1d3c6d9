/// What surrounds every page of one language: the head, the shop's name, the steps, the footer.
package struct Frame: Sendable {
    /// Of the pages.
    package let language: Language
    /// The shop's name, as buyers know it.
    package let shopName: String
    /// The addresses of the static files.
    package let assets: StaticAssets
    /// Above everything on every page, such as that nothing is charged; `nil` for nothing.
    let notice: Wording?
    /// At the foot of every page.
    let footer: Wording
    /// Pages of the shop that are linked at the foot.
    let links: [Link]

    /// A page of the shop elsewhere.
    package struct Link: Sendable {
        let name: Wording
        let target: LinkTarget

        /// A page and what it is called.
        package init(_ name: Wording, _ target: LinkTarget) {
            self.name = name
            self.target = target
        }
    }

    /// How wide the page's content runs on a large screen.
    package enum Width {
        /// A column of text.
        case narrow
        /// Two columns, such as cart and total.
        case wide
    }

    /// A shop's frame; the name may be any text.
    package init(
        _ language: Language,
        shopName: String,
        assets: StaticAssets,
        notice: Wording?,
        footer: Wording,
        links: [Link]
    ) {
        self.language = language
        self.shopName = shopName
        self.assets = assets
        self.notice = notice
        self.footer = footer
        self.links = links
    }
}

/// The way that a page is a part of, above its content.
package struct Steps: Sendable {
    let label: Wording
    let names: [Wording]
    let present: Int

    /// All steps in order, and the index of the page's own.
    package init(_ label: Wording, _ names: [Wording], present: Int) {
        self.label = label
        self.names = names
        self.present = present
    }
}

/// What a page gives its frame.
package struct Head<Slot: Sendable> {
    /// A script of the page.
    package enum Script {
        /// A file of our own, run in order when the document is there.
        case file(StaticAsset)
        /// One of another host, run whenever it arrives, so that a slow host does not hold ours up.
        case foreign(LinkTarget)
    }

    let title: Markup<Slot>
    let width: Frame.Width
    let steps: Steps?
    let error: Markup<Slot>?
    let scripts: [Script]
    let nonce: Markup<Slot>
    let styles: [StaticAsset]
    let navigation: Markup<Slot>

    /// The facts of a page.
    ///
    /// - Parameters:
    ///   - error: The value of `data-error`, where the page is about an error.
    ///   - nonce: The gap for the nonce; pages with scripts have one.
    ///   - styles: Style sheets beside the one of every page.
    ///   - navigation: Below the shop's name.
    package init(
        title: Markup<Slot>,
        width: Frame.Width = .narrow,
        steps: Steps? = nil,
        error: Markup<Slot>? = nil,
        scripts: [Script] = [],
        nonce: Markup<Slot> = .empty,
        styles: [StaticAsset] = [],
        navigation: Markup<Slot> = .empty
    ) {
        self.title = title
        self.width = width
        self.steps = steps
        self.error = error
        self.scripts = scripts
        self.nonce = nonce
        self.styles = styles
        self.navigation = navigation
    }
}

extension Frame {
    /// A whole document around the content of a page, which stands in `main`.
    package func document<Slot>(_ head: Head<Slot>, _ content: Markup<Slot>) -> Template<Slot> {
        Template(
            """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)"\(errorMark(head))>
            <head>
            <meta charset="utf-8">
            <title>\(head.title) | \(shopName)</title>
            \(metadata())
            <link rel="icon" type="\(assets.iconType)" href="\(assets[.mark])">
            <link rel="stylesheet" href="\(assets[.styles])">
            \(Markup(each: head.styles) { style($0) })\(shopStyles())\(Markup(each: head.scripts) { script($0, nonce: head.nonce) })</head>
            <body>
            \(top(head))<main class="\(head.width == .wide ? "main main-wide" : "main")">
            \(content)
            </main>
            <footer class="foot"><p>\(footer)</p>\(linkList())</footer>
            </body>
            </html>

            """
        )
    }

    /// What every document says about itself to browsers and robots.
    package func metadata<Slot>() -> Markup<Slot> {
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

    private func style<Slot>(_ asset: StaticAsset) -> Markup<Slot> {
        """
        <link rel="stylesheet" href="\(assets[asset])">

        """
    }

    private func linkList<Slot>() -> Markup<Slot> {
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
        case .foreign(let target):
            """
            <script nonce="\(nonce)" src="\(target)" async></script>

            """
        }
    }

    private func top<Slot>(_ head: Head<Slot>) -> Markup<Slot> {
        """
        <header>
        <div class="top">
        \(noticeLine())<p class="brand"><img class="brand-mark" src="\(assets[.mark])" alt="" width="32" height="32">\
        <span>\(shopName)</span></p>
        \(head.navigation)</div>
        \(list(head.steps))</header>

        """
    }

    private func noticeLine<Slot>() -> Markup<Slot> {
        guard let notice else { return .empty }
        return """
            <p class="demo">\(notice)</p>

            """
    }

    private func list<Slot>(_ steps: Steps?) -> Markup<Slot> {
        guard let steps else { return .empty }
        let items = Markup<Slot>(each: steps.names.enumerated()) { index, name in
            if index == steps.present { return #"<li class="step step-now" aria-current="step">\#(name)</li>"# }
            return index < steps.present
                ? #"<li class="step step-past">\#(name)</li>"# : #"<li class="step">\#(name)</li>"#
        }
        return """
            <ol class="steps" aria-label="\(steps.label)">\(items)</ol>

            """
    }
}
