import Commerce
import Pages

/// Every text of one language; a missing one does not compile.
struct Texts: Sendable {
    let language: Language
    let frame: FrameTexts
    let start: StartTexts
    let order: OrderTexts
    let cart: CartTexts
    let completion: CompletionTexts
    let button: ButtonTexts
    let open: OpenTexts
    let confirm: ConfirmTexts
    let result: ResultTexts
    let thanks: ThanksTexts
    let canceled: CanceledTexts
    let declined: DeclinedTexts
    let errors: ErrorTexts
    let neutral: NoticeTexts
    let cookies: NoticeTexts
    let link: LinkTexts

    /// The table of a language.
    static func table(_ language: Language) -> Texts {
        switch language {
        case .ja: .japanese
        case .en: .english
        }
    }
}

/// Around every page.
struct FrameTexts: Sendable {
    let steps: Wording
    let stepCart: Wording
    let stepPayment: Wording
    let stepConfirm: Wording
    let stepDone: Wording
    let demonstration: Wording
    let footer: Wording
    let backToCart: Wording
    let backToApp: Wording
    let backToSite: Wording
    let backSomewhere: Wording
    let backToShop: Wording
    let toReceipt: Wording
    let reference: Wording
    let scriptNeeded: Wording
    /// The name of a page of the shop.
    let policy: @Sendable (ShopTerms.Policy) -> Wording
}

/// The first page of a demonstration.
struct StartTexts: Sendable {
    let heading: Wording
    let lead: Wording
    let steps: [Wording]
    let note: Wording
    let browser: Wording
    let iosApp: Wording
    let androidApp: Wording
}

/// The table of an order and the block of a destination.
struct OrderTexts: Sendable {
    let heading: Wording
    let item: Wording
    let quantity: Wording
    let lineTotal: Wording
    let subtotal: Wording
    let tax: Wording
    let postage: Wording
    let total: Wording
    let undecided: Wording
    let withTax: Wording
    let withoutTax: Wording
    let reducedMark: Wording
    let reducedLegend: Wording
    /// What is taxed at a rate.
    let rate: @Sendable (TaxRate) -> Wording
    /// In front of the tax that a sum contains, and behind it.
    let taxOpening: Wording
    let taxClosing: Wording
    let registration: Wording
    let destination: Wording
    let recipient: Wording
    let postalCode: Wording
    let address: Wording
    let phone: Wording
    let payment: Wording
    let paymentTime: Wording
    let delivery: Wording
    let returns: Wording
}

/// The cart page.
struct CartTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let more: Wording
    let less: Wording
    let subtotal: Wording
    let subtotalNote: Wording
    let buy: Wording
    let assurance: Wording
    let notANumber: Wording
    let nothingChosen: Wording
    let tooMany: Wording
    let opening: Wording
    let stillOpening: Wording
    let failed: Wording
    let limited: Wording
    let bridgeMissing: Wording
}

/// What the cart page and the result page say while a purchase is completed.
struct CompletionTexts: Sendable {
    let workingTitle: Wording
    let working: Wording
    let waitingTitle: Wording
    let waiting: Wording
    let stillWaiting: Wording
    let check: Wording
    let offlineTitle: Wording
    let offline: Wording
    let retry: Wording
    let continueTitle: Wording
    let continueText: Wording
    let continueButton: Wording
    let doneTitle: Wording
    let done: Wording
    let showReceipt: Wording
    let declinedTitle: Wording
    let declined: Wording
    let proofTitle: Wording
    let proof: Wording
    let endedTitle: Wording
    let ended: Wording
    let changedTitle: Wording
    let changed: Wording
    let failedTitle: Wording
    let failed: Wording
    let back: Wording
}

/// The button page.
struct ButtonTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let manual: Wording
    let manualNote: Wording
    let slow: Wording
    let reload: Wording
    let withoutScript: Wording
    let postageNote: Wording
}

/// The interstitial.
struct OpenTexts: Sendable {
    let title: Wording
    let heading: Wording
    let automatic: Wording
    let tap: Wording
    let proceed: Wording
}

/// The confirm page.
struct ConfirmTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let changeAddress: Wording
    let changePayment: Wording
    let noPayment: Wording
    let note: Wording
    let app: Agreement
    let site: Agreement
    let browser: Agreement
    let sending: Wording
    let readOnly: Wording
    let reload: Wording
    let returnLead: Wording
    let returnLink: Wording
    let cancel: Wording
    let cancelQuestion: Wording
    let cancelForGood: Wording
    let undeliverableHeading: Wording
    let undeliverable: Wording

    /// What the button does, and what follows; it differs by where the order is completed.
    struct Agreement: Sendable {
        let button: Wording
        let note: Wording
    }
}

/// The result page and the rescue page.
struct ResultTexts: Sendable {
    let title: Wording
    let openHeading: Wording
    let appLead: Wording
    let returnLink: Wording
    let appNote: Wording
    let siteLead: Wording
    let siteLink: Wording
    let siteNote: Wording
    let browserHeading: Wording
    let browserLead: Wording
    let complete: Wording
    let rescueTitle: Wording
    let rescueHeading: Wording
    let rescueLead: Wording
    let rescueClosed: Wording
    let rescueClosedSteps: [Wording]
    let steps: Wording
    let stepTap: Wording
    let stepHold: Wording
    let stepClose: Wording
    let stepCharge: Wording
    let completingNote: Wording
    let siteCompletingNote: Wording
}

/// The receipt.
struct ThanksTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let orderNumber: Wording
    let date: Wording
    let keep: Wording
}

/// The page after a cancelled checkout.
struct CanceledTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let cartKept: Wording
    let retry: Wording
    let cancelForGood: Wording
    let endedHeading: Wording
    let endedLead: Wording
}

/// The page after a declined payment.
struct DeclinedTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let retry: Wording
}

/// The error page.
struct ErrorTexts: Sendable {
    let toConfirm: Wording
    let toButton: Wording
    let toAddress: Wording
    let toResult: Wording
}

/// A page with a heading, a text and a few steps.
struct NoticeTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let steps: [Wording]
}

/// The link host's page.
struct LinkTexts: Sendable {
    let title: Wording
    let heading: Wording
    let lead: Wording
    let rescue: Wording
    let steps: [Wording]
    let charge: Wording
    let appStore: Wording
    let googlePlay: Wording
}
