import CheckoutCodes
import Pages
import Web

/// Pages with a notice alone: constant bytes, in two copies, with and without the way to a receipt.
///
/// Policy: `plain`.
struct NoticePage: Sendable {
    private let plain: [UInt8]
    private let beside: [UInt8]

    /// A page.
    ///
    /// - Parameters:
    ///   - code: For `data-error`.
    init(_ frame: CheckoutFrame, _ notice: NoticeTexts, _ code: FailureCode) {
        func render(_ receipt: Bool) -> [UInt8] {
            frame.document(
                Head<Never>(title: "\(notice.title)", error: "\(code.name)"),
                """
                <section class="card hero">
                <h1>\(notice.heading)</h1>
                <p>\(notice.lead)</p>
                \(receipt ? WayBack.receipt(frame) : .empty)\(WayBack.home(frame))\(Self.list(notice.steps))</section>
                """
            ).bytes
        }
        plain = render(false)
        beside = render(true)
    }

    /// The page, with the way to the receipt for a jar that holds one.
    func render(receipt: Bool = false) -> [UInt8] { receipt ? beside : plain }

    private static func list(_ steps: [Wording]) -> Markup<Never> {
        if let only = steps.first, steps.count == 1 { return "<p class=\"note\">\(only)</p>\n" }
        return """
            <ul class="hints">\(Markup(each: steps) { "<li>\($0)</li>" })</ul>

            """
    }
}

extension NoticeTexts {
    /// The page for a tab whose order was completed, or is being completed.
    init(_ code: FailureCode, _ progress: OrderProgress, _ texts: Texts) {
        let notice = RefusalTable.text(of: code, progress).notice
        let headline = Wording(notice.headline.text(in: texts.language))
        self.init(
            title: headline,
            heading: headline,
            lead: Wording(notice.detail.text(in: texts.language)),
            steps: [texts.frame.backSomewhere]
        )
    }
}
