import Commerce
import Pages
import SessionBroker

/// The confirm page: what is bought, where it goes, what it costs.
struct ConfirmView: Sendable {
    /// How the buyer agrees.
    enum Agreement: Sendable {
        /// By the form, which posts C and the total.
        case form
        /// By a link to the app first (profile strict, before the halves have met).
        case returnLink(LinkTarget)
        /// Not at all: the purchase is being completed, and nothing can be changed.
        case readOnly
        /// Not at all: nothing is sent to the address, and another one has to be chosen.
        case undeliverable(Undeliverable)
    }

    /// Says what is bought, and by whom: an app's order is placed in the app, a site's in the shop.
    let webviewSession: WebviewSessionView
    /// Where it goes and how it is paid.
    let details: PrivateDetails
    /// The provider's checkout session, 36 characters of `[0-9a-f-]`.
    let checkoutSessionID: String
    /// The ticket C, which the forms post.
    let returnTicket: ReturnTicket
    /// How the buyer agrees.
    let agreement: Agreement
    /// What the merchant says about this order, as it came; `nil` for nothing.
    let note: String?
    /// Whether something is sent to an address.
    var hasDelivery = true
}

/// The confirm page of one language; a class, so that a request counts one reference and not those of all templates.
///
/// Policy: `ProviderPolicy`.
final class ConfirmPage: Sendable {
    private enum PageSlot {
        case nonce
        case destination
        case payment
        case order
        case note
        case agreement
        case agreementNote
        case ticket
        case data
    }

    private enum DestinationSlot {
        case address
    }

    private enum NoteSlot {
        case text
    }

    private enum AgreementSlot {
        case ticket
        case amount
        case total
        case shown
        case label
        case link
        case language
        case reason
    }

    private let live: Template<PageSlot>
    private let readOnly: Template<PageSlot>
    private let undeliverable: Template<PageSlot>
    private let destination: Template<DestinationSlot>
    private let fixedDestination: Template<DestinationSlot>
    private let change: Template<AgreementSlot>
    private let form: Template<AgreementSlot>
    private let link: Template<AgreementSlot>
    private let reload: Template<AgreementSlot>
    private let note: Template<NoteSlot>
    private let table: OrderTable
    private let address: AddressBlock
    private let texts: ConfirmTexts
    private let language: Language

    init(_ frame: CheckoutFrame) {
        let texts = frame.texts
        table = OrderTable(frame)
        address = AddressBlock(texts.order)
        self.texts = texts.confirm
        language = texts.language
        form = Self.form(texts)
        link = Self.link(texts)
        reload = Self.reload(texts)
        note = Template("<p class=\"notice\" id=\"note\"><b>\(texts.confirm.note)</b> \(.text)</p>\n")
        change = Self.change(texts)
        destination = Self.destination(
            texts,
            change: """
                <p class="change"><a id="change_address" href="\(LinkTarget.button)">\(texts.confirm.changeAddress)</a></p>

                """
        )
        fixedDestination = Self.destination(texts, change: .empty)
        live = Self.live(frame)
        readOnly = Self.readOnly(frame)
        undeliverable = Self.undeliverable(frame)
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - view: Order, address and the way to agree.
    func render(_ view: ConfirmView, nonce: Nonce) -> [UInt8] {
        let template =
            switch view.agreement {
            case .form, .returnLink: live
            case .readOnly: readOnly
            case .undeliverable: undeliverable
            }
        return template.render(room: 2048) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .destination: if view.hasDelivery { writeDestination(view, to: &writer) }
            case .payment: writePayment(view.details.payment, to: &writer)
            case .order:
                let (order, sums) = (view.webviewSession.order, view.webviewSession.sums)
                table.write(order, sums, hasPostage: view.hasDelivery, to: &writer)
            case .note: writeNote(view.note, to: &writer)
            case .agreement: writeAgreement(view, to: &writer)
            case .agreementNote: writeNote(view.agreement, view.webviewSession.client, to: &writer)
            case .ticket: writer.token(view.returnTicket)
            case .data: writer.json(JSONBlock { $0.add("checkoutSessionId", view.checkoutSessionID) })
            }
        }
    }

    /// Writes where it goes; the link to another address is there where that is possible and no button says it.
    private func writeDestination(_ view: ConfirmView, to writer: inout HTMLWriter) {
        let template =
            switch view.agreement {
            case .form, .returnLink: destination
            case .readOnly, .undeliverable: fixedDestination
            }
        template.render(into: &writer) { _, writer in address.write(view.details.address, to: &writer) }
    }

    private func writePayment(_ payment: String?, to writer: inout HTMLWriter) {
        if let payment {
            writer.text(payment)
        } else {
            writer.text(texts.noPayment)
        }
    }

    private func writeNote(_ text: String?, to writer: inout HTMLWriter) {
        guard let text else { return }
        note.render(into: &writer) { _, writer in writer.text(text) }
    }

    private func writeAgreement(_ view: ConfirmView, to writer: inout HTMLWriter) {
        let total = view.webviewSession.sums?.total ?? .zero
        template(view.agreement).render(into: &writer) { slot, writer in
            switch slot {
            case .ticket: writer.token(view.returnTicket)
            case .amount: writer.yen(total, in: language)
            case .total: writer.grouped(total)
            case .shown: if let shown = view.webviewSession.record.shown { writer.digest(shown) }
            case .label: writer.text(texts.agreement(view.webviewSession.client).button)
            case .link: if case .returnLink(let target) = view.agreement { writer.link(target) }
            case .language:
                if case .undeliverable(let reason) = view.agreement { writer.text(said(reason).language.rawValue) }
            case .reason: if case .undeliverable(let reason) = view.agreement { writer.text(said(reason).text) }
            }
        }
    }

    /// What the buyer reads of an address that nothing is sent to, and in which language: a merchant may have said it in one.
    private func said(_ reason: Undeliverable) -> (language: Language, text: String) {
        guard case .said(let sentence) = reason else { return (language, texts.undeliverable.plain) }
        switch (language, sentence.japanese, sentence.english) {
        case (.ja, let text?, _), (.en, let text?, nil): return (.ja, text)
        case (_, _, let text?): return (.en, text)
        case (_, nil, nil): return (language, texts.undeliverable.plain)
        }
    }

    private func template(_ agreement: ConfirmView.Agreement) -> Template<AgreementSlot> {
        switch agreement {
        case .form: form
        case .returnLink: link
        case .readOnly: reload
        case .undeliverable: change
        }
    }

    private func writeNote(_ agreement: ConfirmView.Agreement, _ client: ClientKind, to writer: inout HTMLWriter) {
        switch agreement {
        case .form: writer.text(texts.agreement(client).note)
        case .returnLink: writer.text(texts.returnLead)
        case .readOnly, .undeliverable: return
        }
    }

    /// Without script, or before the provider's script is there, the change links start the checkout anew.
    private static func live(_ frame: CheckoutFrame) -> Template<PageSlot> {
        let texts = frame.texts.confirm
        let head = Head<PageSlot>(
            title: "\(texts.title)",
            width: .wide,
            steps: frame.texts.frame.steps(.confirm),
            scripts: [.foreign(frame.site.checkoutScript), .file(.confirmScript)],
            nonce: "\(.nonce)"
        )
        let columns = columns(
            frame,
            changePayment: """
                <p class="change"><a id="change_payment" href="\(LinkTarget.button)">\(texts.changePayment)</a></p>

                """,
            closing: """
                <p class="note">\(.agreementNote)</p>
                \(cancel(texts))
                """
        )
        return frame.document(
            head,
            """
            <h1>\(texts.heading)</h1>
            <p class="lead">\(texts.lead)</p>
            <div class="review">
            \(columns)
            \(.agreement)</div>
            <script type="application/json" id="page_data">\(.data)</script>
            """
        )
    }

    private static func readOnly(_ frame: CheckoutFrame) -> Template<PageSlot> {
        let texts = frame.texts.confirm
        return frame.document(
            Head(title: "\(texts.title)", width: .wide, steps: frame.texts.frame.steps(.confirm)),
            """
            <h1>\(texts.heading)</h1>
            <p class="notice" role="status">\(texts.readOnly)</p>
            <div class="review">
            \(columns(frame, changePayment: .empty, closing: .empty))
            \(.agreement)</div>
            """
        )
    }

    /// The way to another address comes before everything else, so that nobody has to look for it.
    private static func undeliverable(_ frame: CheckoutFrame) -> Template<PageSlot> {
        let texts = frame.texts.confirm
        let head = Head<PageSlot>(
            title: "\(texts.undeliverableHeading)",
            width: .wide,
            steps: frame.texts.frame.steps(.confirm),
            scripts: [.foreign(frame.site.checkoutScript), .file(.confirmScript)],
            nonce: "\(.nonce)"
        )
        return frame.document(
            head,
            """
            <h1>\(texts.undeliverableHeading)</h1>
            <div class="review">
            \(.agreement)\(columns(frame, changePayment: .empty, closing: cancel(texts)))
            </div>
            <script type="application/json" id="page_data">\(.data)</script>
            """
        )
    }

    /// The way out for good.
    private static func cancel(_ texts: ConfirmTexts) -> Markup<PageSlot> {
        """
        <details class="quiet" id="cancel"><summary>\(texts.cancel)</summary>
        <form method="post" action="/checkout_cancel">
        <p>\(texts.cancelQuestion)</p>
        <input type="hidden" name="secureWebviewSessionId" value="\(.ticket)">
        <button type="submit" id="cancel_button" class="button">\(texts.cancelForGood)</button>
        </form>
        </details>

        """
    }

    private static func columns(
        _ frame: CheckoutFrame,
        changePayment: Markup<PageSlot>,
        closing: Markup<PageSlot>
    ) -> Markup<PageSlot> {
        let texts = frame.texts
        return """
            <div class="columns">
            <section class="card">
            \(.destination)<h2>\(texts.order.payment)</h2>
            <p id="payment">\(.payment)</p>
            \(changePayment)</section>
            <section class="card">
            <h2>\(texts.order.heading)</h2>
            \(.order)\(.note)\(terms(frame))\(closing)</section>
            </div>
            """
    }

    private static func destination(
        _ texts: Texts,
        change: Markup<DestinationSlot>
    ) -> Template<DestinationSlot> {
        Template(
            """
            <h2>\(texts.order.destination)</h2>
            \(.address)\(change)
            """
        )
    }

    /// What the shop says about payment, delivery and returns.
    private static func terms(_ frame: CheckoutFrame) -> Markup<PageSlot> {
        let texts = frame.texts
        let lines = [
            (texts.order.paymentTime, frame.site.terms.payment), (texts.order.delivery, frame.site.terms.delivery),
            (texts.order.returns, frame.site.terms.returns),
        ]
        .compactMap { name, text in text[texts.language].map { (name: name, text: $0) } }
        guard !lines.isEmpty else { return .empty }
        return """
            <dl class="facts" id="terms">\(Markup(each: lines) { "<div><dt>\($0.name)</dt><dd>\($0.text)</dd></div>" })</dl>

            """
    }

    /// What is to be paid, above the way on; it stays in sight while the page is read.
    private static func sum(_ texts: OrderTexts) -> Markup<AgreementSlot> {
        #"<p class="bar-sum"><span>\#(texts.total)</span> <strong>\#(.amount)</strong></p>"#
    }

    private static func form(_ texts: Texts) -> Template<AgreementSlot> {
        Template(
            """
            <form id="confirm_form" class="bar" method="post" action="\(LinkTarget.confirm)?shown=\(.shown)">
            <input type="hidden" name="secureWebviewSessionId" value="\(.ticket)">
            <input type="hidden" name="totalPrice" value="\(.total)">
            \(sum(texts.order))
            <button type="submit" id="purchase_button" class="button button-main button-wide" \
            data-busy="\(texts.confirm.sending)">\(.label)</button>
            </form>

            """
        )
    }

    private static func link(_ texts: Texts) -> Template<AgreementSlot> {
        Template(
            """
            <div class="bar">
            \(sum(texts.order))
            <a id="purchase_link" class="button button-main button-wide" href="\(.link)">\(texts.confirm.returnLink)</a>
            </div>

            """
        )
    }

    private static func change(_ texts: Texts) -> Template<AgreementSlot> {
        Template(
            """
            <div class="bar">
            <p id="undeliverable" role="alert" lang="\(.language)">\(.reason)</p>
            <a id="change_address" class="button button-main button-wide" href="\(LinkTarget.button)">\(texts.confirm.changeAddress)</a>
            </div>

            """
        )
    }

    private static func reload(_ texts: Texts) -> Template<AgreementSlot> {
        Template(
            """
            <div class="bar">
            \(sum(texts.order))
            <a id="reload" class="button button-wide" href="\(LinkTarget.confirm)">\(texts.confirm.reload)</a>
            </div>

            """
        )
    }
}

extension ConfirmTexts {
    fileprivate func agreement(_ client: ClientKind) -> Agreement {
        switch client {
        case .iosApp, .androidApp, .mobileApp: app
        case .site: site
        case .browser: browser
        }
    }
}
