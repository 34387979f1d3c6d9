import Pages

/// The web host's page that offers the return link once more, of one language.
///
/// Policy: `plain`.
struct RescuePage: Sendable {
    private enum PageSlot {
        case link
    }

    private let open: Template<PageSlot>
    private let closed: [UInt8]

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.result
        open = Self.template(
            frame,
            lead: """
                <p>\(texts.rescueLead)</p>
                <p class="actions"><a id="purchase_link" class="button button-main button-wide" href="\(.link)">\
                \(texts.returnLink)</a></p>
                """,
            steps: [texts.stepTap, texts.stepHold, texts.stepClose]
        )
        closed = Self.template(frame, lead: "<p>\(texts.rescueClosed)</p>", steps: [texts.stepClose]).bytes
    }

    /// Writes the page, with the link to tap where this browser holds a webview session.
    func render(_ link: LinkTarget?) -> [UInt8] {
        guard let target = link else { return closed }
        return open.render(room: 768) { _, writer in writer.link(target) }
    }

    private static func template<Slot>(_ frame: CheckoutFrame, lead: Markup<Slot>, steps: [Wording]) -> Template<Slot> {
        let texts = frame.texts.result
        return frame.document(
            Head(title: "\(texts.rescueTitle)"),
            """
            <section class="card hero">
            <h1>\(texts.rescueHeading)</h1>
            \(lead)
            <h2>\(texts.steps)</h2>
            <ul class="hints">\(Markup(each: steps) { "<li>\($0)</li>" })</ul>
            <p class="note">\(texts.stepCharge)</p>
            </section>
            """
        )
    }
}
