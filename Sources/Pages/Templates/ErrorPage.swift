/// The error page of one language.
struct ErrorPage: Sendable {
    private enum PageSlot {
        case code
        case detail
        case ways
        case reference
    }

    private let template: Template<PageSlot>
    private let texts: Texts
    private let wayBack: WayBack

    init(_ frame: Frame) {
        texts = frame.texts
        wayBack = WayBack(frame.texts.frame, app: frame.texts.cancelled.backToApp)
        template = Template { page in
            page.document(frame, Head<PageSlot>(title: frame.texts.errors.title, mark: .slot(.code))) { page in
                page.html("<section class=\"card hero\">\n<h1>")
                page.text(frame.texts.errors.lead)
                page.html("</h1>\n<p id=\"detail\">")
                page.slot(.detail)
                page.html("</p>\n")
                page.slot(.ways)
                page.slot(.reference)
                page.html("</section>\n")
            }
        }
    }

    /// Writes the page.
    func render(_ view: ErrorView) -> [UInt8] {
        template.render(room: 1024) { slot, writer in
            switch slot {
            case .code: writer.text(view.code.rawValue)
            case .detail: writer.text(texts.errors.detail(view.code))
            case .ways: ways(view, to: &writer)
            case .reference: reference(view.reference, to: &writer)
            }
        }
    }

    private func ways(_ view: ErrorView, to writer: inout HTMLWriter) {
        switch view.way {
        case .none: break
        case .confirm: first(.confirm, texts.errors.toConfirm, to: &writer)
        case .button: first(.button, texts.errors.toButton, to: &writer)
        }
        if let client = view.client { wayBack.writeCartLink(client, to: &writer) }
    }

    private func first(_ target: LinkTarget, _ text: Wording, to writer: inout HTMLWriter) {
        writer.html("<p class=\"actions\"><a id=\"retry\" class=\"button button-main button-wide\" href=\"")
        writer.link(target)
        writer.html("\">")
        writer.text(text)
        writer.html("</a></p>\n")
    }

    private func reference(_ reference: String?, to writer: inout HTMLWriter) {
        guard let reference else { return }
        writer.html("<p class=\"note\">")
        writer.text(texts.frame.reference)
        writer.html(" <code>")
        writer.text(reference)
        writer.html("</code></p>\n")
    }
}
