/// The button page of one language.
struct ButtonPage: Sendable {
    private enum PageSlot {
        case nonce
        case order
        case noteState
        case form
        case data
    }

    private let template: Template<PageSlot>
    private let form: StartForm
    private let table: OrderTable
    private let language: Language

    init(_ frame: Frame) {
        let texts = frame.texts
        language = texts.language
        table = OrderTable(texts.order)
        form = StartForm(texts)
        let head = Head<PageSlot>(
            title: texts.button.title,
            step: .payment,
            scripts: [.provider, .file(.buttonScript)],
            nonce: .nonce
        )
        template = Template { page in
            page.document(frame, head) { page in
                Self.hop(&page, texts)
                page.html("<section class=\"card\">\n<h2>")
                page.text(texts.order.heading)
                page.html("</h2>\n")
                page.slot(.order)
                page.html("<p class=\"note\">")
                page.text(texts.button.postageNote)
                page.html("</p>\n</section>\n<script type=\"application/json\" id=\"page_data\">")
                page.slot(.data)
                page.html("</script>\n")
            }
        }
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - view: The order and the provider's button.
    ///   - nonce: The one in the policy.
    /// - Returns: The document.
    func render(_ view: ButtonView, nonce: Nonce) -> [UInt8] {
        template.render(room: 6144) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            case .order: table.write(view.order, to: &writer)
            case .noteState:
                if view.fallbackAction == nil { writer.html(Self.hidden) }
            case .form:
                if let action = view.fallbackAction {
                    form.write(view.start, action: action, language: language, to: &writer)
                }
            case .data: writer.json(data(view.start))
            }
        }
    }

    private static let hidden: HTML = " hidden"

    private static func hop(_ page: inout TemplateBuilder<PageSlot>, _ texts: Texts) {
        page.html(
            "<section class=\"card hero\">\n<div id=\"spinner\" class=\"spinner\" aria-hidden=\"true\"></div>\n<h1>"
        )
        page.text(texts.button.heading)
        page.html("</h1>\n<p id=\"status\" role=\"status\">")
        page.text(texts.button.lead)
        page.html("</p>\n<noscript><p class=\"notice\">")
        page.text(texts.button.withoutScript)
        page.html("</p></noscript>\n<div id=\"slow\" role=\"alert\" hidden>\n<p class=\"notice\">")
        page.text(texts.button.slow)
        page.html("</p>\n<p class=\"actions\"><a id=\"reload\" class=\"button\" href=\"")
        page.constant.link(.button)
        page.html("\">")
        page.text(texts.button.reload)
        page.html("</a></p>\n</div>\n<p id=\"manual_note\" class=\"note\"")
        // Shown from the start where the form below it is, else when the script has drawn the provider's button.
        page.slot(.noteState)
        page.html(">")
        page.text(texts.button.manualNote)
        page.html("</p>\n<div id=\"AmazonPayButton\" class=\"provider-button\"></div>\n")
        page.slot(.form)
        page.html("</section>\n")
    }

    private func data(_ start: CheckoutStart) -> JSONBlock {
        JSONBlock { data in
            data.add("config") { config in
                config.add("merchantId", start.merchantID)
                config.add("publicKeyId", start.publicKeyID)
                if let isSandbox = start.isSandbox { config.add("sandbox", isSandbox) }
                config.add("ledgerCurrency", "JPY")
                config.add("checkoutLanguage", language.checkoutLanguage)
                config.add("productType", "PayAndShip")
                config.add("placement", "Cart")
                config.add("buttonColor", "Gold")
                config.add("createCheckoutSessionConfig") { session in
                    session.add("payloadJSON", start.payload)
                    session.add("signature", start.signature)
                    session.add("algorithm", start.algorithm)
                }
            }
        }
    }
}

/// The plain form that starts a checkout without script.
struct StartForm: Sendable {
    private enum FormSlot {
        case action
        case fields
    }

    private enum FieldSlot {
        case name
        case value
    }

    private let form: Template<FormSlot>
    private let field: Template<FieldSlot>

    init(_ texts: Texts) {
        field = Template { field in
            field.html("<input type=\"hidden\" name=\"")
            field.slot(.name)
            field.html("\" value=\"")
            field.slot(.value)
            field.html("\">\n")
        }
        form = Template { form in
            form.html("<form id=\"start_form\" class=\"hop-form\" method=\"post\" action=\"")
            form.slot(.action)
            form.html("\">\n")
            form.slot(.fields)
            form.html("<button type=\"submit\" id=\"start_button\" class=\"button button-gold button-wide\">")
            form.text(texts.button.manual)
            form.html("</button>\n</form>\n")
        }
    }

    /// Writes the form.
    ///
    /// - Parameters:
    ///   - start: The signed configuration.
    ///   - action: Where the checkout host takes it.
    ///   - language: Of the checkout's pages.
    ///   - writer: Grows by the form.
    func write(_ start: CheckoutStart, action: LinkTarget, language: Language, to writer: inout HTMLWriter) {
        form.render(into: &writer) { slot, writer in
            switch slot {
            case .action: writer.link(action)
            case .fields:
                for (name, value) in Self.fields(start, language) { write(name, value, to: &writer) }
            }
        }
    }

    private func write(_ name: String, _ value: String, to writer: inout HTMLWriter) {
        field.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(name)
            case .value: writer.text(value)
            }
        }
    }

    private static func fields(_ start: CheckoutStart, _ language: Language) -> [(String, String)] {
        var fields = [
            ("merchantId", start.merchantID), ("publicKeyId", start.publicKeyID), ("ledgerCurrency", "JPY"),
            ("checkoutLanguage", language.checkoutLanguage), ("productType", "PayAndShip"), ("placement", "Cart"),
            ("payloadJSON", start.payload), ("signature", start.signature), ("algorithm", start.algorithm),
        ]
        if let isSandbox = start.isSandbox { fields.append(("sandbox", isSandbox ? "true" : "false")) }
        return fields
    }
}

extension Language {
    /// The provider's name of the language.
    var checkoutLanguage: String {
        switch self {
        case .ja: "ja_JP"
        case .en: "en_US"
        }
    }
}
