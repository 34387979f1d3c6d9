/// The page after the provider's last page, of one language.
struct ResultPage: Sendable {
    private enum PageSlot {
        case nonce
        case link
        case fields
    }

    private enum FieldSlot {
        case returnTicket
        case launchTicket
        case reference
        case total
    }

    private let app: Template<PageSlot>
    private let browser: Template<PageSlot>
    private let fields: Template<FieldSlot>

    init(_ frame: Frame) {
        app = Self.app(frame)
        browser = Self.browser(frame)
        fields = Template { fields in
            fields.html("<input type=\"hidden\" name=\"secureWebviewSessionId\" value=\"")
            fields.slot(.returnTicket)
            fields.html("\">\n<input type=\"hidden\" name=\"old_secureWebviewSessionId\" value=\"")
            fields.slot(.launchTicket)
            fields.html("\">\n<input type=\"hidden\" name=\"accessToken\" value=\"sealed\">\n")
            fields.html("<input type=\"hidden\" name=\"orderReferenceId\" value=\"")
            fields.slot(.reference)
            fields.html("\">\n<input type=\"hidden\" name=\"totalPrice\" value=\"")
            fields.slot(.total)
            fields.html("\">\n")
        }
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - view: The link to tap, or what the page posts.
    ///   - nonce: The one in the policy.
    /// - Returns: The document.
    func render(_ view: ResultView, nonce: Nonce) -> [UInt8] {
        switch view {
        case .app(let target):
            app.render(room: 768) { slot, writer in
                switch slot {
                case .link: writer.link(target)
                case .nonce, .fields: return
                }
            }
        case .browser(let purchase):
            browser.render(room: 1024) { slot, writer in
                switch slot {
                case .nonce: writer.nonce(nonce)
                case .fields: write(purchase, to: &writer)
                case .link: return
                }
            }
        }
    }

    private func write(_ purchase: BrowserPurchase, to writer: inout HTMLWriter) {
        fields.render(into: &writer) { slot, writer in
            switch slot {
            case .returnTicket: writer.text(purchase.returnTicket)
            case .launchTicket: writer.text(purchase.launchTicket)
            case .reference: writer.text(purchase.orderReferenceID)
            case .total: writer.grouped(purchase.total)
            }
        }
    }

    private static func app(_ frame: Frame) -> Template<PageSlot> {
        let texts = frame.texts.result
        return Template { page in
            page.document(frame, Head<PageSlot>(title: texts.title, step: .confirm)) { page in
                page.html("<section class=\"card hero\">\n<div class=\"seal\" aria-hidden=\"true\"></div>\n<h1>")
                page.text(texts.appHeading)
                page.html("</h1>\n<p>")
                page.text(texts.appLead)
                page.html("</p>\n<p class=\"actions\">")
                page.html("<a id=\"purchase_link\" class=\"button button-main button-wide\" href=\"")
                page.slot(.link)
                page.html("\">")
                page.text(texts.returnLink)
                page.html("</a></p>\n<p class=\"note\">")
                page.text(texts.appNote)
                page.html("</p>\n</section>\n")
            }
        }
    }

    private static func browser(_ frame: Frame) -> Template<PageSlot> {
        let texts = frame.texts.result
        let head = Head<PageSlot>(
            title: texts.title,
            step: .confirm,
            scripts: [.file(.purchaseScript), .file(.resultScript)],
            nonce: .nonce
        )
        return Template { page in
            page.document(frame, head) { page in
                page.html("<section id=\"filter\" class=\"card hero\">\n")
                page.html("<div id=\"filter_spinner\" class=\"spinner\" aria-hidden=\"true\" hidden></div>\n")
                page.html("<h1 id=\"filter_title\" tabindex=\"-1\">")
                page.text(texts.browserHeading)
                page.html("</h1>\n<p id=\"filter_text\" role=\"status\">")
                page.text(texts.browserLead)
                page.html("</p>\n<form id=\"purchase_form\" class=\"hop-form\" method=\"post\" action=\"/purchase\">\n")
                page.slot(.fields)
                page.html("<button type=\"submit\" id=\"filter_retry\" class=\"button button-main button-wide\">")
                page.text(texts.complete)
                page.html("</button>\n</form>\n<p class=\"actions\"><a id=\"filter_back\" class=\"button\" href=\"")
                page.constant.link(.cart(.browser))
                page.html("\" hidden>")
                page.text(frame.texts.completion.back)
                page.html("</a></p>\n</section>\n<script type=\"application/json\" id=\"page_data\">")
                page.constant.json(JSONBlock { CompletionPanel.addTexts(frame.texts.completion, to: &$0) })
                page.html("</script>\n")
            }
        }
    }
}
