import Pages
import SessionBroker

/// The first page of a demonstration, of one language: what happens here, and the three carts.
enum StartPage {
    /// Writes the page.
    static func render(_ frame: CheckoutFrame) -> [UInt8] {
        let texts = frame.texts.start
        let carts = [(ClientKind.browser, texts.browser), (.iosApp, texts.iosApp), (.androidApp, texts.androidApp)]
        return frame.document(
            Head<Never>(title: "\(texts.heading)"),
            """
            <section class="card hero">
            <h1>\(texts.heading)</h1>
            <p>\(texts.lead)</p>
            <ol class="hints">\(Markup(each: texts.steps) { "<li>\($0)</li>" })</ol>
            <p class="note">\(texts.note)</p>
            <p class="actions">\(Markup(each: carts) { #"<a class="button" href="\#(LinkTarget.cart($0.0))">\#($0.1)</a>"# })</p>
            </section>
            """
        ).bytes
    }
}
