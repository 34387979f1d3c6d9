import Pages
import SessionBroker

/// The interstitial between the app's link and the tab, for the open modes that a mere GET must not trigger and for a link that
/// was opened twice; of one language.
///
/// Policy: `interstitial`.
struct OpenPage: Sendable {
    /// Who goes on.
    enum Mode {
        /// The page's script posts at once; a button stands by.
        case autoPost
        /// The buyer taps.
        case tap
        /// The page's script posts in a moment, when the answer to the first of two opens has come; a button stands by.
        case again
    }

    private enum PageSlot {
        case nonce
        case ticket
    }

    private let automatic: Template<PageSlot>
    private let tap: Template<PageSlot>
    private let again: Template<PageSlot>

    init(_ frame: CheckoutFrame) {
        let lead: Markup<PageSlot> = """
            <div class="spinner" aria-hidden="true"></div>
            <h1>\(frame.texts.open.heading)</h1>
            <p>\(frame.texts.open.automatic)</p>
            """
        automatic = Self.template(frame, scripts: [.file(.openScript)], lead: lead)
        again = Self.template(
            frame,
            scripts: [.file(.openScript)],
            lead: lead,
            form: "action=\"\(LinkTarget.button)?again=1\" data-wait=\"1000\""
        )
        tap = Self.template(
            frame,
            scripts: [],
            lead: """
                <h1>\(frame.texts.open.heading)</h1>
                <p>\(frame.texts.open.tap)</p>
                """
        )
    }

    /// Writes the page, whose form posts the ticket A.
    func render(_ mode: Mode, _ ticket: LaunchTicket, nonce: Nonce) -> [UInt8] {
        let template =
            switch mode {
            case .autoPost: automatic
            case .tap: tap
            case .again: again
            }
        return template.render(room: 256) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .ticket: writer.text(ticket.text)
            }
        }
    }

    private static func template(
        _ frame: CheckoutFrame,
        scripts: [Head<PageSlot>.Script],
        lead: Markup<PageSlot>,
        form: Markup<PageSlot> = "action=\"\(LinkTarget.button)\""
    ) -> Template<PageSlot> {
        frame.document(
            Head(
                title: "\(frame.texts.open.title)",
                steps: frame.texts.frame.steps(.payment),
                scripts: scripts,
                nonce: "\(.nonce)"
            ),
            """
            <section class="card hero">
            \(lead)
            <form id="open_form" class="hop-form" method="post" \(form)>
            <input type="hidden" name="secureWebviewSessionId" value="\(.ticket)">
            <button type="submit" id="open_button" class="button button-main button-wide">\
            \(frame.texts.open.proceed)</button>
            </form>
            </section>
            """
        )
    }
}
