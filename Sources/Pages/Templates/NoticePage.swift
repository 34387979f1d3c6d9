/// A page that only tells something: constant bytes.
enum NoticePage {
    private enum PageSlot {}

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - frame: Of the page's language.
    ///   - notice: What it tells.
    /// - Returns: The document.
    static func render(_ frame: Frame, _ notice: NoticeTexts) -> [UInt8] {
        let template = Template<PageSlot> { page in
            page.document(frame, Head(title: notice.title)) { page in
                page.html("<section class=\"card hero\">\n<h1>")
                page.text(notice.heading)
                page.html("</h1>\n<p>")
                page.text(notice.lead)
                page.html("</p>\n<ul class=\"hints\">\n")
                for step in notice.steps {
                    page.html("<li>")
                    page.text(step)
                    page.html("</li>\n")
                }
                page.html("</ul>\n</section>\n")
            }
        }
        return template.render(room: 0) { _, _ in }
    }
}
