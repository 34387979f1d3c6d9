import CheckoutCodes
import Pages
import SessionBroker
import Testing
import Web

@testable import Checkout

/// What the page of a refusal says, for every code and everything that may have become of the order.
@Suite struct `The table of refusals` {
    private let pages = Samples.pages

    /// Words that send a buyer to a new order.
    private static let restarts = ["やり直", "カートから", "start again", "from the cart"]
    /// Words that make it a condition that there is no order yet.
    private static let conditions = [
        "まだご注文でない場合", "ご注文が確定していない場合", "If you have not", "If your order was not completed",
    ]

    private func page(_ code: FailureCode, _ progress: OrderProgress, _ language: Language) -> String {
        let view = ErrorView(
            code: code,
            progress: progress,
            client: .browser,
            holdsTab: true,
            holdsReceipt: progress == .paid
        )
        return String(decoding: pages[language].error.render(view), as: UTF8.self)
    }

    private func text(_ code: FailureCode, _ progress: OrderProgress, _ language: Language) -> String {
        let notice = RefusalTable.text(of: code, progress).notice
        return notice.headline.text(in: language) + "\n" + notice.detail.text(in: language)
    }

    @Test(arguments: FailureCode.ofCheckout, OrderProgress.allCases)
    func `has a page for each cell`(code: FailureCode, progress: OrderProgress) {
        for language in Language.allCases {
            let page = page(code, progress, language)
            #expect(ScannedDocument(page).complaints == [])
            #expect(page.contains(#"data-error="\#(code.name)""#), "the code stays the rule's")
            #expect(text(code, progress, language).split(separator: "\n").count == 2)
        }
    }

    @Test(arguments: FailureCode.ofCheckout, OrderProgress.allCases.filter(\.isOrdered))
    func `sends nobody who has ordered to a new order`(code: FailureCode, progress: OrderProgress) {
        for language in Language.allCases {
            let text = text(code, progress, language)
            #expect(!Self.restarts.contains { text.contains($0) }, "\(code) \(progress): \(text)")
            let page = page(code, progress, language)
            #expect(!page.contains("/cart\"") && !page.contains(#"href="/button""#), "\(code) \(progress)")
        }
    }

    @Test(arguments: FailureCode.ofCheckout)
    func `sends nobody of whom nothing is known to a new order without a condition`(code: FailureCode) {
        for language in Language.allCases {
            let text = text(code, .unknown, language)
            let restarts = Self.restarts.contains { text.contains($0) }
            let isConditional = Self.conditions.contains { text.contains($0) }
            // What these refuse is the making of an order, or a purchase that is over without one.
            #expect(!restarts || isConditional || code == .paymentDeclined, "\(code): \(text)")
        }
    }

    @Test(arguments: FailureCode.ofCheckout)
    func `says the same of what happened, whichever rule refused`(code: FailureCode) {
        for language in Language.allCases {
            for progress in OrderProgress.allCases where progress.isOrdered {
                #expect(text(code, progress, language) == text(.sessionReused, progress, language))
            }
        }
        #expect(RefusalTable.text(of: code, .paid).control == .receipt)
        #expect(RefusalTable.text(of: code, .pending).control == .result)
        #expect(RefusalTable.text(of: code, .placed).control == .result)
        #expect(RefusalTable.text(of: code, .declined).control == .button)
    }

    @Test(arguments: Language.allCases)
    func `promises whoever waits that nothing is charged twice`(language: Language) {
        let words = language == .ja ? "二重に請求されることはありません" : "You will not be charged twice"
        for progress in [OrderProgress.placed, .pending] {
            #expect(text(.sessionReused, progress, language).contains(words), "\(progress)")
        }
    }

    @Test(arguments: Language.allCases)
    func `offers the receipt and the result only to a jar that holds them`(language: Language) {
        func page(_ progress: OrderProgress, tab: Bool, receipt: Bool) -> String {
            let view = ErrorView(code: .sessionReused, progress: progress, holdsTab: tab, holdsReceipt: receipt)
            return String(decoding: pages[language].error.render(view), as: UTF8.self)
        }
        let receipt = #"id="receipt" class="button button-main" href="/thanks""#
        #expect(page(.paid, tab: false, receipt: true).contains(receipt))
        #expect(!page(.paid, tab: false, receipt: false).contains("/thanks"))
        #expect(page(.pending, tab: true, receipt: false).contains(#"href="/checkout_result""#))
        #expect(!page(.pending, tab: false, receipt: false).contains("/checkout_result"))
    }

    @Test(arguments: WebviewSessionState.allCases)
    func `knows each state of a webview session`(state: WebviewSessionState) {
        let expected: OrderProgress =
            switch state {
            case .issued, .opened, .reviewed: .open
            case .placed: .placed
            case .purchasing: .pending
            case .authorized: .paid
            case .declined: .declined
            case .revoked, .expired, .canceled: .over
            }
        #expect(OrderProgress(state) == expected)
    }
}
