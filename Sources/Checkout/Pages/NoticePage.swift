import Pages
import Web

/// A page with a notice alone: constant bytes.
enum NoticePage {
    /// Writes the page.
    ///
    /// - Parameters:
    ///   - frame: Of the page's language.
    ///   - notice: Its text.
    ///   - code: For `data-error`.
    /// - Returns: The document.
    static func render(_ frame: CheckoutFrame, _ notice: NoticeTexts, _ code: FailureCode) -> [UInt8] {
        frame.document(
            Head<Never>(title: "\(notice.title)", error: "\(code.name)"),
            """
            <section class="card hero">
            <h1>\(notice.heading)</h1>
            <p>\(notice.lead)</p>
            <ul class="hints">\(Markup(each: notice.steps) { "<li>\($0)</li>" })</ul>
            </section>
            """
        ).bytes
    }
}
