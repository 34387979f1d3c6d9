/// The cart page of one client and one language: constant but for the nonce.
struct CartPage: Sendable {
    private enum PageSlot {
        case nonce
    }

    private let template: Template<PageSlot>

    init(_ frame: Frame, client: PageClient) {
        let head = Head<PageSlot>(
            title: frame.texts.cart.title,
            width: .wide,
            step: .cart,
            scripts: [.file(.purchaseScript), .file(.cartScript)],
            nonce: .nonce
        )
        template = Template { page in
            page.document(frame, head) { page in
                Self.heading(&page, frame.texts)
                page.html("<form id=\"cart_form\" class=\"columns\" novalidate>\n<ul class=\"articles\">\n")
                for article in frame.site.articles { Self.row(&page, frame, article) }
                page.html("</ul>\n")
                Self.summary(&page, frame)
                page.html("</form>\n")
                CompletionPanel.writeCover(&page.constant, frame.texts, back: .cart(client))
                page.html("<script type=\"application/json\" id=\"page_data\">")
                page.constant.json(Self.data(frame, client))
                page.html("</script>\n")
            }
        }
    }

    /// Writes the page.
    ///
    /// - Parameter nonce: The one in the policy.
    /// - Returns: The document.
    func render(nonce: Nonce) -> [UInt8] {
        template.render(room: 128) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            }
        }
    }

    private static func heading(_ page: inout TemplateBuilder<PageSlot>, _ texts: Texts) {
        page.html("<h1>")
        page.text(texts.cart.heading)
        page.html("</h1>\n<p class=\"lead\">")
        page.text(texts.cart.lead)
        page.html("</p>\n<noscript><p class=\"notice\">")
        page.text(texts.frame.scriptNeeded)
        page.html("</p></noscript>\n")
    }

    private static func row(_ page: inout TemplateBuilder<PageSlot>, _ frame: Frame, _ article: CartArticle) {
        let texts = frame.texts
        page.html("<li class=\"card article\">\n<div class=\"article-picture\"><img src=\"")
        page.constant.link(frame.assets[article.picture])
        page.html("\" alt=\"\" width=\"240\" height=\"180\"></div>\n<div class=\"article-text\"><h2>")
        page.constant.text(article.name)
        page.html("</h2><p class=\"price\">")
        page.constant.yen(article.price)
        page.html(" <small>")
        page.text(texts.order.withoutTax)
        page.html("</small></p></div>\n<div class=\"article-count\"><label for=\"")
        page.constant.text(article.field)
        page.html("\">")
        page.text(texts.order.quantity)
        page.html("</label><div class=\"stepper\">")
        stepButton(
            &page,
            article,
            "<button type=\"button\" data-step=\"-1\" disabled aria-label=\"",
            texts.cart.less,
            "−"
        )
        page.html(
            "<input type=\"text\" inputmode=\"numeric\" maxlength=\"2\" autocomplete=\"off\" required value=\"1\" id=\""
        )
        page.constant.text(article.field)
        page.html("\" name=\"")
        page.constant.text(article.field)
        page.html("\" data-price=\"")
        page.constant.number(Int(article.price))
        page.html("\" aria-describedby=\"error\">")
        stepButton(
            &page,
            article,
            "<button type=\"button\" data-step=\"1\" disabled aria-label=\"",
            texts.cart.more,
            "+"
        )
        page.html("</div></div>\n</li>\n")
    }

    private static func stepButton(
        _ page: inout TemplateBuilder<PageSlot>,
        _ article: CartArticle,
        _ start: HTML,
        _ label: Wording,
        _ sign: HTML
    ) {
        page.html(start)
        page.constant.text(article.name)
        page.text(label)
        page.html("\">")
        page.html(sign)
        page.html("</button>")
    }

    private static func summary(_ page: inout TemplateBuilder<PageSlot>, _ frame: Frame) {
        let texts = frame.texts.cart
        page.html("<div class=\"card summary\">\n<p class=\"summary-sum\"><span>")
        page.text(texts.subtotal)
        page.html(" <small>")
        page.text(texts.subtotalNote)
        page.html("</small></span><strong id=\"subtotal\" aria-live=\"polite\">")
        page.constant.yen(frame.site.articles.reduce(0) { $0 + $1.price })
        page.html("</strong></p>\n<p id=\"error\" class=\"problem\" role=\"alert\"></p>\n")
        page.html("<button type=\"submit\" id=\"amzn_button\" class=\"button button-gold button-wide\" disabled>")
        page.text(texts.buy)
        page.html("</button>\n<p id=\"status\" class=\"note\" role=\"status\"></p>\n<p class=\"note\">")
        page.text(texts.assurance)
        page.html("</p>\n</div>\n")
    }

    private static func data(_ frame: Frame, _ client: PageClient) -> JSONBlock {
        JSONBlock { data in
            data.add("client", client.rawValue)
            data.add("verifier", frame.site.usesVerifier)
            data.add("texts") { texts in
                let cart = frame.texts.cart
                texts.add("notANumber", cart.notANumber)
                texts.add("nothingChosen", cart.nothingChosen)
                texts.add("tooMany", cart.tooMany)
                texts.add("opening", cart.opening)
                texts.add("failed", cart.failed)
                texts.add("limited", cart.limited)
                texts.add("bridgeMissing", cart.bridgeMissing)
            }
            CompletionPanel.addTexts(frame.texts.completion, to: &data)
        }
    }
}
