/// The web host's page that offers the return link once more, of one language.
struct RescuePage: Sendable {
    private enum PageSlot {
        case link
    }

    private let withLink: Template<PageSlot>
    private let withoutLink: [UInt8]

    init(_ frame: Frame) {
        withLink = Self.template(frame, hasLink: true)
        withoutLink = Self.template(frame, hasLink: false).render(room: 0) { _, _ in }
    }

    /// Writes the page.
    func render(_ view: RescueView) -> [UInt8] {
        guard let target = view.returnLink else { return withoutLink }
        return withLink.render(room: 768) { slot, writer in
            switch slot {
            case .link: writer.link(target)
            }
        }
    }

    private static func template(_ frame: Frame, hasLink: Bool) -> Template<PageSlot> {
        let texts = frame.texts.result
        return Template { page in
            page.document(frame, Head<PageSlot>(title: texts.rescueTitle)) { page in
                page.html("<section class=\"card hero\">\n<h1>")
                page.text(texts.rescueHeading)
                page.html("</h1>\n<p>")
                page.text(hasLink ? texts.rescueLead : texts.rescueClosed)
                page.html("</p>\n")
                if hasLink { Self.link(&page, texts) }
                page.html("<h2>")
                page.text(texts.steps)
                page.html("</h2>\n<ul class=\"hints\">\n")
                for step in hasLink ? [texts.stepTap, texts.stepHold, texts.stepClose] : [texts.stepClose] {
                    page.html("<li>")
                    page.text(step)
                    page.html("</li>\n")
                }
                page.html("</ul>\n<p class=\"note\">")
                page.text(texts.stepCharge)
                page.html("</p>\n</section>\n")
            }
        }
    }

    private static func link(_ page: inout TemplateBuilder<PageSlot>, _ texts: ResultTexts) {
        page.html("<p class=\"actions\"><a id=\"purchase_link\" class=\"button button-main button-wide\" href=\"")
        page.slot(.link)
        page.html("\">")
        page.text(texts.returnLink)
        page.html("</a></p>\n")
    }
}
