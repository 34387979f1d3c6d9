import Pages

/// What a page of the checkout is written from, in one language: the shop's frame, the texts, the facts of the shop.
struct CheckoutFrame: Sendable {
    let shell: Frame
    let texts: Texts
    let site: PageSite

    var assets: StaticAssets { shell.assets }

    init(_ language: Language, _ site: PageSite, _ assets: StaticAssets) {
        texts = Texts.table(language)
        self.site = site
        let names = texts.frame.policy
        shell = Frame(
            language,
            shopName: site.shopName,
            assets: assets,
            notice: site.isDemonstration ? texts.frame.demonstration : nil,
            footer: texts.frame.footer,
            links: ShopTerms.Policy.allCases.compactMap { policy in
                site.terms.policies[policy].map { Frame.Link(names(policy), $0) }
            }
        )
    }

    /// A whole document around the content of a page.
    func document<Slot>(_ head: Head<Slot>, _ content: Markup<Slot>) -> Template<Slot> {
        shell.document(head, content)
    }
}

/// Where in the purchase a page stands.
enum CheckoutStep: Int {
    case cart
    case payment
    case confirm
    case done
}

extension FrameTexts {
    /// All steps, with the page's own under another name where it has one.
    func steps(_ step: CheckoutStep, as name: Wording? = nil) -> Steps {
        var names = [stepCart, stepPayment, stepConfirm, stepDone]
        if let name { names[step.rawValue] = name }
        return Steps(self.steps, names, present: step.rawValue)
    }
}
