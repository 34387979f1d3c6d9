/// The error page of one language.
struct ErrorPage: Sendable {
    private enum PageSlot {
        case code
        case detail
        case ways
        case reference
    }

    private enum PartSlot {
        case value
    }

    private let template: Template<PageSlot>
    private let reference: Template<PartSlot>
    private let toConfirm: [UInt8]
    private let toButton: [UInt8]
    private let wayBack: WayBack
    private let detail: @Sendable (PageErrorCode) -> Wording

    init(_ frame: Frame) {
        let texts = frame.texts.errors
        wayBack = WayBack(frame.texts)
        detail = texts.detail
        toConfirm = Self.way(.confirm, texts.toConfirm)
        toButton = Self.way(.button, texts.toButton)
        reference = Template(
            """
            <p class="note">\(frame.texts.frame.reference) <code>\(.value)</code></p>

            """
        )
        template = frame.document(
            Head(title: texts.title, error: "\(.code)"),
            """
            <section class="card hero">
            <h1>\(texts.lead)</h1>
            <p id="detail">\(.detail)</p>
            \(.ways)\(.reference)</section>
            """
        )
    }

    /// Writes the page.
    ///
    /// - Parameter view: What happened, and the ways on.
    /// - Returns: The document.
    func render(_ view: ErrorView) -> [UInt8] {
        template.render(room: 1024) { slot, writer in
            switch slot {
            case .code: writer.text(view.code.rawValue)
            case .detail: writer.text(detail(view.code))
            case .ways: writeWays(view, to: &writer)
            case .reference:
                guard let number = view.reference else { return }
                reference.render(into: &writer) { _, writer in writer.text(number) }
            }
        }
    }

    private func writeWays(_ view: ErrorView, to writer: inout HTMLWriter) {
        switch view.way {
        case .none: break
        case .confirm: writer.fragment(toConfirm)
        case .button: writer.fragment(toButton)
        }
        if let client = view.client { wayBack.writeCartLink(client, to: &writer) }
    }

    private static func way(_ target: LinkTarget, _ text: Wording) -> [UInt8] {
        Template<Never>(
            """
            <p class="actions"><a id="retry" class="button button-main button-wide" href="\(target)">\(text)</a></p>

            """
        ).bytes
    }
}
