import Pages

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
    private let field = Template<FieldSlot>(
        """
        <input type="hidden" name="\(.name)" value="\(.value)">

        """
    )

    init(_ texts: ButtonTexts) {
        form = Template(
            """
            <form id="start_form" class="hop-form" method="post" action="\(.action)">
            \(.fields)<button type="submit" id="start_button" class="button button-gold button-wide">\
            \(texts.manual)</button>
            </form>

            """
        )
    }

    /// Writes the form.
    func write(_ start: CheckoutStart, action: LinkTarget, language: Language, to writer: inout HTMLWriter) {
        form.render(into: &writer) { slot, writer in
            switch slot {
            case .action: writer.link(action)
            case .fields: writeFields(start, language, to: &writer)
            }
        }
    }

    private func writeFields(_ start: CheckoutStart, _ language: Language, to writer: inout HTMLWriter) {
        write("merchantId", start.merchantID, to: &writer)
        write("publicKeyId", start.publicKeyID, to: &writer)
        if let isSandbox = start.isSandbox { write("sandbox", isSandbox ? "true" : "false", to: &writer) }
        write("ledgerCurrency", "JPY", to: &writer)
        write("checkoutLanguage", language.checkoutLanguage, to: &writer)
        write("productType", start.productType, to: &writer)
        write("placement", "Cart", to: &writer)
        write("payloadJSON", start.payload, to: &writer)
        write("signature", start.signature, to: &writer)
        write("algorithm", start.algorithm, to: &writer)
    }

    private func write(_ name: String, _ value: String, to writer: inout HTMLWriter) {
        field.render(into: &writer) { slot, writer in
            switch slot {
            case .name: writer.text(name)
            case .value: writer.text(value)
            }
        }
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
