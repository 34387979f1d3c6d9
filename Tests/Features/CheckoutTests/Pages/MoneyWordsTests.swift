import CheckoutCodes
import Commerce
import Pages
import SessionBroker
import Testing
import Web

@testable import Checkout

/// What pages say about money is so wherever they are shown.
@Suite struct `Words about money` {
    private let pages = Samples.pages

    /// Only these refusals are of a purchase that cannot be paid; others may be of a second tab, or come after the payment.
    private static let unpaid: Set<FailureCode> = [
        .sessionCanceled, .paymentDeclined, .postageFailed, .addressNotPriced,
    ]

    @Test(arguments: FailureCode.ofCheckout, Language.allCases)
    func `of a refusal deny a charge only where there can be none`(code: FailureCode, language: Language) {
        let page = string(pages[language].error.render(ErrorView(code: code)))
        #expect(deniesCharge(page) == Self.unpaid.contains(code))
    }

    @Test(arguments: Language.allCases) func `of the script and of a tab without cookies leave open what was paid`(
        language: Language
    ) throws {
        let cart = string(pages[language].cart(.browser).render(nonce: Samples.nonce))
        let condition =
            language == .ja ? "ご注文が確定していない場合、請求は発生しません。" : "If your order was not completed, you are not charged"
        for name in ["proof", "ended", "changed"] {
            let text = try #require(cart.split(separator: "\"\(name)\":\"").last?.split(separator: "\"").first)
            #expect(text.contains(condition) && !deniesCharge(String(text)), "\(name): \(text)")
        }
        let cookies = string(pages[language].cookiesBlocked.render())
        #expect(cookies.contains(condition) && !deniesCharge(cookies))
    }

    @Test(arguments: Language.allCases) func `of the table say of each line whether it includes tax, of nothing else`(
        language: Language
    ) {
        let (with, without) = language == .ja ? ("税込", "税抜") : ("with tax", "before tax")
        for (order, words) in [(Samples.cart, with), (Samples.withoutTax, without)] {
            let page = string(pages[language].confirm.render(Samples.confirm(order: order), nonce: Samples.nonce))
            let parts = page.split(separator: "<tbody>")
            let rest = parts[1].split(separator: "</tbody>")
            #expect(rest[0].split(separator: "</tr>").filter { $0.contains("× 1 \(words)</small>") }.count == 2)
            // What is paid in the end is said to include tax, in other words.
            #expect([parts[0], rest[1]].allSatisfy { !$0.contains(words + "<") && !$0.contains(without) })
        }
    }

    @Test func `of what is taken off have a minus that is read out`() throws {
        let adjustment = try #require(Adjustment(name: "Points", units: -300))
        let order = try Order(lines: Samples.cart.lines, tax: Samples.cart.tax, adjustments: [adjustment])
        let session = Samples.session(of: .browser, order: order)
        let view = ButtonView(webviewSession: session, start: Samples.start, fallbackAction: nil)
        #expect(string(pages[.ja].button.render(view, nonce: Samples.nonce)).contains("<td>\u{2212}￥300</td>"))
    }

    private func deniesCharge(_ text: String) -> Bool {
        ["請求は発生していません", "お支払いは行われていません", "not been charged", "nothing was"].contains { text.contains($0) }
    }

    private func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
