/// The interstitial of one language.
struct OpenPage: Sendable {
    private enum PageSlot {
        case nonce
        case ticket
    }

    private let automatic: Template<PageSlot>
    private let tap: Template<PageSlot>

    init(_ frame: Frame) {
        automatic = Self.template(frame, frame.texts.open.automatic, scripts: [.file(.openScript)])
        tap = Self.template(frame, frame.texts.open.tap, scripts: [])
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - view: Mode and ticket.
    ///   - nonce: The one in the policy.
    /// - Returns: The document.
    func render(_ view: OpenView, nonce: Nonce) -> [UInt8] {
        let template = view.mode == .autoPost ? automatic : tap
        return template.render(room: 256) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .ticket: writer.text(view.ticket)
            }
        }
    }

    private static func template(
        _ frame: Frame,
        _ lead: Wording,
        scripts: [Head<PageSlot>.Script]
    ) -> Template<PageSlot> {
        let texts = frame.texts.open
        let head = Head<PageSlot>(title: texts.title, step: .payment, scripts: scripts, nonce: .nonce)
        return Template { page in
            page.document(frame, head) { page in
                page.html("<section class=\"card hero\">\n")
                if !scripts.isEmpty { page.html("<div class=\"spinner\" aria-hidden=\"true\"></div>\n") }
                page.html("<h1>")
                page.text(texts.heading)
                page.html("</h1>\n<p>")
                page.text(lead)
                page.html("</p>\n<form id=\"open_form\" class=\"hop-form\" method=\"post\" action=\"")
                page.constant.link(.button)
                page.html("\">\n<input type=\"hidden\" name=\"secureWebviewSessionId\" value=\"")
                page.slot(.ticket)
                page.html("\">\n<button type=\"submit\" id=\"open_button\" class=\"button button-main button-wide\">")
                page.text(texts.proceed)
                page.html("</button>\n</form>\n</section>\n")
            }
        }
    }
}
