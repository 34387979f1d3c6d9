import Pages

/// The web host's page that offers the return link once more, of one language.
///
/// Policy: `plain`.
struct RescuePage: Sendable {
    private enum PageSlot {
        case link
    }

    private let open: Template<PageSlot>
    /// While the order is being completed: the app has the link already.
    private let completing: Template<PageSlot>
    private let closed: [UInt8]

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts.result
        open = Self.template(frame, steps: [texts.stepTap, texts.stepHold, texts.stepClose], note: texts.stepCharge)
        completing = Self.template(frame, steps: [texts.stepTap, texts.stepHold], note: texts.completingNote)
        closed =
            frame.document(
                Head<Never>(title: "\(texts.rescueTitle)"),
                """
                <section class="card hero">
                <h1>\(texts.rescueHeading)</h1>
                <p>\(texts.rescueClosed)</p>
                \(WayBack.home(frame))<ul class="hints">\(Markup(each: texts.rescueClosedSteps) { "<li>\($0)</li>" })</ul>
                </section>
                """
            ).bytes
    }

    /// Writes the page, with the link to tap where this browser holds a webview session.
    func render(_ link: LinkTarget?, isBeingCompleted: Bool = false) -> [UInt8] {
        guard let target = link else { return closed }
        return (isBeingCompleted ? completing : open).render(room: 768) { _, writer in writer.link(target) }
    }

    private static func template(_ frame: CheckoutFrame, steps: [Wording], note: Wording) -> Template<PageSlot> {
        let texts = frame.texts.result
        return frame.document(
            Head(title: "\(texts.rescueTitle)"),
            """
            <section class="card hero">
            <h1>\(texts.rescueHeading)</h1>
            <p>\(texts.rescueLead)</p>
            <p class="actions"><a id="purchase_link" class="button button-main button-wide" href="\(.link)">\
            \(texts.returnLink)</a></p>
            <h2>\(texts.steps)</h2>
            <ul class="hints">\(Markup(each: steps) { "<li>\($0)</li>" })</ul>
            <p class="note">\(note)</p>
            </section>
            """
        )
    }
}
