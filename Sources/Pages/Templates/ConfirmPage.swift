/// The confirm page of one language.
struct ConfirmPage: Sendable {
    private enum PageSlot {
        case nonce
        case destination
        case payment
        case order
        case agreement
        case ticket
        case data
    }

    private enum AgreementSlot {
        case ticket
        case total
        case link
    }

    private let template: Template<PageSlot>
    private let agreementForm: Template<AgreementSlot>
    private let agreementLink: Template<AgreementSlot>
    private let table: OrderTable
    private let destination: DestinationBlock
    private let noPayment: Wording

    init(_ frame: Frame) {
        let texts = frame.texts
        table = OrderTable(texts.order)
        destination = DestinationBlock(texts.order)
        noPayment = texts.confirm.noPayment
        agreementForm = Self.form(texts.confirm)
        agreementLink = Self.link(texts.confirm)
        let head = Head<PageSlot>(
            title: texts.confirm.title,
            width: .wide,
            step: .confirm,
            scripts: [.provider, .file(.confirmScript)],
            nonce: .nonce
        )
        template = Template { page in
            page.document(frame, head) { page in
                page.html("<h1>")
                page.text(texts.confirm.heading)
                page.html("</h1>\n<p class=\"lead\">")
                page.text(texts.confirm.lead)
                page.html("</p>\n<div class=\"columns\">\n")
                Self.whereAndHow(&page, texts)
                Self.whatAndHowMuch(&page, texts)
                page.html("</div>\n<script type=\"application/json\" id=\"page_data\">")
                page.slot(.data)
                page.html("</script>\n")
            }
        }
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - view: Order, destination and the way to agree.
    ///   - nonce: The one in the policy.
    /// - Returns: The document.
    func render(_ view: ConfirmView, nonce: Nonce) -> [UInt8] {
        template.render(room: 4096) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .destination: destination.write(view.destination, to: &writer)
            case .payment:
                if view.payment.isEmpty {
                    writer.text(noPayment)
                } else {
                    writer.text(view.payment)
                }
            case .order: table.write(view.order, to: &writer)
            case .agreement: agreement(view, to: &writer)
            case .ticket: writer.text(view.returnTicket)
            case .data: writer.json(JSONBlock { $0.add("checkoutSessionId", view.checkoutSessionID) })
            }
        }
    }

    private func agreement(_ view: ConfirmView, to writer: inout HTMLWriter) {
        let part =
            switch view.agreement {
            case .form: agreementForm
            case .returnLink: agreementLink
            }
        part.render(into: &writer) { slot, writer in
            switch slot {
            case .ticket: writer.text(view.returnTicket)
            case .total: writer.grouped(view.order.total ?? 0)
            case .link:
                if case .returnLink(let target) = view.agreement { writer.link(target) }
            }
        }
    }

    private static func whereAndHow(_ page: inout TemplateBuilder<PageSlot>, _ texts: Texts) {
        page.html("<section class=\"card\">\n<h2>")
        page.text(texts.order.destination)
        page.html("</h2>\n")
        page.slot(.destination)
        change(&page, "<p class=\"change\"><a id=\"change_address\" href=\"", texts.confirm.changeAddress)
        page.html("<h2>")
        page.text(texts.order.payment)
        page.html("</h2>\n<p id=\"payment\">")
        page.slot(.payment)
        page.html("</p>\n")
        change(&page, "<p class=\"change\"><a id=\"change_payment\" href=\"", texts.confirm.changePayment)
        page.html("</section>\n")
    }

    /// Without script, or before the provider's script is there, the link starts the checkout anew.
    private static func change(_ page: inout TemplateBuilder<PageSlot>, _ start: HTML, _ text: Wording) {
        page.html(start)
        page.constant.link(.button)
        page.html("\">")
        page.text(text)
        page.html("</a></p>\n")
    }

    private static func whatAndHowMuch(_ page: inout TemplateBuilder<PageSlot>, _ texts: Texts) {
        page.html("<section class=\"card\">\n<h2>")
        page.text(texts.order.heading)
        page.html("</h2>\n")
        page.slot(.order)
        page.slot(.agreement)
        page.html("<form class=\"quiet-form\" method=\"post\" action=\"/checkout_cancel\">")
        page.html("<input type=\"hidden\" name=\"secureWebviewSessionId\" value=\"")
        page.slot(.ticket)
        page.html("\"><button type=\"submit\" id=\"cancel_button\" class=\"button button-quiet\">")
        page.text(texts.confirm.cancel)
        page.html("</button></form>\n</section>\n")
    }

    private static func form(_ texts: ConfirmTexts) -> Template<AgreementSlot> {
        Template { part in
            part.html("<form id=\"confirm_form\" method=\"post\" action=\"/confirm_order\">\n")
            part.html("<input type=\"hidden\" name=\"secureWebviewSessionId\" value=\"")
            part.slot(.ticket)
            part.html("\">\n<input type=\"hidden\" name=\"totalPrice\" value=\"")
            part.slot(.total)
            part.html(
                "\">\n<button type=\"submit\" id=\"purchase_button\" class=\"button button-main button-wide\" data-busy=\""
            )
            part.text(texts.sending)
            part.html("\">")
            part.text(texts.purchase)
            part.html("</button>\n<p class=\"note\">")
            part.text(texts.agreement)
            part.html("</p>\n</form>\n")
        }
    }

    private static func link(_ texts: ConfirmTexts) -> Template<AgreementSlot> {
        Template { part in
            part.html("<p class=\"notice\">")
            part.text(texts.returnLead)
            part.html("</p>\n<p><a id=\"purchase_link\" class=\"button button-main button-wide\" href=\"")
            part.slot(.link)
            part.html("\">")
            part.text(texts.returnLink)
            part.html("</a></p>\n")
        }
    }
}
