/// A page that only tells something: constant bytes.
enum NoticePage {
    /// Writes the page.
    ///
    /// - Parameters:
    ///   - frame: Of the page's language.
    ///   - notice: What it tells.
    /// - Returns: The document.
    static func render(_ frame: Frame, _ notice: NoticeTexts) -> [UInt8] {
        frame.document(
            Head<Never>(title: notice.title),
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
